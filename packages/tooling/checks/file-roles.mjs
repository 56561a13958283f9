import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { listProtocolSources } from './protocol-sources.mjs';

/**
 * The files that are called by what their class is: whoever knows one protocol finds the same in another.
 *
 * @type {{ file: string, what: string, is: (found: Class) => boolean }[]}
 */
const ROLES = [
  {
    file: 'message.ts',
    what: 'what arrives, as core sees it',
    is: ({ bases, fromCore }) => bases.includes('Message') && fromCore.includes('Message'),
  },
  {
    file: 'mock-index.ts',
    what: 'the index that finds mocks',
    is: ({ bases }) => bases.includes('ComposedIndex') || bases.includes('MockIndex'),
  },
  { file: 'connection.ts', what: 'a connection', is: ({ name }) => name.endsWith('Connection') },
  { file: 'session.ts', what: 'a session', is: ({ name }) => name.endsWith('Session') },
];

/** Names that do not say what a class is. */
const VAGUE = ['Conversation', 'Client', 'Door', 'Gate', 'Hub'];

/**
 * @typedef {object} Class
 * @property {string} name
 * @property {string[]} bases what it extends and implements
 * @property {string[]} fromCore what its file imports from core
 */

/**
 * Checks that the classes of protocols have the names, and stand in the files, of their roles.
 *
 * @param {string} root
 * @returns {string[]} one sentence per class
 */
export function findMisnamed(root) {
  return listProtocolSources(root).flatMap(({ path, owner }) =>
    readClasses(readFileSync(join(root, path), 'utf8')).flatMap((found) => {
      const { name } = found;
      if (VAGUE.includes(name)) return [`${path}: class ${name} ${adviseName(owner)}`];
      return ROLES.filter(({ file, is }) => is(found) && basename(path) !== file).map(
        ({ file, what }) => `${path}: class ${name} is ${what}; rename the file to ${file}`,
      );
    }),
  );
}

/** @param {string} owner the folder of the package */
function adviseName(owner) {
  const prefix = owner.charAt(0).toUpperCase() + owner.slice(1);
  return (
    'says nothing of its role; ' +
    `rename it to ${prefix}Connection in connection.ts if it is one connection, to ${prefix}Session in session.ts ` +
    'if it is what a connection is in, else to what it does'
  );
}

/**
 * @param {string} text
 * @returns {Class[]}
 */
function readClasses(text) {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*/gm, '');
  const fromCore = [...code.matchAll(/\bimport\s+(?:type\s+)?\{([^}]*)\}\s*from\s*'@backlot\/core/g)].flatMap(
    ([, names = '']) => names.split(',').map((name) => name.trim().replace(/^type\s+/, '')),
  );
  const classes = code.matchAll(/^\s*(?:export\s+)?(?:abstract\s+)?class\s+(\w+)([^{]*)\{/gm);
  return [...classes].map(([, name = '', rest = '']) => ({ name, bases: readBases(rest), fromCore }));
}

/**
 * @param {string} rest what stands between the name of a class and its body
 * @returns {string[]} the names without type arguments
 */
function readBases(rest) {
  let plain = rest;
  for (let before = ''; before !== plain;) {
    before = plain;
    plain = plain.replaceAll(/<[^<>]*>/g, '');
  }
  return plain.split(/\bextends\b|\bimplements\b|,/).map((name) => name.trim());
}
