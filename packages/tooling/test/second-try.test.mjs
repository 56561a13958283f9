import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tryAgain } from '../scripts/lib/second-try.mjs';
import { withTree } from './tree.mjs';

const steady = { file: 'test/a.test.ts', name: 'adds 1 + 1', reason: 'expected 2' };
const unsteady = { file: 'test/b.test.ts', name: 'waits for $5', reason: 'expected 3' };

/**
 * A package with a program of its own in the place of the tests, which writes down what it was asked for.
 *
 * @param {object[] | undefined} second the failures it leaves when it runs; without them it ends before that
 */
const packageWhere = (second) => ({
  'package.json': { name: 'pets', scripts: { test: 'node test.mjs --config some' } },
  'test.mjs': `
    import { writeFileSync } from 'node:fs';
    writeFileSync('asked.json', JSON.stringify(process.argv.slice(2)));
    const failures = ${JSON.stringify(second) ?? 'process.exit(3)'};
    writeFileSync('test-results.json', JSON.stringify({ passed: 1, failed: failures.length, skipped: 0, failures }));
  `,
});

/** @param {string} dir @returns {unknown} the arguments of the second run */
const askedOf = (dir) => JSON.parse(readFileSync(join(dir, 'asked.json'), 'utf8'));

/**
 * @param {string} dir
 * @param {import('../presets/results.mjs').Failure[]} failures
 * @param {number} [failed]
 */
const suite = (dir, failures, failed = failures.length) => ({
  ...{ dir, task: /** @type {const} */ ('test'), name: 'pets' },
  counts: { passed: 1, failed, skipped: 0, failures },
});

it('what passes when its file runs alone is told from what fails again', async () => {
  await withTree(packageWhere([steady]), async (dir) => {
    const one = suite(dir, [steady, unsteady]);
    expect([...(await tryAgain([one], process.env))]).toEqual([[one, [unsteady]]]);
    const pattern = '^(adds 1 \\+ 1|waits for \\$5)$';
    const files = ['--runTestsByPath', 'test/a.test.ts', 'test/b.test.ts'];
    expect(askedOf(dir)).toEqual(['--config', 'some', '-t', pattern, ...files]);
  });
});

it('a file that has failed as a whole runs as a whole', async () => {
  await withTree(packageWhere([]), async (dir) => {
    const noise = { ...unsteady, name: 'writes to the console', isWhole: /** @type {const} */ (true) };
    const one = suite(dir, [noise]);
    expect([...(await tryAgain([one], process.env))]).toEqual([[one, [noise]]]);
    expect(askedOf(dir)).toEqual(['--config', 'some', '--runTestsByPath', 'test/b.test.ts']);
  });
});

it('a run that does not get to its end lets nothing pass', async () => {
  await withTree(packageWhere(undefined), async (dir) => {
    const one = suite(dir, [unsteady]);
    expect([...(await tryAgain([one], process.env))]).toEqual([]);
  });
});

it('tests that are not found by their names have not passed', async () => {
  await withTree(packageWhere([]), async (dir) => {
    const one = suite(dir, [steady, unsteady]);
    expect([...(await tryAgain([one], process.env))]).toEqual([]);
  });
});

it('nothing runs again when a failure is of no file, is not named, or many files have failed', async () => {
  await withTree(packageWhere([]), async (dir) => {
    const open = suite(dir, [unsteady, { file: '', name: 'still open', reason: 'TCPSocketWrap' }]);
    const unnamed = suite(dir, [unsteady], 2);
    const many = suite(
      dir,
      Array.from({ length: 11 }, (_, index) => ({ ...unsteady, file: `test/${index}.test.ts` })),
    );
    for (const one of [open, unnamed, many]) expect([...(await tryAgain([one], process.env))]).toEqual([]);
  });
});
