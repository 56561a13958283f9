import { join } from 'node:path';
import { installToStart } from './lib/install.mjs';
import { buildPage } from './lib/page.mjs';
import { stopWithNpm } from './lib/parent.mjs';
import { prepareEnvironment } from './lib/pnpm.mjs';
import { runFromSources } from './lib/run-from-sources.mjs';
import { stopForwarding } from './lib/run.mjs';
import { ROOT } from './lib/workspace.mjs';

/**
 * Starts `examples/shop` from the sources: what is published is built by `npm run build` and nothing here depends on it,
 * so that a fresh clone runs as soon as the libraries of the app are installed. Of the page alone the files that browsers load are built.
 */
stopWithNpm();
console.log('installing what the app needs ...');
const { code, output } = await installToStart(await prepareEnvironment(), 'backlot');
if (code !== 0) {
  process.stderr.write(output);
  process.exit(1);
}
console.log('building the page ...');
const problem = await buildPage();
if (problem !== undefined) console.error(`the page is not built, and / answers 404: ${problem}`);
stopForwarding();

console.log('starting examples/shop ...');
process.chdir(ROOT);
// The server runs in this very process: signals of the terminal and of `kill` reach it once, without a forwarder.
await runFromSources(['start', '-c', join('examples', 'shop', 'backlot.yaml'), ...process.argv.slice(2)]);
