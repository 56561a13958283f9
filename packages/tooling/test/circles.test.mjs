import { describe, expect, it } from '@jest/globals';
import { findCircles } from '../checks/circles.mjs';
import { withTree } from './tree.mjs';

const SRC = 'packages/protocols/nats/src';

/**
 * Checks the sources of one package.
 *
 * @param {Record<string, string>} files by their paths in `src`
 * @param {string} [src]
 */
const check = (files, src = SRC) =>
  withTree(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`${src}/${path}`, text])),
    findCircles,
  );

describe('the check for circles', () => {
  it('finds one through folders, and prints the way round', async () => {
    expect(
      await check({
        'session.ts': `import { TABLE } from './commands/table.js';\n`,
        'commands/table.ts': `import {\n  a,\n  b,\n} from './fetch.js';\nimport { own } from '../other.js';\n`,
        'commands/fetch.ts': `import { Session } from '../session.js';\n`,
        'other.ts': `export const own = 1;\n`,
      }),
    ).toEqual([
      `${SRC}/commands/fetch.ts -> ${SRC}/session.ts -> ${SRC}/commands/table.ts -> ${SRC}/commands/fetch.ts: ` +
        '3 files import each other, types included; ' +
        'give what they share, such as an interface that one of them implements, a file of its own',
    ]);
  });

  it.each([
    ['types', `import type { A } from './a.js';`],
    ['types beside values', `import { b, type A } from './a.js';`],
    ['names that are passed on', `export type { A } from './a.js';`],
    ['stars', `export * as a from './a.js';`],
    ['files that are loaded later', `export const load = () => import('./a.js');`],
    ['types that are named in place', `export type Other = import('./a.js').A;`],
    ['effects', `import './a.js';`],
    ['double quotes', `import { A } from "./a.js";`],
  ])('sees imports of %s', async (_, text) => {
    const files = { 'a.ts': `import './b.js';\n`, 'b.ts': `import './c.js';\n`, 'c.ts': `${text}\n` };
    expect(await check(files)).toHaveLength(1);
    expect(await check(files, 'apps/backlot/src')).toHaveLength(1);
  });

  it('prints the shortest way round of many files, once', async () => {
    const files = {
      'a.ts': `import './b.js';\n`,
      'b.ts': `import './c.js';\n`,
      'c.ts': `import './d.js';\n`,
      'd.ts': `import './a.js';\nimport './b.js';\n`,
    };
    expect(await check(files)).toEqual([
      expect.stringMatching(/^\S+\/b\.ts -> \S+\/c\.ts -> \S+\/d\.ts -> \S+\/b\.ts: 3 files /),
    ]);
  });

  it('tells of each circle', async () => {
    const circle = (/** @type {string} */ name) => ({
      [`${name}/a.ts`]: `import './b.js';\n`,
      [`${name}/b.ts`]: `import './c.js';\n`,
      [`${name}/c.ts`]: `import './a.js';\n`,
    });
    expect(await check({ ...circle('one'), ...circle('two') })).toHaveLength(2);
  });

  it.each([
    ['two files', { 'a.ts': `import './b.js';\n`, 'b.ts': `import './a.js';\n` }],
    [
      'a class with two elements',
      {
        'a.ts': `import './b.js';\nimport './c.js';\n`,
        'b.ts': `import './a.js';\n`,
        'c.ts': `import './a.js';\n`,
      },
    ],
    [
      'two ways to one file',
      {
        'a.ts': `import './b.js';\nimport './c.js';\n`,
        'b.ts': `import './d.js';\n`,
        'c.ts': `import './d.js';\n`,
        'd.ts': '',
      },
    ],
    [
      'what a comment shows',
      {
        'a.ts': `import './b.js';\n`,
        'b.ts': `import './c.js';\n`,
        'c.ts': `/** \`import './a.js'\` */\n// import './a.js';\n`,
      },
    ],
    [
      'packages and files that are not there',
      { 'a.ts': `import './b.js';\n`, 'b.ts': `import 'c';\nimport './d.js';\n` },
    ],
  ])('has nothing against %s', async (_, files) => {
    expect(await check(files)).toEqual([]);
  });

  it('looks at sources alone', async () => {
    const files = {
      'a.ts': `import './b.js';\n`,
      'b.ts': `import './c.js';\n`,
      'c.ts': `import './a.js';\n`,
    };
    expect(await check(files, 'packages/kit/test')).toEqual([]);
    expect(await check(files, 'packages/kit/dist/src')).toEqual([]);
    expect(await check(files, 'packages/kit/src')).toHaveLength(1);
  });
});
