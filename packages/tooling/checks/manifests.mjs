import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';

/** The fields of a manifest in their order; one that is not here is not allowed. */
const FIELDS = [
  'name',
  'version',
  'description',
  'keywords',
  'license',
  'type',
  'sideEffects',
  'bin',
  'backlot',
  'engines',
  'main',
  'types',
  'typesVersions',
  'exports',
  'files',
  'scripts',
  'dependencies',
  'optionalDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'devDependencies',
  'publishConfig',
];

/** Beside those of every package: tests that take long, each by itself. */
const APP_SCRIPTS = {
  'test:docs': 'backlot-test --config jest.docs.config.mjs',
  smoke: 'backlot-test --config jest.packed.config.mjs',
};

const LIBRARY_SCRIPTS = {
  build: 'backlot-declare && tsup',
  check: 'backlot-check-package',
  lint: 'oxlint',
  test: 'backlot-test',
  typecheck: 'tsc --noEmit',
};

/** The package that has no code of the workspace in it, and nothing to build. */
const DATA = 'packages/services';

/** The package of the page, which uses nothing of the workspace but in its tests. */
const PAGE = 'packages/ui';

const PAGE_SCRIPTS = { build: `${LIBRARY_SCRIPTS.build} && node scripts/build-page.mjs` };

/** The package for agents, which knows nothing of the workspace: it acts on the management API. */
const AGENTS = 'packages/mcp';

const AGENTS_SCRIPTS = { build: `${LIBRARY_SCRIPTS.build} && node scripts/copy-docs.mjs` };

/** What each package is found by, before words of its own. */
const KEYWORDS = ['mock', 'mock-server', 'testing'];

/** Files that each package has beside its manifest. */
const FILES = ['README.md', 'jest.config.mjs', 'tsconfig.json', 'tsup.config.ts'];

/**
 * Whether a published package's manifest and files are like those of the others. A difference that is wanted is
 * written here, not in the package.
 *
 * @param {import('../scripts/lib/workspace.mjs').WorkspacePackage} pkg
 * @returns {string[]} one sentence per difference
 */
export function findManifestProblems({ dir, path, manifest }) {
  if (path === DATA) return findDataProblems(path, manifest);
  const isApp = path.startsWith('apps/');
  const folder = path.split('/').at(-1) ?? '';
  const fields = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (manifest));
  const entries = Object.keys(manifest.exports ?? {}).filter((name) => name !== './package.json');
  /** @type {string[]} */
  const problems = [];
  /**
   * @param {string} what
   * @param {unknown} got
   * @param {unknown} want
   */
  const expect = (what, got, want) => {
    if (isDeepStrictEqual(got, want)) return;
    problems.push(`${path}/package.json: ${what} is ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
  };

  const present = Object.keys(fields);
  expect(
    'the list of fields, with their order,',
    present,
    FIELDS.filter((field) => present.includes(field)),
  );
  expect('"name"', manifest.name, isApp ? folder : `@backlot/${folder}`);
  expect('"license"', fields.license, 'MIT');
  expect('"type"', fields.type, 'module');
  expect('"sideEffects"', fields.sideEffects, false);
  expect('"engines"', fields.engines, { node: '>=20.19' });
  expect('"files"', fields.files, isApp ? ['bin', 'dist', 'template'] : ['dist']);
  const ofFolder = path === PAGE ? PAGE_SCRIPTS : path === AGENTS ? AGENTS_SCRIPTS : {};
  const further = isApp ? APP_SCRIPTS : ofFolder;
  expect('"scripts"', manifest.scripts, { ...LIBRARY_SCRIPTS, ...further });
  expect('"exports"', manifest.exports, describeExports(entries, isApp, true));
  const { main, types, typesVersions } = describeOldEntries(entries, isApp);
  expect('"main"', fields.main, main);
  expect('"types"', fields.types, types);
  expect('"typesVersions"', fields.typesVersions, typesVersions);
  expect('"publishConfig"', fields.publishConfig, {
    access: 'public',
    exports: describeExports(entries, isApp, false),
  });
  if (typeof fields.description !== 'string' || !fields.description.endsWith('.')) {
    problems.push(`${path}/package.json: "description" must be a sentence that ends with a full stop`);
  }
  const kind = path.startsWith('packages/protocols/') ? [folder] : [];
  const words = Array.isArray(fields.keywords) ? fields.keywords : [];
  expect('"keywords", as far as they are those of all,', words.slice(0, KEYWORDS.length + kind.length), [
    ...KEYWORDS,
    ...kind,
  ]);
  problems.push(...findDependencyProblems(path, manifest));

  if (path.startsWith('packages/protocols/')) expect('"backlot"', manifest.backlot, { protocol: folder });
  for (const file of FILES.filter((file) => !existsSync(join(dir, file))))
    problems.push(`${path}/${file} is missing`);
  return problems;
}

/**
 * What is published of a package of data is its folder, without what tests it.
 *
 * @param {string} path
 * @param {import('../scripts/lib/workspace.mjs').Manifest} manifest
 * @returns {string[]}
 */
function findDataProblems(path, manifest) {
  const { files, dependencies = {} } = /** @type {Record<string, any>} */ (/** @type {unknown} */ (manifest));
  const problems = [];
  if (
    !isDeepStrictEqual(files, ['aws', 'identity', 'llm', 'otlp', 'services', 'waiting', '!services/*/test'])
  )
    problems.push(
      `${path}/package.json: "files" must be the services without their tests, and what they share`,
    );
  // Kubernetes' clients apply YAML. The app has the same library, so that nothing more is installed.
  if (Object.keys(dependencies).some((name) => name !== 'yaml'))
    problems.push(`${path}/package.json: a service is data and small functions, and depends on yaml alone`);
  return problems;
}

/**
 * @param {string} path
 * @param {import('../scripts/lib/workspace.mjs').Manifest} manifest
 * @returns {string[]}
 */
function findDependencyProblems(path, manifest) {
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    devDependencies = {},
  } = manifest;
  /** @type {string[]} */
  const problems = [];
  for (const [name, version] of Object.entries({
    ...devDependencies,
    ...optionalDependencies,
    ...dependencies,
  })) {
    const isRight =
      name === 'backlot' || name.startsWith('@backlot/')
        ? version === 'workspace:*'
        : /^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version);
    if (!isRight)
      problems.push(
        `${path}/package.json: ${name} is "${version}"; use an exact version, or "workspace:*" within this workspace`,
      );
  }
  if (path.startsWith('packages/') && path !== 'packages/core' && path !== PAGE && path !== AGENTS) {
    if (
      peerDependencies['@backlot/core'] !== 'workspace:^' ||
      devDependencies['@backlot/core'] !== 'workspace:*'
    ) {
      problems.push(
        `${path}/package.json: @backlot/core must be a peer dependency "workspace:^" and a development dependency "workspace:*", so that one process has one core`,
      );
    }
    if (dependencies['@backlot/core'] !== undefined) {
      problems.push(`${path}/package.json: @backlot/core must not be a dependency; it is a peer`);
    }
  }
  return problems;
}

/**
 * The entries again for resolution that knows no exports maps: TypeScript's `node10`.
 *
 * @param {readonly string[]} entries `.` and `./<name>`
 * @param {boolean} isApp an app is ESM only
 * @returns {{ main: string, types: string, typesVersions: object | undefined }}
 */
function describeOldEntries(entries, isApp) {
  const [script, declarations] = isApp ? ['.js', '.d.ts'] : ['.cjs', '.d.cts'];
  const further = entries.filter((entry) => entry !== '.').map((entry) => entry.slice(2));
  const paths = Object.fromEntries(further.map((name) => [name, [`./dist/${name}${declarations}`]]));
  return {
    main: `./dist/index${script}`,
    types: `./dist/index${declarations}`,
    typesVersions: further.length === 0 ? undefined : { '*': paths },
  };
}

/**
 * @param {readonly string[]} entries `.` and `./<name>`
 * @param {boolean} isApp an app is ESM only
 * @param {boolean} withSource with the condition by which the workspace itself reads sources
 */
function describeExports(entries, isApp, withSource) {
  /** @type {Record<string, unknown>} */
  const described = {};
  for (const entry of entries) {
    const name = entry === '.' ? 'index' : entry.slice(2);
    const esm = { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` };
    const cjs = { types: `./dist/${name}.d.cts`, default: `./dist/${name}.cjs` };
    described[entry] = {
      ...(withSource ? { 'backlot-source': `./src/${name}.ts` } : {}),
      ...(isApp ? esm : { import: esm, require: cjs }),
    };
  }
  return { ...described, './package.json': './package.json' };
}
