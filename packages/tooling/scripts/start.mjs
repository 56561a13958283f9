import { register } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installToRun } from './lib/install.mjs';
import { stopWithNpm } from './lib/parent.mjs';
import { prepareEnvironment } from './lib/pnpm.mjs';
import { stopForwarding } from './lib/run.mjs';
import { ROOT } from './lib/workspace.mjs';

/**
 * Starts `examples/shop` from the sources: what is published is built by `npm run build` and nothing here depends on it,
 * so that a fresh clone runs as soon as the libraries of the app are installed.
 */
const APP = join(ROOT, 'apps', 'backlot');
const main = pathToFileURL(join(APP, 'src', 'main.ts')).href;

stopWithNpm();
console.log('installing what the app needs ...');
const { code, output } = await installToRun(await prepareEnvironment(), 'backlot');
if (code !== 0) {
  process.stderr.write(output);
  process.exit(1);
}
stopForwarding();

console.log('starting examples/shop ...');
register('./lib/source-hooks.mjs', { parentURL: import.meta.url, data: { app: main } });
// The server runs in this very process: signals of the terminal and of `kill` reach it once, without a forwarder.
process.argv = [
  process.execPath,
  join(APP, 'bin', 'backlot.js'),
  'start',
  '-c',
  join('examples', 'shop', 'backlot.yaml'),
  ...process.argv.slice(2),
];
process.chdir(ROOT);
await import(main);
