import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root folder of the workspace. */
export const ROOT = resolve(fileURLToPath(new URL('../../../../', import.meta.url)));

/**
 * @typedef {object} Manifest the parts of a package.json that the tooling reads
 * @property {string} name
 * @property {string} version
 * @property {boolean} [private]
 * @property {string} [packageManager]
 * @property {{ protocol?: string }} [backlot]
 * @property {Record<string, string>} [scripts]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [optionalDependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, string>} [devDependencies]
 * @property {Record<string, unknown>} [exports]
 *
 * @typedef {object} WorkspacePackage
 * @property {string} dir absolute path
 * @property {string} path path from the root, with `/`
 * @property {Manifest} manifest
 */

/** Where packages live; each pattern of pnpm-workspace.yaml is one of these folders and `/*`. */
const PARENTS = ['packages', 'packages/protocols', 'apps', 'examples'];

/**
 * @param {string} [root]
 * @returns {WorkspacePackage[]} every package below the root, in a stable order
 */
export function listPackages(root = ROOT) {
  return PARENTS.flatMap((parent) => listFolders(join(root, parent)))
    .filter((dir) => existsSync(join(dir, 'package.json')))
    .map((dir) => ({ dir, path: relative(root, dir).split(sep).join('/'), manifest: readManifest(dir) }));
}

/**
 * @param {string} dir
 * @returns {Manifest}
 */
export function readManifest(dir) {
  return JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
}

/**
 * @param {string} dir
 * @returns {string[]} the folders directly below, sorted; none when `dir` does not exist
 */
function listFolders(dir) {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(dir, entry.name))
    .sort();
}
