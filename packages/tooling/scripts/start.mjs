import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installAndBuild } from './lib/install.mjs';
import { stopWithNpm } from './lib/parent.mjs';
import { prepareEnvironment } from './lib/pnpm.mjs';
import { stopForwarding } from './lib/run.mjs';
import { ROOT } from './lib/workspace.mjs';

stopWithNpm();
await installAndBuild(await prepareEnvironment(), 'backlot...');
stopForwarding();

// The server runs in this very process: signals of the terminal and of `kill` reach it once, without a forwarder.
const command = join(ROOT, 'apps', 'backlot', 'bin', 'backlot.js');
process.argv = [
  process.execPath,
  command,
  'start',
  '-c',
  join('examples', 'shop', 'backlot.yaml'),
  ...process.argv.slice(2),
];
process.chdir(ROOT);
await import(pathToFileURL(command).href);
