import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.mjs';
import { ROOT } from './workspace.mjs';

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

/**
 * Installs what the page of the app is built with, beside what {@link installToRun} has installed.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<import('./run.mjs').Ended>}
 */
export function installToBuildPage(env) {
  return install(env, '--filter=@backlot/ui');
}

/** What turbo says about itself; the output of the tasks that failed tells all. */
const TURBO_CHATTER =
  /^\s*(•|Tasks:|Cached:|Time:|$)|(^|: )cache (miss|hit)|command finished with error|ERROR +(command|run failed)|\[ELIFECYCLE\]/;

/**
 * Runs tasks in the packages; silent about those that pass.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {...string} args task names and flags; as many tasks run at a time as there are processors
 * @returns {Promise<import('./run.mjs').Ended>}
 */
export async function turbo(env, ...args) {
  const flags = ['--output-logs=errors-only', '--log-order=grouped', '--ui=stream', '--concurrency=100%'];
  const { code, output } = await run('turbo', ['run', ...args, ...flags], { cwd: ROOT, env, capture: true });
  const lines = output.split('\n').filter((line) => !TURBO_CHATTER.test(line));
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
