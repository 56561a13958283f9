import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../scripts/lib/run.mjs';

const CONFIG = fileURLToPath(new URL('./unused.config.json', import.meta.url));

/**
 * Asks knip for exports, files and dependencies that nothing uses.
 *
 * @param {string} root
 * @returns {Promise<string[]>} knip's lines
 */
export async function findUnused(root) {
  const knip = join(import.meta.dirname, '..', '..', '..', 'node_modules', 'knip', 'bin', 'knip.js');
  // Programs that tests start are the system's; debian-tools.txt lists them.
  const scope = ['--directory', root, '--config', CONFIG, '--exclude', 'binaries'];
  const args = [knip, ...scope, '--no-progress', '--no-config-hints'];
  const { code, output } = await run(process.execPath, args, { cwd: root, capture: true });
  return code === 0 ? [] : output.trimEnd().split(/\r?\n/);
}
