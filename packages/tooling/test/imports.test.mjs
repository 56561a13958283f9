import { describe, expect, it } from '@jest/globals';
import { symlinkSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findForbiddenImports } from '../checks/imports.mjs';
import { withTree } from './tree.mjs';

const PACKAGES = {
  '@backlot/core': 'packages/core',
  '@backlot/kit': 'packages/kit',
  '@backlot/management': 'packages/management',
  '@backlot/http': 'packages/protocols/http',
  '@backlot/tcp': 'packages/protocols/tcp',
  backlot: 'apps/backlot',
};

/**
 * Checks a workspace of empty packages to which some files are added.
 *
 * @param {Record<string, string>} files
 */
const check = (files) => {
  /** @type {Record<string, string | object>} */
  const tree = { 'package.json': { name: 'root', private: true } };
  for (const [name, dir] of Object.entries(PACKAGES)) {
    tree[`${dir}/package.json`] = {
      name,
      type: 'module',
      exports: { '.': { 'backlot-source': './src/index.ts' } },
      dependencies: Object.fromEntries(Object.keys(PACKAGES).map((other) => [other, 'workspace:*'])),
    };
    tree[`${dir}/src/index.ts`] = `export const a = 1;\n`;
    tree[`${dir}/src/inner.ts`] = `export interface Inner { a: 1 }\n`;
  }
  return withTree({ ...tree, ...files }, (root) => {
    mkdirSync(join(root, 'node_modules/@backlot'), { recursive: true });
    for (const [name, dir] of Object.entries(PACKAGES))
      symlinkSync(join(root, dir), join(root, 'node_modules', name));
    return findForbiddenImports(root);
  });
};

describe('the check of imports', () => {
  it('accepts the directions of the house', async () => {
    expect(
      await check({
        'packages/kit/src/index.ts': `import { a } from '@backlot/core';\nimport type { Inner } from './inner.js';\nexport const b: Inner = { a };\n`,
        'packages/protocols/http/src/index.ts': `export { b } from '@backlot/kit';\nexport { a } from '@backlot/core';\n`,
        'apps/backlot/src/index.ts': `export const load = () => import('@backlot/http');\nexport { a } from '@backlot/management';\n`,
      }),
    ).toEqual([]);
  });

  it.each([
    ['core', 'packages/core/src/index.ts', '@backlot/kit'],
    ['kit', 'packages/kit/src/index.ts', '@backlot/http'],
    ['management', 'packages/management/src/index.ts', '@backlot/kit'],
    ['a protocol', 'packages/protocols/http/src/index.ts', '@backlot/management'],
    ['a protocol, sideways,', 'packages/protocols/http/src/index.ts', '@backlot/tcp'],
    ['a protocol, by a type,', 'packages/protocols/http/src/index.ts', 'backlot'],
  ])('finds that %s imports in the wrong direction', async (_who, file, from) => {
    const problems = await check({
      [file]: `import type * as other from '${from}';\nexport type Other = typeof other;\n`,
    });
    expect(problems).not.toEqual([]);
    expect(problems[0]).toContain(`${file} -> `);
  });

  it('finds a deep import', async () => {
    const text = `import type { Inner } from '../../core/src/inner.js';\nexport type A = Inner;\n`;
    const problems = await check({ 'packages/kit/src/index.ts': text });
    expect(problems).toEqual([
      expect.stringContaining('by its entry points only'),
      expect.stringContaining('by its name'),
    ]);
  });

  it('finds a relative import of an entry point', async () => {
    const text = `export { a } from '../../core/src/index.js';\n`;
    expect(await check({ 'packages/kit/src/index.ts': text })).toEqual([
      expect.stringContaining('by its name'),
    ]);
  });

  it('finds a cycle', async () => {
    const problems = await check({
      'packages/core/src/one.ts': `import { two } from './two.js';\nexport const one = () => two;\n`,
      'packages/core/src/two.ts': `import { one } from './one.js';\nexport const two = () => one;\n`,
    });
    expect(problems).toEqual([expect.stringContaining('in one direction')]);
  });

  it('lets types refer to each other', async () => {
    const problems = await check({
      'packages/core/src/one.ts': `import type { Two } from './two.js';\nexport interface One { two: Two }\n`,
      'packages/core/src/two.ts': `import type { One } from './one.js';\nexport interface Two { one: One }\n`,
    });
    expect(problems).toEqual([]);
  });

  it('finds an import that does not resolve', async () => {
    expect(await check({ 'packages/kit/src/index.ts': `export { x } from './nowhere.js';\n` })).not.toEqual(
      [],
    );
  });
});
