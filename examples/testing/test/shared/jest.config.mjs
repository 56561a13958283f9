/** @type {import('jest').Config} */
export default {
  rootDir: '../..',
  testMatch: ['<rootDir>/test/shared/*.test.mjs'],
  transform: {},
  maxWorkers: 2,
};
