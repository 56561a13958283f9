import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { turbo } from './lib/install.mjs';
import { prepareEnvironment } from './lib/pnpm.mjs';
import { run } from './lib/run.mjs';
import { ROOT, listPackages } from './lib/workspace.mjs';

/** Measures with what was built, in a plain process: neither jest nor a compiler stands between. */
const [name, ...args] = process.argv.slice(2);
const benches = listPackages().filter(({ dir }) => existsSync(join(dir, 'bench')));
const found = benches.find(({ path }) => path.endsWith(`/${name}`));
if (found === undefined) {
  const names = benches.map(({ path }) => path.split('/').at(-1)).join(', ');
  console.error(`usage: pnpm bench <package>; packages with a bench folder: ${names || 'none'}`);
  process.exit(1);
}

const env = await prepareEnvironment();
const built = await turbo(env, 'build', `--filter=${found.manifest.name}...`);
if (built.code !== 0) {
  console.error(built.output);
  process.exit(1);
}
for (const file of readdirSync(join(found.dir, 'bench'))
  .filter((file) => file.endsWith('.mjs'))
  .sort()) {
  const { code } = await run(process.execPath, [join(found.dir, 'bench', file), ...args], {
    cwd: found.dir,
    env,
  });
  if (code !== 0) process.exitCode = code;
}
