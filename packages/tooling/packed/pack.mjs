import { mkdirSync } from 'node:fs';
import { run } from '../scripts/lib/run.mjs';
import { ROOT, listPackages } from '../scripts/lib/workspace.mjs';
import { readTarballs } from './tarball.mjs';

/**
 * Packs a package as it would be published.
 *
 * @param {string} dir
 * @param {string} destination a folder
 */
export async function pack(dir, destination) {
  await pnpmPack(dir, [], destination);
}

/**
 * Packs every package that is published, as it would be published. They must have been built.
 *
 * @param {string} destination a folder, which is made when it is not there
 * @returns {Promise<import('./tarball.mjs').Tarball[]>} in the order of their names
 */
export async function packAll(destination) {
  mkdirSync(destination, { recursive: true });
  const names = listPackages()
    .filter(({ manifest, path }) => !manifest.private && !path.startsWith('examples/'))
    .map(({ manifest }) => manifest.name);
  await pnpmPack(ROOT, ['-r', ...names.map((name) => `--filter=${name}`)], destination);
  const tarballs = readTarballs(destination).filter(({ manifest }) => names.includes(manifest.name));
  if (tarballs.length !== names.length)
    throw new Error(`pnpm pack wrote ${tarballs.length} tarballs for ${names.length} packages`);
  return tarballs;
}

/**
 * @param {string} cwd
 * @param {readonly string[]} flags
 * @param {string} destination
 */
async function pnpmPack(cwd, flags, destination) {
  const args = [...flags, 'pack', '--pack-destination', destination];
  const { code, output } = await run('pnpm', args, { cwd, capture: true });
  if (code !== 0) throw new Error(`pnpm pack failed in ${cwd}:\n${output}`);
}
