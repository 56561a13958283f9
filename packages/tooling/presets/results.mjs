import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/**
 * How the tests of one package ended. The jest preset writes them to a file that turbo keeps with the result of the
 * task, so that a run that comes from the cache counts too.
 *
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {number} [seconds] from the start of the first test to the end of the last
 * @property {number} [worked] seconds of processor until then, of the tests and of what they have started
 * @property {Failure[]} [failures] what has failed
 * @property {FileTime[]} [files] what each file has used
 */

/**
 * What a test file has used.
 *
 * @typedef {object} FileTime
 * @property {string} file from the folder of the package
 * @property {number} worked seconds of processor, of the tests and of what they have started and that has ended
 */

/**
 * A test that failed.
 *
 * @typedef {object} Failure
 * @property {string} file its file, from the folder of the package; empty when it is not of one file
 * @property {string} name its whole name, or what is wrong with the file
 * @property {string} reason the beginning of its message, in one line
 * @property {true} [isWhole] it is not one test that has failed
 */

/** What the results of a task are called, in the folder of its package. */
export const RESULTS = {
  test: 'test-results.json',
  'test:docs': 'docs-results.json',
  smoke: 'smoke-results.json',
};

/**
 * @param {string} dir the package
 * @param {Counts} counts
 * @param {keyof typeof RESULTS} task
 */
export function writeCounts(dir, counts, task) {
  writeFileSync(join(dir, RESULTS[task]), `${JSON.stringify(counts)}\n`);
}

/**
 * @param {string} dir
 * @param {keyof typeof RESULTS} task
 * @returns {Counts | undefined} `undefined` when the package has not been tested
 */
export function readCounts(dir, task) {
  try {
    return JSON.parse(readFileSync(join(dir, RESULTS[task]), 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * @param {string} dir
 * @param {keyof typeof RESULTS} task
 */
export function clearCounts(dir, task) {
  rmSync(join(dir, RESULTS[task]), { force: true });
}

/** How much of a message is told again in the list of what failed. */
const REASON_CHARACTERS = 300;

/**
 * @param {string} message of a failure, with the colours of a terminal
 * @returns {string} its beginning in one line
 */
export function formatReason(message) {
  return stripVTControlCharacters(message).replaceAll(/\s+/g, ' ').trim().slice(0, REASON_CHARACTERS);
}

/**
 * @param {Counts} counts
 * @returns {string} how long they took: `63 s, 41 s of processor`; nothing where that is not known
 */
export function formatTimes({ seconds, worked }) {
  if (seconds === undefined || worked === undefined) return '';
  return `${Math.round(seconds)} s, ${Math.round(worked)} s of processor`;
}

/**
 * @param {readonly FileTime[]} files
 * @returns {string} a line for each, the costliest first
 */
export function formatFileTimes(files) {
  return files
    .toSorted((a, b) => b.worked - a.worked)
    .map(({ file, worked }) => `${worked.toFixed(1).padStart(6)} s of processor  ${file}`)
    .join('\n');
}

/**
 * @param {Counts} counts
 * @returns {string} the line that ends a run: `3 passed, 0 failed, 1 skipped`
 */
export function formatCounts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
