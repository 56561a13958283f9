import { fileURLToPath } from 'node:url';

/**
 * The reporter of every suite.
 *
 * @param {keyof typeof import('./results.mjs').RESULTS} task
 * @returns {[string, { task: string }]}
 */
export function jestReporter(task) {
  return [fileURLToPath(new URL('./jest-reporter.mjs', import.meta.url)), { task }];
}

/**
 * What the names of other packages stand for: their sources by the condition `backlot-source`, so that no build is
 * needed; or, with `BACKLOT_TEST_BUILT=1`, what was built of them, which loads in half of the time and is what ships.
 */
const CONDITIONS =
  process.env['BACKLOT_TEST_BUILT'] === '1'
    ? ['node', 'node-addons']
    : ['backlot-source', 'node', 'node-addons'];

/**
 * Jest in ESM mode.
 *
 * @param {import('jest').Config} [overrides]
 * @returns {import('jest').Config}
 */
export function jestConfig(overrides = {}) {
  return {
    // One name for all packages, whose transformed sources are kept below it; see jest-transform.mjs.
    id: 'backlot',
    testMatch: ['<rootDir>/test/**/*.test.{ts,mjs}'],
    testEnvironment: fileURLToPath(new URL('./jest-environment.mjs', import.meta.url)),
    testEnvironmentOptions: { customExportConditions: CONDITIONS },
    extensionsToTreatAsEsm: ['.ts'],
    // A name that the mapper below has cut is that of a `.ts` file of ours or of a `.js` file of a dependency, which may have an `.mjs` beside it.
    moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
    moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
    transform: {
      '^.+\\.ts$': [
        fileURLToPath(new URL('./jest-transform.mjs', import.meta.url)),
        {
          jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
          module: { type: 'es6' },
          sourceMaps: 'inline',
        },
      ],
    },
    // In one process, so that a socket left open by any test keeps it alive and is found; turbo runs packages side by side.
    maxWorkers: 1,
    // How long a test may stand still; see jest-environment.mjs.
    testTimeout: 15_000,
    reporters: [jestReporter('test')],
    ...overrides,
  };
}
