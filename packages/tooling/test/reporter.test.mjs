import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import ShortReporter from '../presets/jest-reporter.mjs';
import { formatTimes, readCounts } from '../presets/results.mjs';
import { workedTime } from '../presets/standstill.mjs';
import { withTree } from './tree.mjs';

/** @type {string} */
let printed = '';
/** @type {import('../presets/results.mjs').Counts | undefined} */
let counts;
beforeEach(() => {
  printed = '';
  jest.useFakeTimers();
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

/**
 * A run of two tests, of which one was left out.
 *
 * @param {object} config how jest was called
 * @returns {Promise<{ timers: number, wrote: boolean }>}
 */
function report(config) {
  return withTree({}, (rootDir) => {
    const reporter = new ShortReporter(/** @type {any} */ ({ rootDir, ...config }));
    const testResults = [
      { status: 'passed', fullName: 'a cat purrs' },
      { status: 'pending', fullName: 'a dog barks' },
    ];
    reporter.onTestResult(
      /** @type {any} */ ({ path: join(rootDir, 'pets.test.ts') }),
      /** @type {any} */ ({ testResults }),
    );
    const sums = {
      numPassedTests: 1,
      numFailedTests: 0,
      numRuntimeErrorTestSuites: 0,
      numPendingTests: 1,
      numTodoTests: 0,
    };
    reporter.onRunComplete(undefined, /** @type {any} */ ({ ...sums, startTime: Date.now() }));
    counts = readCounts(rootDir, 'test');
    return { timers: jest.getTimerCount(), wrote: counts !== undefined };
  });
}

it('a whole run names what was skipped, and looks for what is still open', async () => {
  expect(await report({})).toEqual({ timers: 1, wrote: true });
  expect(printed).toMatch(
    /^skipped: a dog barks \(pets\.test\.ts\)\n1 passed, 0 failed, 1 skipped \(.* s\)\n$/,
  );
});

it('a whole run tells how long it took, by the clock and of processor', async () => {
  const before = workedTime();
  execFileSync(process.execPath, ['-e', 'while (process.cpuUsage().user < 300_000);']);
  // What has ended counts as well, where the system tells.
  if (existsSync('/proc/self/stat')) expect(workedTime() - before).toBeGreaterThanOrEqual(290);
  await report({});
  expect(counts?.seconds).toBeGreaterThanOrEqual(0);
  expect(counts?.worked).toBeGreaterThanOrEqual(before / 1000);
  const base = { passed: 1, failed: 0, skipped: 0 };
  expect(formatTimes({ ...base, seconds: 62.7, worked: 41.2 })).toBe('63 s, 41 s of processor');
  // Of a suite that does not say.
  expect(formatTimes(base)).toBe('');
});

it('what failed is kept by its file, its name and the beginning of its message', async () => {
  await withTree({}, (rootDir) => {
    const reporter = new ShortReporter(/** @type {any} */ ({ rootDir }));
    const failure = {
      status: 'failed',
      fullName: 'a cat barks',
      failureMessages: ['\u001b[31mexpected\n  purr\u001b[39m'],
    };
    reporter.onTestResult(
      /** @type {any} */ ({ path: join(rootDir, 'pets.test.ts') }),
      /** @type {any} */ ({ testResults: [failure], console: [{ type: 'log', message: 'meow' }] }),
    );
    reporter.onTestResult(
      /** @type {any} */ ({ path: join(rootDir, 'dogs.test.ts') }),
      /** @type {any} */ ({ testResults: [], testExecError: {}, failureMessage: 'no such module' }),
    );
    const sums = {
      numPassedTests: 0,
      numFailedTests: 1,
      numRuntimeErrorTestSuites: 1,
      numPendingTests: 0,
      numTodoTests: 0,
    };
    reporter.onRunComplete(undefined, /** @type {any} */ ({ ...sums, startTime: Date.now() }));
    expect(readCounts(rootDir, 'test')).toMatchObject({
      failed: 3,
      failures: [
        { file: 'pets.test.ts', name: 'a cat barks', reason: 'expected purr' },
        { file: 'pets.test.ts', name: 'writes to the console', reason: 'console.log: meow' },
        { file: 'dogs.test.ts', name: 'cannot run', reason: 'no such module' },
      ],
    });
  });
});

it('a run of some tests names those that ran, and no others', async () => {
  await report({ testNamePattern: 'cat' });
  expect(printed).toMatch(/^ok    a cat purrs \(pets\.test\.ts\)\n1 passed, 0 failed \(.* s\)\n$/);
});

it.each([{ watch: true }, { watchAll: true }])(
  'a run with %j goes on, and changes no file',
  async (config) => {
    expect(await report(config)).toEqual({ timers: 0, wrote: false });
  },
);
