import { describe, expect, it } from '@jest/globals';
import { findProtocolNames } from '../checks/protocol-names.mjs';
import { withTree } from './tree.mjs';

/**
 * @param {string} line a line of core's sources
 * @param {import('../checks/protocol-names.mjs').Allowed[]} [allowed]
 */
const check = (line, allowed = []) =>
  withTree(
    {
      'packages/core/src/deep/a.ts': `export const before = 1;\n${line}\n`,
      'packages/protocols/gopher/package.json': { name: '@backlot/gopher' },
      'packages/protocols/gopher/src/index.ts': `export const gopher = { kind: 'gopher' };\n`,
    },
    (root) => findProtocolNames(root, allowed),
  );

describe('the check for protocol names', () => {
  it.each([
    [`export const kind = 'redis';`, 'redis'],
    ['export const path = `/api/smtp/${name}`;', 'smtp'],
    [`export const ports = { dns: 5353 };`, 'dns'],
    [`export const kind = "gopher";`, 'gopher'],
    [`export const type = 'http';`, 'http'],
    [`export const text = 'the smtp server';`, 'smtp'],
  ])('finds the name in %s', async (line, kind) => {
    const [problem, ...more] = await check(line);
    expect(problem).toContain(`packages/core/src/deep/a.ts:2: names the protocol "${kind}"`);
    expect(more).toEqual([]);
  });

  it.each([
    `import { lookup } from 'node:dns';`,
    `export const link = 'http://example.com/';`,
    `// redis keeps its keys`,
    `export const text = 'an HTTP status';`,
    `export const scoped = 'httpish';`,
    `export const text = 'must be an absolute http or https url';`,
  ])('has nothing against %s', async (line) => {
    expect(await check(line)).toEqual([]);
  });

  it('looks at the elements of the page too', async () => {
    const problems = await withTree(
      { 'packages/ui/web/views/a.tsx': `export const A = () => <p title="x" class="redis">{'text'}</p>;\n` },
      (root) => findProtocolNames(root, []),
    );
    expect(problems).toEqual([
      expect.stringContaining('packages/ui/web/views/a.tsx:1: names the protocol "redis"'),
    ]);
  });

  it('tells the line of a name inside a long text', async () => {
    const [problem] = await check('export const page = `\n${1}\n  smtp\n`;');
    expect(problem).toContain(
      'a.ts:4: names the protocol "smtp"; derive it from the plugin\'s declaration: smtp',
    );
  });

  it('accepts a line that is allowed, and no other', async () => {
    const allowed = {
      path: 'packages/core/src/deep/a.ts',
      line: `export const type = 'http';`,
      reason: 'a scheme',
    };
    expect(await check(`  export const type = 'http';`, [allowed])).toEqual([]);
    expect(await check(`export const other = 'http';`, [allowed])).toHaveLength(2);
  });

  it('says when an allowed line is gone', async () => {
    const allowed = {
      path: 'packages/core/src/deep/a.ts',
      line: `export const gone = 'http';`,
      reason: 'a scheme',
    };
    expect(await check('', [allowed])).toEqual([expect.stringContaining('remove it')]);
  });
});
