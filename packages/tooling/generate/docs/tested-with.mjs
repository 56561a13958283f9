import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { table } from './markdown.mjs';

const IMPORT =
  /(?:from|import\(|require\(|resolve\(|\(import\.meta\.url\)\()\s*'((?:@[^/']+\/)?[^/'.:][^/':]*)(?:\/[^']*)?'/g;
const TOOLS = /itWithTool\(\s*(?:'([^']*)'|`([^`]*)`|(\w+))/g;
const CONSTANT = /^\s*(?:export )?const (\w+) = ['`]([^'`]*)['`];$/gm;
/** Where names of programs are that the tests of several packages share. */
const SHARED = ['packages/conformance/src', 'packages/tooling/bench'];

/**
 * The packages and the programs of Debian that the tests of a package use, with the versions they have there: those of
 * packages are in its `package.json`, those of Debian in `debian-versions.txt`.
 *
 * @param {string} root
 * @param {string} folder of the package, from the root
 * @returns {string} a table
 */
export function testedWith(root, folder) {
  const sources = sourcesIn(join(root, folder, 'test'));
  const rows = [...npmPackages(join(root, folder), sources), ...debianPackages(root, sources)];
  return rows.length === 0
    ? 'The tests use no client but their own.'
    : table(['The tests use', 'Version', 'From'], rows);
}

/** @param {string} folder @param {readonly string[]} sources */
function npmPackages(folder, sources) {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  /** @type {Record<string, string>} */
  const versions = { ...dependencies, ...devDependencies };
  const names = new Set(
    sources.flatMap((source) => Array.from(source.matchAll(IMPORT), ([, name = '']) => name)),
  );
  return [...names]
    .filter((name) => /^(?:npm:|\d)/.test(versions[name] ?? ''))
    .sort()
    .map((name) => {
      // An alias, by which two versions are there, is `npm:NAME@VERSION`.
      const [, real = name, version = versions[name] ?? ''] =
        /^npm:(.+)@(.+)$/.exec(versions[name] ?? '') ?? [];
      return [`\`${real}\``, version, 'npm'];
    });
}

/** @param {string} root @param {readonly string[]} sources */
function debianPackages(root, sources) {
  const packages = new Map(readPairs(root, 'debian-tools.txt'));
  const versions = new Map(readPairs(root, 'debian-versions.txt'));
  const constants = new Map();
  for (const source of [...SHARED.flatMap((folder) => sourcesIn(join(root, folder))), ...sources])
    for (const [, name = '', value = ''] of source.matchAll(CONSTANT)) constants.set(name, value);
  /** @param {string} text @returns {string} */
  const fill = (text) => text.replaceAll(/\$\{(\w+)\}/g, (_, name) => fill(constants.get(name) ?? ''));
  const used = sources.flatMap((source) =>
    Array.from(source.matchAll(TOOLS), ([, text, template, name = '']) =>
      fill(text ?? template ?? constants.get(name) ?? ''),
    ),
  );
  const names = used
    .flatMap((text) => text.split(' '))
    .map((tool) => {
      const name = tool.replace(/^\/usr\/s?bin\//, '');
      // What comes with the interpreter itself has no package of its own.
      return packages.get(name) ?? packages.get(name.split(':')[0] ?? '');
    });
  return [...new Set(names)]
    .filter((name) => name !== undefined)
    .sort()
    .map((name) => [`\`${name}\``, versions.get(name) ?? '', 'Debian']);
}

/** @param {string} folder @returns {string[]} */
function sourcesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.[cm]?[jt]s$/.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'));
}

/** @param {string} root @param {string} file @returns {[string, string][]} the first two words of each line */
export function readPairs(root, file) {
  return readFileSync(join(root, 'packages/tooling', file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [name = '', value = ''] = line.split(' ');
      return [name, value];
    });
}
