import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/shared/*.test.mjs'], globals: true, maxWorkers: 2, minWorkers: 2 },
});
