import { jestConfig } from '@backlot/tooling/jest';

export default jestConfig({
  testMatch: ['<rootDir>/{test,services/*/test}/**/*.test.ts'],
  // SDKs that are required have files of both kinds under the same names.
  moduleFileExtensions: ['ts', 'js', 'cjs', 'mjs', 'json', 'node'],
});
