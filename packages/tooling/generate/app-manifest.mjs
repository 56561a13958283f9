import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listProtocols } from './protocol-order.mjs';

const FILE = 'apps/backlot/package.json';

const SERVICES = '@backlot/services';

/**
 * Every protocol package of the workspace, and that of the services, is an optional dependency of the app, so that it is installed unless somebody
 * leaves it out. The app's other dependencies stay as they are.
 *
 * @type {import('./index.mjs').Generator}
 */
export function generateAppManifest(root) {
  const manifest = JSON.parse(readFileSync(join(root, FILE), 'utf8'));
  const names = [...listProtocols(root).map(({ name }) => name), SERVICES];
  manifest.optionalDependencies = Object.fromEntries(names.sort().map((name) => [name, 'workspace:*']));
  return { [FILE]: `${JSON.stringify(manifest, null, 2)}\n` };
}
