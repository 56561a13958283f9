import { jestConfig, jestReporter } from '@backlot/tooling/jest';

/** What the pages say, tried: by itself, since it takes as long as all other tests of the app. */
export default jestConfig({
  testMatch: ['<rootDir>/test/docs/**/*.test.ts'],
  reporters: [jestReporter('test:docs')],
});
