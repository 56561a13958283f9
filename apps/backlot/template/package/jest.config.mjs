// The tests run as the compiler has written them; `npm test` compiles first.
export default {
  testMatch: ['<rootDir>/dist/test/**/*.test.js'],
  transform: {},
  // One file after the other: each starts servers of its own.
  maxWorkers: 1,
  testTimeout: 15_000,
};
