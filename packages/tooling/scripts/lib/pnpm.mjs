import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './run.mjs';
import { ROOT, readManifest } from './workspace.mjs';

/**
 * The environment in which pnpm, turbo and the tools of the workspace run: the pinned pnpm is first on PATH (turbo
 * starts it by name), and neither turbo nor anything else phones home.
 *
 * A pnpm of the pinned version on PATH is used as it is; otherwise npx fetches it, once.
 *
 * @returns {Promise<NodeJS.ProcessEnv>}
 */
export async function prepareEnvironment() {
  const env = {
    ...withoutNpmSettings(process.env),
    TURBO_TELEMETRY_DISABLED: '1',
    DO_NOT_TRACK: '1',
    TURBO_NO_UPDATE_NOTIFIER: '1',
  };
  const wanted = readManifest(ROOT).packageManager ?? '';
  const version = wanted.slice(wanted.indexOf('@') + 1);
  const path = (await readVersion(env)) === version ? (process.env.PATH ?? '') : await fetchPnpm(wanted, env);
  return { ...env, PATH: [join(ROOT, 'node_modules', '.bin'), path].join(delimiter) };
}

/**
 * npm gives its own settings to its scripts as variables; pnpm and nested npm calls would take them for theirs and warn.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
function withoutNpmSettings(env) {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^npm_(lifecycle|package|command|execpath|node_execpath)/i.test(name),
    ),
  );
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string | undefined>}
 */
async function readVersion(env) {
  try {
    const { code, output } = await run('pnpm', ['--version'], { cwd: ROOT, env, capture: true });
    return code === 0 ? output.trim() : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} spec such as `pnpm@1.2.3`
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string>} a PATH on which that pnpm comes first
 */
async function fetchPnpm(spec, env) {
  const printer = fileURLToPath(new URL('./print-path.mjs', import.meta.url));
  const args = ['--yes', '--prefer-offline', '--loglevel=error', `--package=${spec}`, '--', 'node', printer];
  const { code, output } = await run('npx', args, { cwd: ROOT, env, capture: true });
  if (code !== 0) throw new Error(`npx could not fetch ${spec}; is there a network?\n${output}`);
  return output.trim().split(/\r?\n/).at(-1) ?? '';
}
