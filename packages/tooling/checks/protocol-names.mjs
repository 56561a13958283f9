import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import ts from 'typescript';
import { PROTOCOL_ORDER, listProtocols } from '../generate/protocol-order.mjs';

/** The packages that must know no protocol. */
const NEUTRAL = [
  'packages/core',
  'packages/kit',
  'packages/management',
  'packages/conformance',
  'packages/testing',
];

/** Where sources of these packages are, and how they end. */
const FOLDERS = [...NEUTRAL.map((folder) => `${folder}/src`), 'packages/ui/src', 'packages/ui/web'];
const SOURCE = /\.tsx?$/;

/**
 * A line on which a protocol's name is right, because it is not used as the name of a protocol.
 *
 * @typedef {object} Allowed
 * @property {string} path from the root
 * @property {string} line the whole line, without the spaces around it
 * @property {string} reason
 */

/**
 * Looks for names of protocols in the sources of the packages that must know none: as a word of a string or template,
 * or as a key of an object. Names of modules that are imported and the schemes of URLs do not count.
 *
 * @param {string} root
 * @param {readonly Allowed[]} allowed
 * @returns {string[]} one sentence per name found, and per allowed line that no longer exists
 */
export function findProtocolNames(root, allowed) {
  const kinds = new Set([...PROTOCOL_ORDER, ...listProtocols(root).map(({ kind }) => kind)]);
  /** @type {string[]} */
  const problems = [];
  /** @type {Set<Allowed>} */
  const used = new Set();
  for (const path of FOLDERS.flatMap((folder) => listSources(root, folder))) {
    const text = readFileSync(join(root, path), 'utf8');
    const lines = text.split(/\r?\n/);
    for (const { kind, line } of findInSource(path, text, kinds)) {
      const content = (lines[line] ?? '').trim();
      const exception = allowed.find((entry) => entry.path === path && entry.line === content);
      if (exception) used.add(exception);
      else
        problems.push(
          `${path}:${line + 1}: names the protocol "${kind}"; derive it from the plugin's declaration: ${content}`,
        );
    }
  }
  for (const entry of allowed) {
    if (!used.has(entry))
      problems.push(`the allowed line in ${entry.path} names no protocol any more; remove it: ${entry.line}`);
  }
  return problems;
}

/**
 * @param {string} path which says whether it has elements
 * @param {string} text TypeScript
 * @param {ReadonlySet<string>} kinds
 * @returns {{ kind: string, line: number }[]} `line` counts from 0
 */
function findInSource(path, text, kinds) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  /** @type {{ kind: string, line: number }[]} */
  const found = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isImportTypeNode(node)) return;
    const data = findData(node);
    if (data !== undefined) {
      for (const { word, offset } of findNames(data.getText(source), kinds)) {
        found.push({ kind: word, line: source.getLineAndCharacterOfPosition(data.getStart() + offset).line });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/**
 * @param {ts.Node} node
 * @returns {ts.Node | undefined} the part of the node that spells data: a text, or the key of a property
 */
function findData(node) {
  if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
    return node;
  const isKey =
    ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node) || ts.isMethodDeclaration(node);
  return isKey && ts.isIdentifier(node.name) ? node.name : undefined;
}

/**
 * @param {string} text
 * @param {ReadonlySet<string>} kinds
 * @returns {{ word: string, offset: number }[]}
 */
function findNames(text, kinds) {
  return [...text.matchAll(/[A-Za-z0-9_]+/g)]
    .map(({ 0: word, index }) => ({ word, offset: index }))
    .filter(({ word, offset }) => {
      if (!kinds.has(word) || text.startsWith('://', offset + word.length)) return false;
      // It is also what prose calls the scheme of a URL, so that it counts only on its own or as a part of a path.
      return word !== 'http' || /^[^\s]*$/.test(text);
    });
}

/**
 * @param {string} root
 * @param {string} folder
 * @returns {string[]} the TypeScript files below the folder, by their path from the root
 */
function listSources(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => SOURCE.test(file))
    .map((file) => `${folder}/${file.split(sep).join('/')}`)
    .sort();
}
