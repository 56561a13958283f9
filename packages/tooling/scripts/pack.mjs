import { join, relative, resolve } from 'node:path';
import { rmSync } from 'node:fs';
import { packAll } from '../packed/pack.mjs';
import { installAndBuild } from './lib/install.mjs';
import { stopWithNpm } from './lib/parent.mjs';
import { prepareEnvironment } from './lib/pnpm.mjs';
import { ROOT } from './lib/workspace.mjs';

/** Builds everything and writes a tarball of each package, as it would be published, into `tarballs` or another folder. */
const [named, ...rest] = process.argv.slice(2);
if (named?.startsWith('-') || rest.length > 0) {
  console.error('usage: npm run pack [-- FOLDER]');
  process.exit(1);
}
stopWithNpm();
const env = await prepareEnvironment();
await installAndBuild(env);
Object.assign(process.env, env);
const folder = named === undefined ? join(ROOT, 'tarballs') : resolve(named);
// What is left from another version would be installed beside the new one.
if (named === undefined) rmSync(folder, { recursive: true, force: true });
const tarballs = await packAll(folder);
console.log(`wrote ${tarballs.length} tarballs to ${relative(process.cwd(), folder) || folder}`);
