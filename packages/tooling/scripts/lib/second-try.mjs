import { clearCounts, readCounts } from '../../presets/results.mjs';
import { run } from './run.mjs';
import { readManifest } from './workspace.mjs';

/**
 * @typedef {object} Tested the tests of one package
 * @property {string} dir its folder
 * @property {keyof typeof import('../../presets/results.mjs').RESULTS} task the script that runs them
 * @property {string} name what they are called in the report
 */

/**
 * @typedef {Tested & { counts: import('../../presets/results.mjs').Counts }} Failed tests of which some have failed
 */

/** With more files than this that have failed, nothing was bad luck. */
const MOST_FILES = 10;

/**
 * Tells tests that fail from those that fail beside forty other suites on a busy machine alone: what failed runs
 * once more with nothing beside it, a test by its name, and a file that has failed as a whole from its beginning.
 *
 * @param {readonly Failed[]} failed
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Map<Failed, import('../../presets/results.mjs').Failure[]>>} what has passed by itself; nothing where
 *   a failure is not of a file, or too many have failed
 */
export async function tryAgain(failed, env) {
  const files = failed.map(({ counts }) => [...new Set((counts.failures ?? []).map(({ file }) => file))]);
  const passed = new Map();
  if (files.flat().length > MOST_FILES) return passed;
  for (const [index, one] of failed.entries()) {
    const { failures = [], failed: count } = one.counts;
    const own = files[index] ?? [];
    if (own.includes('') || failures.length !== count) continue;
    const script = readManifest(one.dir).scripts?.[one.task]?.split(' ') ?? [];
    const names = failures.some(({ isWhole }) => isWhole) ? [] : ['-t', patternOf(failures)];
    // Not by `pnpm run`, whose shell would read the names.
    const args = ['exec', ...script, ...names, '--runTestsByPath', ...own];
    clearCounts(one.dir, one.task);
    await run('pnpm', args, { cwd: one.dir, env, capture: true });
    const second = readCounts(one.dir, one.task);
    // A run that did not get to its end, or has not found all tests by their names, says nothing of them.
    if (second === undefined || second.passed + second.failed < failures.length) continue;
    const again = new Set((second.failures ?? failures).map(keyOf));
    passed.set(
      one,
      failures.filter((failure) => !again.has(keyOf(failure))),
    );
  }
  return passed;
}

/** What fits the names of these tests alone. @param {readonly import('../../presets/results.mjs').Failure[]} failures */
function patternOf(failures) {
  const names = failures.map(({ name }) => name.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
  return `^(${names.join('|')})$`;
}

/** @param {import('../../presets/results.mjs').Failure} failure */
function keyOf({ file, name }) {
  return `${file}\n${name}`;
}
