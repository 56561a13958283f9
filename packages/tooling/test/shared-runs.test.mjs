import { describe, expect, it } from '@jest/globals';
import { MAX_RUN, findSharedRuns } from '../checks/shared-runs.mjs';
import { withTree } from './tree.mjs';

/** @param {number} count @param {string} [prefix] */
const lines = (count, prefix = 'line') =>
  Array.from({ length: count }, (_, index) => `const ${prefix}${index} = ${index};`).join('\n');

const imports = `import {\n${lines(40).replaceAll(/const (\w+) = \d+;/g, '$1,')}\n} from 'a';`;

/** @param {string} one @param {string} two @param {string} [owner] whose the second file is */
const check = (one, two, owner = 'redis') =>
  withTree(
    {
      'packages/protocols/nats/src/deep/one.ts': one,
      [`packages/protocols/${owner}/src/two.ts`]: two,
      'packages/protocols/redis/test/two.test.ts': one,
    },
    findSharedRuns,
  );

describe('the check for shared runs', () => {
  it('finds a run of lines in two packages, and tells of it once', async () => {
    const run = lines(MAX_RUN + 5);
    expect(await check(`${lines(3, 'own')}\n${run}`, run)).toEqual([
      `packages/protocols/redis/src/two.ts:1 shares more than ${MAX_RUN} lines with packages/protocols/nats/src/deep/one.ts:4; what two protocols need belongs to core or the kit`,
    ]);
  });

  it('looks past comments, indentation and empty lines', async () => {
    const run = lines(MAX_RUN + 1);
    const other = `/** Other words. */\n${run.replaceAll('\n', '\n\n  // why\n  ')}`;
    expect(await check(run, other)).toHaveLength(1);
  });

  it.each([
    ['a run that is short enough', lines(MAX_RUN), lines(MAX_RUN), 'redis'],
    ['lines of one package', lines(40), lines(40), 'nats'],
    ['imports', imports, imports, 'redis'],
    ['other lines', lines(40), lines(40, 'other'), 'redis'],
  ])('has nothing against %s', async (_, one, two, owner) => {
    expect(await check(one, two, owner)).toEqual([]);
  });
});
