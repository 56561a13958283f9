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

/** What is played together by the app's own bench, see there. */
const ATTACKS = 'attacks';

/** Measures with what was built, in a plain process: neither jest nor a compiler stands between. */
const [name = '', ...args] = process.argv.slice(2);
const benches = listPackages().filter(({ dir }) => existsSync(join(dir, 'bench')));
const names = Object.hasOwn(GROUPS, name) ? GROUPS[/** @type {keyof typeof GROUPS} */ (name)] : [name];
const isAttack = name === ATTACKS;
const app = 'apps/backlot';
const found = benches.filter(({ path }) =>
  isAttack ? path === app : names.includes(path.split('/').at(-1) ?? ''),
);
if (found.length === 0) {
  const known = [ATTACKS, ...Object.keys(GROUPS), ...benches.map(({ path }) => path.split('/').at(-1))].join(
    ', ',
  );
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
for (const { dir } of found) {
  for (const file of readdirSync(join(dir, 'bench'))
    .filter((file) => file.endsWith('.mjs') && (file === `${ATTACKS}.mjs`) === isAttack)
    .sort()) {
    const { code } = await run(process.execPath, [join(dir, 'bench', file), ...args], { cwd: dir, env });
    if (code !== 0) process.exitCode = code;
  }
}
