import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import prettier from 'prettier';
import { listInstalled, npmInstall, sizeOf } from '../packed/install.mjs';
import { packAll } from '../packed/pack.mjs';
import { startRegistry } from '../packed/registry.mjs';
import { describeSizes } from '../packed/sizes.mjs';
import { writeFiles } from './lib/generated.mjs';
import { installAndBuild } from './lib/install.mjs';
import { prepareEnvironment } from './lib/pnpm.mjs';
import { ROOT } from './lib/workspace.mjs';

const PAGE = 'docs/reference/packages.md';
/** What people install, as far as sizes are concerned. */
const TREES = [
  ['@backlot/core', '@backlot/redis'],
  ['@backlot/core', '@backlot/dns'],
  ['@backlot/core', '@backlot/http', '@backlot/smtp', '@backlot/management'],
  ['backlot', '--omit=optional', '@backlot/http', '@backlot/redis'],
  ['backlot'],
];

/** Packs and installs everything and writes the page that says how large it is. */
const env = await prepareEnvironment();
await installAndBuild(env);
Object.assign(process.env, env);
const folder = mkdtempSync(join(tmpdir(), 'backlot-sizes-'));
const tarballs = await packAll(join(folder, 'tarballs'));
const registry = await startRegistry(tarballs);
try {
  const trees = [];
  for (const [index, args] of TREES.entries()) {
    const place = join(folder, String(index));
    const app = tarballs.find(({ manifest }) => manifest.name === 'backlot');
    await npmInstall(
      place,
      args.map((arg) => (arg === 'backlot' ? (app?.file ?? arg) : arg)),
      registry.url,
    );
    const packages = listInstalled(place).length;
    trees.push({
      command: `npm install ${args.join(' ')}`,
      packages,
      size: sizeOf(join(place, 'node_modules')),
    });
  }
  const text = describeSizes(tarballs, trees);
  writeFiles(ROOT, {
    [PAGE]: await prettier.format(text, {
      ...(await prettier.resolveConfig(join(ROOT, PAGE))),
      parser: 'markdown',
    }),
  });
  console.log(`wrote ${PAGE}`);
} finally {
  await registry.stop();
  rmSync(folder, { recursive: true, force: true });
}
