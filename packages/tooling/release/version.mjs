import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../scripts/lib/run.mjs';
import { listPackages } from '../scripts/lib/workspace.mjs';

const PEER = 'workspace:^';

/**
 * Turns the files of `.changeset` into versions and changelogs.
 *
 * A minor version of 0.x is outside of `^0.x`, so changesets would take one of core, which others have as a peer, for a major
 * one of theirs and call everything 1.0.0. All packages have one version, so that the ranges are opened for as long as it counts.
 *
 * @param {string} root of the workspace
 * @param {string} changeset the file of the command
 * @param {NodeJS.ProcessEnv} [env]
 */
export async function makeVersions(root, changeset, env) {
  const packages = listPackages(root).filter(({ manifest }) =>
    Object.values(manifest.peerDependencies ?? {}).includes(PEER),
  );
  for (const { dir, manifest } of packages) replaceIn(dir, `"${PEER}"`, `"workspace:>=${manifest.version}"`);
  const { code, output } = await run(process.execPath, [changeset, 'version'], {
    cwd: root,
    env,
    capture: true,
  });
  for (const { dir } of packages) replaceIn(dir, /"workspace:>=[^"]*"/g, `"${PEER}"`);
  if (code !== 0) throw new Error(`changeset version failed:\n${output}`);
}

/**
 * @param {string} dir
 * @param {string | RegExp} what
 * @param {string} by
 */
function replaceIn(dir, what, by) {
  const file = join(dir, 'package.json');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(what, by));
}
