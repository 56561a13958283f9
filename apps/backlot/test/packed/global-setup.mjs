import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npmInstall, packAll, startRegistry } from '@backlot/tooling/packed';

/**
 * Packs everything once, serves the tarballs by a registry, and installs the whole app once: `BACKLOT_BIN` is its command,
 * `BACKLOT_PACKED` the folder of it all, `BACKLOT_REGISTRY` where `@backlot/*` comes from.
 */
export default async function setUp() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'backlot-packed-')));
  const tarballs = await packAll(join(folder, 'tarballs'));
  const registry = await startRegistry(tarballs);
  globalThis.backlotPacked = { folder, registry };
  const app = join(folder, 'app');
  await npmInstall(app, [tarballs.find(({ manifest }) => manifest.name === 'backlot').file], registry.url);
  process.env.BACKLOT_PACKED = folder;
  process.env.BACKLOT_REGISTRY = registry.url;
  process.env.BACKLOT_BIN = join(app, 'node_modules', 'backlot', 'bin', 'backlot.js');
}
