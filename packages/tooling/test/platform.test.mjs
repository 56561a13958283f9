import { describe, expect, it } from '@jest/globals';
import { findPlatformAssumptions } from '../checks/platform.mjs';
import { withTree } from './tree.mjs';

/** @param {string} line @param {Readonly<Record<string, Readonly<Record<string, string>>>>} [allowed] */
const check = (line, allowed = {}) =>
  withTree(
    {
      'packages/a/src/one.ts': `const before = 1;\n${line}\n`,
      'apps/b/test/x.ts': line,
      'examples/c.md': line,
    },
    (root) => findPlatformAssumptions(root, allowed),
  );

describe('the check for what holds on POSIX systems alone', () => {
  it.each([
    ['temporary folder', "const file = '/tmp/a';"],
    ['path of a url', "const here = new URL('x', import.meta.url).pathname;"],
    ['system file', "openSync('/dev/stdin', 'r');"],
    ['user id', 'if (process.getuid() === 0) return;'],
    ['signal', "process.on('SIGUSR2', read);"],
    ['signal', "process.kill(-child.pid, 'SIGTERM');"],
    ['socket', "server.listen('a.sock');"],
    ['batch file', "spawn('npm', ['ci']);"],
    ['permissions', 'chmodSync(file, 0o600);'],
    ['line ends', "const lines = text.split('\\n');"],
    ['home folder', 'const home = process.env.HOME;'],
  ])('finds a %s', async (rule, line) => {
    const [found, ...others] = await check(line);
    expect(others).toEqual([]);
    expect(found).toMatch(new RegExp(`^packages/a/src/one\\.ts:2 ${rule}: `));
    const reason = { 'packages/a/src/one.ts': { [rule]: 'There is a branch.' } };
    expect(await check(line, reason)).toEqual([]);
    expect(await check('', reason)).toEqual([
      `packages/a/src/one.ts has no "${rule}" any more that a reason is given for`,
    ]);
  });

  it.each([
    '// as /tmp/a, process.getuid and SIGHUP',
    '/** `new URL(x, import.meta.url).pathname` */',
    "const parts = path.split('/');",
    "const url = new URL('/a b', base).pathname;",
    'const lines = text.split(/\\r?\\n/);',
    "child.kill('SIGTERM');",
  ])('leaves %s alone', async (line) => {
    expect(await check(line)).toEqual([]);
  });
});
