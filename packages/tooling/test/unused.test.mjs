import { describe, expect, it } from '@jest/globals';
import { findUnused } from '../checks/unused.mjs';
import { withTree } from './tree.mjs';

/** @param {Record<string, string | object>} files */
const check = (files) =>
  withTree(
    {
      'package.json': { name: 'root', private: true, workspaces: ['packages/*'] },
      'packages/a/package.json': {
        name: 'a',
        type: 'module',
        exports: { '.': { 'backlot-source': './src/index.ts' } },
      },
      'packages/a/src/index.ts': `export { used } from './inner.js';\n`,
      'packages/a/src/inner.ts': `export const used = 1;\n`,
      ...files,
    },
    findUnused,
  );

describe('the check for unused code', () => {
  it('accepts what is used or public', async () => {
    expect(await check({})).toEqual([]);
  });

  it('finds an export that nothing imports', async () => {
    const text = `export const used = 1;\nexport const lonely = 2;\n`;
    expect(await check({ 'packages/a/src/inner.ts': text })).toEqual(
      expect.arrayContaining([expect.stringContaining('lonely')]),
    );
  });

  it('finds a file that nothing imports', async () => {
    const problems = await check({ 'packages/a/src/lonely.ts': `export const a = 1;\n` });
    expect(problems).toEqual(expect.arrayContaining([expect.stringContaining('lonely.ts')]));
  });

  it('finds a dependency that nothing imports', async () => {
    const manifest = {
      name: 'a',
      type: 'module',
      exports: { '.': { 'backlot-source': './src/index.ts' } },
      dependencies: { lonely: '1.0.0' },
    };
    expect(await check({ 'packages/a/package.json': manifest })).toEqual(
      expect.arrayContaining([expect.stringContaining('lonely')]),
    );
  });
});
