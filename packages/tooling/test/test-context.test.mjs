import { expect, it } from '@jest/globals';
import { AsyncLocalStorage } from 'node:async_hooks';
import { fileURLToPath } from 'node:url';
import { run } from '../scripts/lib/run.mjs';
import { withTree } from './tree.mjs';

const COMMAND = fileURLToPath(new URL('../bin/backlot-test.mjs', import.meta.url));
const PRESET = new URL('../presets/jest.mjs', import.meta.url).href;

const THROWN_LATE = `
const fall = (text) => new Promise(() => setTimeout(() => { throw new Error(text); }, 1));
describe('a tree', () => {
  beforeAll(async () => {});
  it('stands', async () => {});
  it('falls', () => fall('timber'), 2000);
  it('stands again', async () => { await new Promise((resolve) => setTimeout(resolve, 5)); });
});
`;

it('no hook follows the promises of a test', async () => {
  // Node marks each promise that a hook follows.
  expect(Object.getOwnPropertySymbols(Promise.resolve())).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(Object.getOwnPropertySymbols(Promise.resolve())).toEqual([]);
});

it('an error that nobody catches is told of the test that runs', async () => {
  const files = {
    'package.json': { type: 'module' },
    'jest.config.mjs': `import { jestConfig } from '${PRESET}';\nexport default jestConfig();\n`,
    'test/late.test.mjs': THROWN_LATE,
  };
  const { code, output } = await withTree(files, (root) =>
    run(process.execPath, [COMMAND], { cwd: root, capture: true }),
  );
  expect(output).toContain('● a tree › falls');
  expect(output).toContain('timber');
  expect(output).not.toContain('› stands');
  expect(output).toMatch(/^2 passed, 1 failed/m);
  expect(code).toBe(1);
});

it('what a program keeps in a storage of its own follows its promises', async () => {
  const storage = new AsyncLocalStorage();
  const seen = await storage.run({ user: 'ann' }, async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return storage.getStore();
  });
  storage.disable();
  expect(seen).toEqual({ user: 'ann' });
  expect(storage.getStore()).toBeUndefined();
});
