/** @type {import('jest').Config} */
export default {
  rootDir: '../..',
  testMatch: ['<rootDir>/test/shared/*.test.mjs'],
  transform: {},
  maxWorkers: 2,
  // Without a limit, jest runs files that were fast the last time in one process.
  workerIdleMemoryLimit: '1GB',
};
