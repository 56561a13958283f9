import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.mjs';
import { ROOT, readManifest } from './workspace.mjs';

const INSTALL = ['install', '--frozen-lockfile', '--prefer-offline', '--reporter=append-only'];

/**
 * Installs what the lockfile says; silent unless it fails.
 *
 * @param {NodeJS.ProcessEnv} env from `prepareEnvironment`
 * @param {...string} flags which part of it; all when there are none
 * @returns {Promise<import('./run.mjs').Ended>}
 */
export function install(env, ...flags) {
  return run('pnpm', [...INSTALL, ...flags], { cwd: ROOT, env: { ...env, CI: 'true' }, capture: true });
}

/**
 * Installs what a package needs to run from its sources, which is less than half of what building and testing need;
 * where those have been installed, they stay and are brought up to date.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {string} name of the package
 * @returns {Promise<import('./run.mjs').Ended>}
 */
export function installToRun(env, name) {
  const isWhole = existsSync(join(ROOT, 'node_modules', 'typescript'));
  const part = ['--prod', `--filter=${name}...`, '--filter=@backlot/tooling'];
  return isWhole ? install(env) : install(env, ...part);
}

/** Says which lockfile {@link installToStart} has installed. */
const STARTED = join(ROOT, 'node_modules', '.installed-to-start');

/**
 * Installs what {@link installToRun} does, and then what the page of the app is built with, which no filter of one installation names.
 * Each of the two would undo the other one, so that nothing is done as long as the lockfile stays.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {string} name of the app's package
 * @returns {Promise<import('./run.mjs').Ended>}
 */
export async function installToStart(env, name) {
  const isWhole = existsSync(join(ROOT, 'node_modules', 'typescript'));
  if (isWhole) return installToRun(env, name);
  const lockfile = createHash('sha256')
    .update(readFileSync(join(ROOT, 'pnpm-lock.yaml')))
    .digest('hex');
  if (existsSync(STARTED) && readFileSync(STARTED, 'utf8') === lockfile) return { code: 0, output: '' };
  const app = await installToRun(env, name);
  if (app.code !== 0) return app;
  // Without its page the server is all that it is.
  const page = await install(env, '--filter=@backlot/ui');
  if (page.code === 0) writeFileSync(STARTED, lockfile);
  return app;
}

/**
 * Installs what an app without others of this workspace needs, and nothing where that is there.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {string} app its folder in `apps`
 * @returns {Promise<import('./run.mjs').Ended>}
 */
export async function installToRead(env, app) {
  const folder = join(ROOT, 'apps', app);
  const { name, devDependencies = {} } = readManifest(folder);
  const isThere = Object.entries(devDependencies).every(([each, version]) => {
    const installed = join(folder, 'node_modules', each);
    return (
      version.startsWith('workspace:') ||
      (existsSync(installed) && readManifest(installed).version === version)
    );
  });
  return isThere ? { code: 0, output: '' } : install(env, `--filter=${name}`);
}

/** What turbo says about itself; the output of the tasks that failed tells all. */
const TURBO_CHATTER =
  /^\s*(•|Tasks:|Cached:|Time:|$)|(^|: )cache (miss|hit)|command finished with error|ERROR +(command|run failed)|\[ELIFECYCLE\]/;

/**
 * Runs tasks in the packages; silent about those that pass.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {...string} args task names and flags; without `--concurrency=N` as many tasks run at a time as there are processors
 * @returns {Promise<import('./run.mjs').Ended>}
 */
export async function turbo(env, ...args) {
  const flags = ['--output-logs=errors-only', '--log-order=grouped', '--ui=stream'];
  if (!args.some((arg) => arg.startsWith('--concurrency='))) flags.push('--concurrency=100%');
  const { code, output } = await run('turbo', ['run', ...args, ...flags], { cwd: ROOT, env, capture: true });
  const lines = output.split(/\r?\n/).filter((line) => !TURBO_CHATTER.test(line));
  return { code, output: code === 0 ? '' : (lines.length > 0 ? lines : [output]).join('\n') };
}

/**
 * Installs and builds, or ends the process with what went wrong.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {...string} filters turbo filters; none builds everything
 */
export async function installAndBuild(env, ...filters) {
  const steps = [
    () => install(env),
    () => turbo(env, 'build', ...filters.map((filter) => `--filter=${filter}`)),
  ];
  for (const step of steps) {
    const { code, output } = await step();
    if (code !== 0) {
      process.stderr.write(output);
      process.exit(1);
    }
  }
}
