import { register } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './workspace.mjs';

/**
 * Runs the command of the app in this process, from the sources of the workspace: nothing has to be built.
 *
 * @param {readonly string[]} args
 */
export async function runFromSources(args) {
  const app = join(ROOT, 'apps', 'backlot');
  const main = pathToFileURL(join(app, 'src', 'main.ts')).href;
  register('./source-hooks.mjs', { parentURL: import.meta.url, data: { app: main } });
  process.argv = [process.execPath, join(app, 'bin', 'backlot.js'), ...args];
  await import(main);
}
