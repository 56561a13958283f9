import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installToRead } from './lib/install.mjs';
import { stopWithNpm } from './lib/parent.mjs';
import { prepareEnvironment } from './lib/pnpm.mjs';
import { ROOT } from './lib/workspace.mjs';

/** Serves the documentation as a site, on a free port from 5173 on, and shows what is changed in it at once. Needs no build. */
stopWithNpm();
console.log('installing what the site needs ...');
const { code, output } = await installToRead(await prepareEnvironment(), 'site');
if (code !== 0) {
  process.stderr.write(output);
  process.exit(1);
}
const { serve } = await import(pathToFileURL(join(ROOT, 'apps', 'site', 'scripts', 'serve.mjs')).href);
await serve();
