import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../scripts/lib/run.mjs';

/**
 * Installs with npm as a user would, from what was downloaded before where it can.
 *
 * @param {string} folder made with an empty manifest when it is not there
 * @param {readonly string[]} [packages] beside those of its manifest
 */
export async function npmInstall(folder, packages = []) {
  const manifest = join(folder, 'package.json');
  mkdirSync(folder, { recursive: true });
  if (!existsSync(manifest)) writeFileSync(manifest, JSON.stringify({ name: 'smoke', private: true }));
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  await mustRun('npm install of the tarballs', 'npm', ['install', ...flags, ...packages], folder);
}

/**
 * @param {string} what
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} cwd
 */
export async function mustRun(what, command, args, cwd) {
  const ended = await run(command, args, { cwd, capture: true });
  if (ended.code !== 0) throw new Error(`${what} failed with exit code ${ended.code}:\n${ended.output}`);
  return ended;
}
