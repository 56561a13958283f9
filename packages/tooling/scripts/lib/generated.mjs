import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * @param {string} root
 * @param {readonly import('../../generate/index.mjs').Generator[]} generators
 * @returns {Promise<Record<string, string>>} every generated file that is missing or differs, with its right content
 */
export async function findStale(root, generators) {
  /** @type {Record<string, string>} */
  const stale = {};
  for (const generate of generators) {
    for (const [path, content] of Object.entries(await generate(root))) {
      const file = join(root, path);
      if (!existsSync(file) || readFileSync(file, 'utf8') !== content) stale[path] = content;
    }
  }
  return stale;
}

/**
 * @param {string} root
 * @param {Record<string, string>} files
 */
export function writeFiles(root, files) {
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}
