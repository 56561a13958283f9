import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';

/**
 * A package registry on a free port of this machine that knows some tarballs and nothing else, so that
 * `npm install @backlot/core` can be tried before anything is published.
 *
 * @typedef {object} Registry
 * @property {string} url another one in every run: npm keeps what it has read by its url
 * @property {() => Promise<void>} stop
 *
 * @param {readonly import('./tarball.mjs').Tarball[]} tarballs
 * @returns {Promise<Registry>}
 */
export function startRegistry(tarballs) {
  const byName = new Map(tarballs.map((tarball) => [tarball.manifest.name, tarball]));
  const prefix = `/${randomUUID()}/`;
  let url = '';
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    const [name = '', isFile] = path.startsWith(prefix) ? path.slice(prefix.length).split('/-/') : [];
    const tarball = byName.get(name);
    if (tarball === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: `there is no package "${name}"` }));
    } else if (isFile !== undefined) {
      createReadStream(tarball.file).pipe(response);
    } else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(describe(tarball, url)));
    }
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      url = `http://127.0.0.1:${port}${prefix}`;
      resolve({
        url,
        stop: () =>
          new Promise((done) => {
            server.close(() => done());
            server.closeAllConnections();
          }),
      });
    });
  });
}

/**
 * @param {import('./tarball.mjs').Tarball} tarball
 * @param {string} url of the registry
 */
function describe({ manifest, integrity }, url) {
  const { name, version } = manifest;
  const dist = { tarball: `${url}${name}/-/${version}.tgz`, integrity };
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
}
