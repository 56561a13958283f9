import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../scripts/lib/run.mjs';

const QUIET = ['--prefer-offline', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];

/**
 * `npm install` in a folder of its own, which is made when it is not there.
 *
 * @param {string} folder
 * @param {readonly string[]} args names, tarballs and flags
 * @param {string} [registry] where the packages of the scope `@backlot` come from
 * @throws {Error} with npm's output
 */
export async function npmInstall(folder, args, registry) {
  mkdirSync(folder, { recursive: true });
  writeWhenAbsent(join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true }));
  // A lockfile or a workspace above must not matter.
  writeWhenAbsent(join(folder, '.npmrc'), registry === undefined ? '' : `@backlot:registry=${registry}\n`);
  const { code, output } = await run('npm', ['install', ...QUIET, ...args], { cwd: folder, capture: true });
  if (code !== 0) throw new Error(`npm install ${args.join(' ')} ended with ${code}:\n${output}`);
}

/**
 * @param {string} file
 * @param {string} content
 */
function writeWhenAbsent(file, content) {
  if (!existsSync(file)) writeFileSync(file, content);
}

/**
 * @param {string} folder
 * @returns {string[]} the names of all packages below `node_modules`, sorted
 */
export function listInstalled(folder) {
  return [...new Set(findPackages(join(folder, 'node_modules')))].sort();
}

/**
 * @param {string} modules a `node_modules` folder
 * @returns {string[]}
 */
function findPackages(modules) {
  if (!existsSync(modules)) return [];
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map((own) => `${name}/${own}`) : [name],
    )
    .flatMap((name) => [name, ...findPackages(join(modules, name, 'node_modules'))]);
}

/**
 * @param {string} folder
 * @returns {number} the bytes of all files below it
 */
export function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
