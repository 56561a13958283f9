import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { turbo } from './lib/install.mjs';
import { prepareEnvironment } from './lib/pnpm.mjs';
import { run } from './lib/run.mjs';
import { ROOT, listPackages } from './lib/workspace.mjs';

/** Benches that are read together. */
const GROUPS = {
  messaging: ['mqtt', 'nats', 'amqp', 'stomp', 'kafka'],
  stores: ['redis', 'memcached', 'smtp', 'imap', 'ftp'],
  network: ['snmp', 'ldap', 'coap', 'sip'],
};

/** Benches of a package that take so long, or play so much, that only their own name runs them. */
const LONG = {
  cluster: { name: 'backlot', file: 'cluster.mjs' },
  soak: { name: 'backlot', file: 'soak.mjs' },
  connections: { name: 'backlot', file: 'connections.mjs' },
  'heap-growth': { name: 'backlot', file: 'heap-growth.mjs' },
  attacks: { name: 'backlot', file: 'attacks.mjs' },
  spaces: { name: 'backlot', file: 'spaces.mjs' },
  workers: { name: 'backlot', file: 'workers.mjs' },
  page: { name: 'ui', file: 'page.mjs' },
};

/** Measures with what was built, in a plain process: neither jest nor a compiler stands between. */
const [name = '', ...args] = process.argv.slice(2);
const benches = listPackages().filter(({ dir }) => existsSync(join(dir, 'bench')));
const long = Object.hasOwn(LONG, name) ? LONG[/** @type {keyof typeof LONG} */ (name)] : undefined;
const names = Object.hasOwn(GROUPS, name)
  ? GROUPS[/** @type {keyof typeof GROUPS} */ (name)]
  : [long?.name ?? name];
const found = benches.filter(({ path }) => names.includes(path.split('/').at(-1) ?? ''));
if (found.length === 0) {
  const known = [
    ...Object.keys(GROUPS),
    ...Object.keys(LONG),
    ...benches.map(({ path }) => path.split('/').at(-1)),
  ].join(', ');
  console.error(`usage: pnpm bench <package or group>; there are ${known}`);
  process.exit(1);
}

const env = await prepareEnvironment();
const filters = found.map(({ manifest }) => `--filter=${manifest.name}...`);
const built = await turbo(env, 'build', ...filters);
if (built.code !== 0) {
  console.error(built.output);
  process.exit(1);
}
const isLong = (/** @type {string} */ file) => Object.values(LONG).some((each) => each.file === file);
for (const { dir } of found) {
  for (const file of readdirSync(join(dir, 'bench'))
    .filter((file) => (long === undefined ? file.endsWith('.mjs') && !isLong(file) : file === long.file))
    .sort()) {
    const { code } = await run(process.execPath, [join(dir, 'bench', file), ...args], { cwd: dir, env });
    if (code !== 0) process.exitCode = code;
  }
}
