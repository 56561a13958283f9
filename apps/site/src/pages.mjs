import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top of the repository, without a slash at its end. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[\\/]$/, '');

/** Whole names, by the path of the source from the top of the repository. */
const NAMED = new Map([
  ['apps/site/home.md', 'index.md'],
  ['README.md', 'overview.md'],
  ['docs/README.md', 'contents.md'],
]);

/**
 * Where a page of the repository stands in the site.
 *
 * @param {string} source its path from the top of the repository, with `/`
 * @returns {string} a path ending with `.md`
 */
export function pageOf(source) {
  const named = NAMED.get(source);
  if (named !== undefined) return named;
  const path = source.replace(/^docs\//, '').replace(/^examples\/([^/]+)\/README\.md$/, 'examples/$1.md');
  return path
    .replace(/(^|\/)README\.md$/, '$1index.md')
    .replace(/^[A-Z_]+\.md$/, (name) => name.toLowerCase());
}

/**
 * Whether a file of the repository is a page of the site.
 *
 * @param {string} source its path from the top of the repository, with `/`
 */
export function isPage(source) {
  const isOne = NAMED.has(source) || /^(?:docs\/.+|[A-Z_]+|examples\/[^/]+\/README)\.md$/.test(source);
  return isOne && existsSync(join(ROOT, source));
}

/**
 * Whether a file of the repository is a JSON document that the site has for download.
 *
 * @param {string} source its path from the top of the repository, with `/`
 */
export function isDocument(source) {
  return /^docs\/.+\.json$/.test(source) && existsSync(join(ROOT, source));
}
