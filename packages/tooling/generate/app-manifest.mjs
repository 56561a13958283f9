import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listProtocols } from './protocol-order.mjs';

const FILE = 'apps/backlot/package.json';

/**
 * The app depends on every protocol package of the workspace; its other dependencies stay as they are.
 *
 * @type {import('./index.mjs').Generator}
 */
export function generateAppManifest(root) {
  const manifest = JSON.parse(readFileSync(join(root, FILE), 'utf8'));
  const dependencies = { ...manifest.dependencies };
  for (const { name } of listProtocols(root)) dependencies[name] = 'workspace:*';
  manifest.dependencies = Object.fromEntries(
    Object.entries(dependencies).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  return { [FILE]: `${JSON.stringify(manifest, null, 2)}\n` };
}
