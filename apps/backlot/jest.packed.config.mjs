import { jestConfig, jestReporter } from '@backlot/tooling/jest';

/** What a user does, with the tarballs as they would be published, in empty folders outside of the repository. */
export default jestConfig({
  testMatch: ['<rootDir>/test/packed/**/*.test.ts'],
  globalSetup: '<rootDir>/test/packed/global-setup.mjs',
  globalTeardown: '<rootDir>/test/packed/global-teardown.mjs',
  testTimeout: 120_000,
  reporters: [jestReporter('smoke')],
});
