import { run } from '../scripts/lib/run.mjs';

/**
 * Packs a package as it would be published.
 *
 * @param {string} dir
 * @param {string} destination a folder
 */
export async function pack(dir, destination) {
  const { code, output } = await run('pnpm', ['pack', '--pack-destination', destination], {
    cwd: dir,
    capture: true,
  });
  if (code !== 0) throw new Error(`pnpm pack failed in ${dir}:\n${output}`);
}
