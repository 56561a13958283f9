import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join, posix, sep } from 'node:path';

/** What a browser would ask for without being told to: a link that a reader follows is not among it. */
const LOADED = new Set(['link', 'script', 'img', 'source', 'iframe', 'video', 'audio', 'object', 'embed']);

/**
 * What is wrong with a built site: links, anchors and images that lead nowhere, and whatever would be loaded from elsewhere.
 *
 * @param {string} folder where the site was built
 * @returns {readonly string[]} a line for each, with the page; none for a site that is whole
 */
export function findSiteProblems(folder) {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(sep).join('/'))
    .filter((name) => name.endsWith('.html'));
  const texts = new Map(pages.map((page) => [page, readFileSync(join(folder, page), 'utf8')]));
  const anchors = new Map([...texts].map(([page, text]) => [page, anchorsOf(text)]));
  return pages.flatMap((page) => [
    ...referencesOf(texts.get(page) ?? '').flatMap(({ element, target }) => {
      if (/^(?:[a-z]+:|\/\/)/.test(target)) {
        const isLoaded = LOADED.has(element) && !target.startsWith('data:');
        return isLoaded ? [`${page}: <${element}> loads ${target}`] : [];
      }
      const problem = findProblem(page, target, folder, anchors);
      return problem === undefined ? [] : [`${page}: ${target} ${problem}`];
    }),
  ]);
}

/**
 * @param {string} page
 * @param {string} target
 * @param {string} folder
 * @param {ReadonlyMap<string, ReadonlySet<string>>} anchors
 */
function findProblem(page, target, folder, anchors) {
  const [path = '', anchor] = decodeURI(target).split('#');
  const joined =
    path === '' ? page : path.startsWith('/') ? path.slice(1) : posix.join(posix.dirname(page), path);
  const file = joined === '' || joined.endsWith('/') ? `${joined}index.html` : joined;
  if (!existsSync(join(folder, file)) || !statSync(join(folder, file)).isFile()) return 'is not there';
  if (anchor === undefined || anchor === '' || anchors.get(file)?.has(anchor) === true) return undefined;
  return 'has no such heading';
}

/** @param {string} text */
function referencesOf(text) {
  return [...text.matchAll(/<([a-z]+)\b[^>]*? (?:href|src)="([^"]*)"/g)].map(
    ([, element = '', target = '']) => ({
      element,
      target: target.replaceAll('&amp;', '&'),
    }),
  );
}

/** @param {string} text */
function anchorsOf(text) {
  return new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id));
}
