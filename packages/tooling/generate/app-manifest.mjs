import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listProtocols } from './protocol-order.mjs';

const FILE = 'apps/backlot/package.json';

/** Packages that are no protocols, and may be left out as well. */
const FURTHER = [
  '@backlot/cluster',
  '@backlot/contracts',
  '@backlot/exports',
  '@backlot/imports',
  '@backlot/services',
  '@backlot/ui',
];

/**
 * Every protocol package of the workspace, those of the importers, the services and the page are optional dependencies of the app, so that they are installed unless somebody
 * leaves them out. The app's other dependencies stay as they are.
 *
 * @type {import('./index.mjs').Generator}
 */
export function generateAppManifest(root) {
  const manifest = JSON.parse(readFileSync(join(root, FILE), 'utf8'));
  const names = [...listProtocols(root).map(({ name }) => name), ...FURTHER];
  manifest.optionalDependencies = Object.fromEntries(names.sort().map((name) => [name, 'workspace:*']));
  return { [FILE]: `${JSON.stringify(manifest, null, 2)}\n` };
}
