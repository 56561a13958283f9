import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listProtocolSources } from './protocol-sources.mjs';

/** So many lines in a row may be the same in two packages. */
export const MAX_RUN = 12;

/**
 * Looks for runs of lines that the sources of two protocols share: what two need belongs to core or the kit. Comments,
 * imports, empty lines and indentation do not count.
 *
 * @param {string} root
 * @returns {string[]} one sentence per run
 */
export function findSharedRuns(root) {
  const sources = listProtocolSources(root).map(({ path, owner }) => ({
    path,
    owner,
    lines: readLines(readFileSync(join(root, path), 'utf8')),
  }));
  /** @type {Map<string, { source: typeof sources[number], at: number }>} */
  const windows = new Map();
  /** @type {string[]} */
  const problems = [];
  for (const source of sources) {
    // The end of the run that was told last: a longer one is told once.
    let toldUntil = -1;
    for (let at = 0; at + MAX_RUN < source.lines.length; at += 1) {
      const key = source.lines
        .slice(at, at + MAX_RUN + 1)
        .map(({ text }) => text)
        .join('\n');
      const known = windows.get(key);
      if (known === undefined) windows.set(key, { source, at });
      else if (known.source.owner !== source.owner) {
        if (at > toldUntil) {
          const there = known.source.lines[known.at]?.number;
          problems.push(
            `${source.path}:${source.lines[at]?.number} shares more than ${MAX_RUN} lines with ${known.source.path}:${there}; ` +
              'what two protocols need belongs to core or the kit',
          );
        }
        toldUntil = at + MAX_RUN;
      }
    }
  }
  return problems;
}

/**
 * @param {string} text
 * @returns {{ text: string, number: number }[]} the lines that count, with their numbers in the file
 */
function readLines(text) {
  const code = text
    .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ''))
    .replaceAll(/^import[\s\S]*?;$/gm, (statement) => statement.replaceAll(/[^\n]/g, ''));
  return code
    .split(/\r?\n/)
    .map((line, index) => ({ text: line.replace(/^\s*\/\/.*/, '').trim(), number: index + 1 }))
    .filter((line) => line.text !== '');
}
