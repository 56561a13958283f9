import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, posix, sep } from 'node:path';

/** So many files may import each other: a class and its element. */
const MAX_FILES = 2;

/**
 * Looks for files of one package that import each other in a circle of more than two; types count as well, for who wants to
 * understand one of the files has to read all of them.
 *
 * @param {string} root
 * @returns {string[]} one sentence per group of files, with a way round
 */
export function findCircles(root) {
  return ['packages', 'apps'].flatMap((folder) => {
    const graph = readGraph(root, folder);
    return findGroups(graph).flatMap((group) => {
      const circle = findCircle(graph, group);
      if (circle === undefined) return [];
      const way = [...circle, ...circle.slice(0, 1)].join(' -> ');
      return [
        `${way}: ${circle.length} files import each other, types included; ` +
          'give what they share, such as an interface that one of them implements, a file of its own',
      ];
    });
  });
}

/** @typedef {Map<string, string[]>} Graph the files that each file imports, by paths from the root */

/**
 * @param {string} root
 * @param {string} folder
 * @returns {Graph}
 */
function readGraph(root, folder) {
  const paths = listSources(root, folder);
  const known = new Set(paths);
  return new Map(
    paths.map((path) => {
      const imports = readImports(readFileSync(join(root, path), 'utf8')).map((specifier) =>
        posix.join(dirname(path), specifier).replace(/\.js$/, '.ts'),
      );
      return [path, [...new Set(imports)].filter((target) => target !== path && known.has(target))];
    }),
  );
}

/**
 * @param {string} root
 * @param {string} folder
 * @returns {string[]} the TypeScript files below a `src`, in order
 */
function listSources(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  /** @type {string[]} */
  const found = [];
  const waiting = [folder];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
      const inner = `${path}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!['node_modules', 'dist', '.declarations', 'coverage'].includes(entry.name)) waiting.push(inner);
      } else if (entry.name.endsWith('.ts') && inner.includes('/src/')) found.push(inner);
    }
  }
  return found.map((path) => path.split(sep).join('/')).sort();
}

/**
 * @param {string} text
 * @returns {string[]} what a file imports from files beside it: values and types, with `export ... from` and `import()`
 */
function readImports(text) {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*/gm, '');
  const found = code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*(['"])(\.{1,2}\/[^'"\n]+)\1/g);
  return [...found].map(([, , specifier = '']) => specifier);
}

/**
 * The groups of files of which each leads to each other (Tarjan's strongly connected components).
 *
 * @param {Graph} graph
 * @returns {string[][]} those of more than {@link MAX_FILES}
 */
function findGroups(graph) {
  /** @type {Map<string, { order: number, low: number, isOpen: boolean }>} */
  const seen = new Map();
  /** @type {string[]} */
  const open = [];
  /** @type {string[][]} */
  const groups = [];

  /** @param {string} path */
  const visit = (path) => {
    const own = { order: seen.size, low: seen.size, isOpen: true };
    seen.set(path, own);
    open.push(path);
    for (const target of graph.get(path) ?? []) {
      const other = seen.get(target) ?? visit(target);
      if (other.isOpen) own.low = Math.min(own.low, other.low);
    }
    if (own.low !== own.order) return own;
    const group = open.splice(open.indexOf(path));
    for (const each of group) {
      const state = seen.get(each);
      if (state !== undefined) state.isOpen = false;
    }
    if (group.length > MAX_FILES) groups.push(group.sort());
    return own;
  };

  for (const path of graph.keys()) if (!seen.has(path)) visit(path);
  return groups;
}

/**
 * The shortest circle of a group that is too long. There is none when its files are but pairs that share a file.
 *
 * @param {Graph} graph
 * @param {string[]} group
 * @returns {string[] | undefined}
 */
function findCircle(graph, group) {
  const members = new Set(group);
  /** @type {string[] | undefined} */
  let shortest;
  for (const start of group) {
    for (const second of graph.get(start) ?? []) {
      if (!members.has(second)) continue;
      const way = findWay(graph, members, second, start);
      if (way !== undefined && (shortest === undefined || way.length < shortest.length)) shortest = way;
    }
  }
  return shortest;
}

/**
 * @param {Graph} graph
 * @param {Set<string>} members
 * @param {string} from
 * @param {string} to
 * @returns {string[] | undefined} a circle: `to`, `from`, and the way back to `to` that is no direct import of it
 */
function findWay(graph, members, from, to) {
  /** @type {Map<string, string>} */
  const before = new Map();
  const waiting = [from];
  for (const path of waiting) {
    for (const target of graph.get(path) ?? []) {
      if (path === from && target === to) continue;
      if (!members.has(target) || target === from || before.has(target)) continue;
      before.set(target, path);
      if (target !== to) {
        waiting.push(target);
        continue;
      }
      /** @type {string[]} */
      const way = [];
      for (let at = path; at !== from; at = before.get(at) ?? from) way.unshift(at);
      return [to, from, ...way];
    }
  }
  return undefined;
}
