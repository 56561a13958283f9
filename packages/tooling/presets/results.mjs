import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * How the tests of one package ended. The jest preset writes them to a file that turbo keeps with the result of the
 * task, so that a run that comes from the cache counts too.
 *
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 */

const FILE = 'test-results.json';

/**
 * @param {string} dir the package
 * @param {Counts} counts
 */
export function writeCounts(dir, counts) {
  writeFileSync(join(dir, FILE), `${JSON.stringify(counts)}\n`);
}

/**
 * @param {string} dir
 * @returns {Counts | undefined} `undefined` when the package has not been tested
 */
export function readCounts(dir) {
  try {
    return JSON.parse(readFileSync(join(dir, FILE), 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {string} dir */
export function clearCounts(dir) {
  rmSync(join(dir, FILE), { force: true });
}

/**
 * @param {Counts} counts
 * @returns {string} the line that ends a run: `3 passed, 0 failed, 1 skipped`
 */
export function formatCounts({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
