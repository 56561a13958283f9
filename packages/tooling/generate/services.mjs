import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * @typedef {object} ServiceHeader
 * @property {string} name
 * @property {string} title
 * @property {string} summary
 * @property {string} path
 * @property {string[]} [hosts]
 * @property {number} [port]
 * @property {Record<string, string>} [variables]
 */

/**
 * A service of the workspace.
 *
 * @typedef {object} ListedService
 * @property {ServiceHeader} header
 * @property {{ id: string, description?: string }[]} scenarios
 * @property {readonly { id: string, method: string, path: string }[]} mocks
 * @property {string} folder from the root
 * @property {string} readme
 */

/**
 * The services of the workspace, by name.
 *
 * @param {string} root
 * @returns {ListedService[]}
 */
export function listServices(root) {
  const top = 'packages/services/services';
  // The parser of the app, which reads the same files.
  const { parse } = createRequire(join(root, 'apps/backlot/package.json'))('yaml');
  return readdirSync(join(root, top))
    .sort()
    .filter((name) => existsSync(join(root, top, name, 'service.yaml')))
    .map((name) => {
      const folder = `${top}/${name}`;
      const file = parse(readFileSync(join(root, folder, 'service.yaml'), 'utf8'), { merge: true });
      /** @type {{ id: string, request?: { method?: string, path?: string } }[]} */
      const mocks = [...(file.protocols?.http?.mocks ?? []), ...callsOf(file.protocols?.grpc?.mocks ?? [])];
      return {
        header: file.service,
        scenarios: file.scenarios ?? [],
        mocks: mocks.map(({ id, request = {} }) => ({
          id,
          method: request.method ?? '*',
          path: request.path ?? '*',
        })),
        folder,
        readme: readFileSync(join(root, folder, 'README.md'), 'utf8'),
      };
    });
}

/**
 * Mocks of gRPC, as the tables have those of HTTP.
 *
 * @param {readonly { id: string, method: string }[]} mocks
 */
function callsOf(mocks) {
  return mocks.map(({ id, method }) => ({ id, request: { method: 'gRPC', path: method } }));
}
