import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../scripts/lib/run.mjs';
import { addressOf } from './address.mjs';

/**
 * What publishing is about.
 *
 * @typedef {object} Publishing
 * @property {readonly import('../packed/tarball.mjs').Tarball[]} tarballs
 * @property {ReadonlyMap<string, string>} paths those of the packages in the repository, by name
 * @property {string} page of the repository on the web
 * @property {boolean} isDry whether nothing is sent
 * @property {readonly string[]} [flags] more for npm, such as `--provenance`
 * @property {NodeJS.ProcessEnv} [env] npm reads its registry and its token from it
 * @property {(line: string) => void} tell
 */

/**
 * Publishes the packages whose version the registry does not have, with the address of the repository in them. The one that
 * depends on all others is the last, so that nobody can install it before they are there.
 *
 * @param {Publishing} publishing
 * @returns {Promise<string[]>} what was published, `name@version`
 */
export async function publishAll(publishing) {
  const { tarballs, isDry, tell } = publishing;
  const published = [];
  const last = (/** @type {string} */ name) => (name.startsWith('@') ? 0 : 1);
  const ordered = [...tarballs].sort((a, b) => last(a.manifest.name) - last(b.manifest.name));
  for (const tarball of ordered) {
    const spec = `${tarball.manifest.name}@${tarball.manifest.version}`;
    if (await isThere(spec, publishing)) {
      tell(`${spec} is there already`);
      continue;
    }
    await publish(tarball, publishing);
    tell(`${isDry ? 'would publish' : 'published'} ${spec}`);
    published.push(spec);
  }
  return published;
}

/**
 * @param {string} spec
 * @param {Publishing} publishing
 * @returns {Promise<boolean>} whether the registry has that version
 */
async function isThere(spec, { env }) {
  const { code, output } = await run('npm', ['view', spec, 'version', '--json'], { env, capture: true });
  // A package that is there without that version is no error, and nothing is printed.
  if (code === 0) return output.trim() !== '';
  if (output.includes('E404')) return false;
  throw new Error(`npm view ${spec} failed:\n${output}`);
}

/**
 * @param {import('../packed/tarball.mjs').Tarball} tarball
 * @param {Publishing} publishing
 */
async function publish({ file, manifest }, { paths, page, isDry, flags = [], env }) {
  const path = paths.get(manifest.name);
  if (path === undefined) throw new Error(`no package of this repository is called ${manifest.name}`);
  const folder = mkdtempSync(join(tmpdir(), 'backlot-publish-'));
  try {
    await expectSuccess('tar', ['-xzf', file, '-C', folder], env);
    const at = join(folder, 'package', 'package.json');
    const written = { ...JSON.parse(readFileSync(at, 'utf8')), ...addressOf(page, path) };
    writeFileSync(at, `${JSON.stringify(written, null, 2)}\n`);
    const how = ['--access', 'public', '--ignore-scripts', ...(isDry ? ['--dry-run'] : []), ...flags];
    await expectSuccess('npm', ['publish', join(folder, 'package'), ...how], env);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
async function expectSuccess(command, args, env) {
  const { code, output } = await run(command, args, { env, capture: true });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${output}`);
}
