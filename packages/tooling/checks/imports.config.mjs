/**
 * The directions of imports, as dependency-cruiser rules:
 * `core <- kit <- protocols <- apps`, `core <- management <- apps`, `core <- webhooks <- apps`, `core, management <- cluster <- apps`, `core <- contracts <- protocols, imports`, `core, contracts <- imports <- apps`, `core, kit <- exports <- apps`, `core, kit <- conformance`,
 * `core, kit <- testing`. What a package's tests may use beyond that is the conformance suite; those of `testing` use protocols.
 */

const SHARED =
  '^packages/(core|kit|contracts|management|cluster|webhooks|imports|exports|conformance|testing|tooling)/';
const PROTOCOLS = '^packages/protocols/';
const APPS = '^apps/';
/** What the packages' `exports` name. */
const ENTRY_POINTS =
  '^((packages/protocols|packages|apps)/[^/]+/src/(index|plugin)|packages/kit/src/(framing|http|http-upstream|upstream|wildcards))[.]ts$';

/**
 * @param {string} from a package's folder
 * @param {string} allowed the packages below `packages/` it may import from, as alternatives
 * @param {string} [inTests] those that its tests may import from, where these are more
 * @returns {import('dependency-cruiser').IForbiddenRuleType[]}
 */
const mayImportOnly = (from, allowed, inTests = allowed) =>
  Object.entries({ src: allowed, test: inTests }).map(([folder, names]) => ({
    name: `${from.replace('packages/', '')}-${folder}-imports-only-${names.replaceAll('|', '-')}`,
    comment: `${from}/${folder} may import from ${names.replaceAll('|', ', ')} and nothing else of this workspace`,
    severity: 'error',
    from: { path: `^${from}/${folder}/` },
    to: { path: [SHARED, PROTOCOLS, APPS], pathNot: `^packages/(${names})/` },
  }));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...mayImportOnly('packages/core', 'core'),
    ...mayImportOnly('packages/kit', 'core|kit'),
    ...mayImportOnly('packages/management', 'core|management', 'core|management|conformance'),
    ...mayImportOnly('packages/webhooks', 'core|webhooks'),
    ...mayImportOnly('packages/cluster', 'core|management|cluster', 'core|management|cluster|conformance'),
    ...mayImportOnly(
      'packages/exports',
      'core|kit|exports',
      'core|kit|exports|imports|conformance|protocols',
    ),
    ...mayImportOnly('packages/contracts', 'core|contracts'),
    ...mayImportOnly(
      'packages/imports',
      'core|contracts|imports',
      'core|contracts|imports|conformance|protocols|webhooks',
    ),
    ...mayImportOnly('packages/client', 'core|client', 'core|client|conformance|management|protocols'),
    ...mayImportOnly('packages/conformance', 'core|kit|conformance'),
    {
      name: 'testing-imports-only-core-kit-and-client',
      comment:
        'packages/testing may import from core, kit and client only: which protocols there are, its users say',
      severity: 'error',
      from: { path: '^packages/testing/src/', pathNot: '^packages/testing/src/read-config[.]ts$' },
      to: { path: [SHARED, PROTOCOLS, APPS], pathNot: '^packages/(client|core|kit|testing)/' },
    },
    {
      name: 'testing-loads-the-app-for-a-file-only',
      comment:
        'the app, which reads configuration files, is loaded when one is named, and need not be installed',
      severity: 'error',
      from: { path: '^packages/testing/src/read-config[.]ts$' },
      to: {
        path: APPS,
        dependencyTypesNot: ['dynamic-import'],
      },
    },
    {
      name: 'protocols-import-only-core-kit-and-contracts',
      comment: 'a protocol may import from core, kit and contracts only',
      severity: 'error',
      from: { path: `${PROTOCOLS}[^/]+/src/` },
      to: { path: [SHARED, APPS], pathNot: '^packages/(core|kit|contracts)/' },
    },
    {
      name: 'protocol-tests-import-only-core-kit-conformance',
      comment: "a protocol's tests may import from core, kit and conformance only",
      severity: 'error',
      from: { path: `${PROTOCOLS}[^/]+/test/` },
      to: { path: [SHARED, APPS], pathNot: '^packages/(core|kit|conformance)/' },
    },
    {
      name: 'never-sideways-between-protocols',
      comment: 'a protocol never imports another one; what two need belongs to the kit',
      severity: 'error',
      from: { path: `${PROTOCOLS}([^/]+)/` },
      to: { path: PROTOCOLS, pathNot: `${PROTOCOLS}$1/` },
    },
    {
      name: 'apps-do-not-ship-tools',
      comment: 'conformance, testing and tooling are for development',
      severity: 'error',
      from: { path: '^apps/[^/]+/src/' },
      to: { path: '^packages/(conformance|testing|tooling)/' },
    },
    {
      name: 'no-deep-imports-between-packages',
      comment:
        'another package is imported by its entry points only, never by a file of its src, test or dist',
      severity: 'error',
      from: { path: '^((?:packages/protocols|packages|apps)/[^/]+)/(?:src|test)/' },
      to: {
        path: '^(packages/protocols|packages|apps)/[^/]+/(src|test|dist)/',
        pathNot: ['^$1/', ENTRY_POINTS],
      },
    },
    {
      name: 'no-relative-imports-between-packages',
      comment: 'another package is imported by its name',
      severity: 'error',
      from: { path: '^((?:packages/protocols|packages|apps)/[^/]+)/(?:src|test)/' },
      to: {
        path: '^(packages/protocols|packages|apps)/',
        pathNot: '^$1/',
        dependencyTypesNot: ['aliased-workspace', 'npm', 'npm-dev', 'npm-peer'],
        dependencyTypes: ['local'],
      },
    },
    {
      name: 'no-cycles',
      comment:
        'files import each other in one direction; types, which are gone at run time, may refer to each other',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'everything-resolves',
      comment: 'an import that cannot be found is not checked either',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    exclude: {
      path: [
        '(^|/)(dist|[.]declarations|coverage|node_modules)/',
        '^packages/tooling/template/',
        // The code of browsers has its own resolution, which TypeScript and the bundler check.
        '^packages/ui/web/',
        '^apps/[^/]+/template/(package|protocol)/',
      ],
    },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['backlot-source', 'import', 'node', 'types', 'default'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
};
