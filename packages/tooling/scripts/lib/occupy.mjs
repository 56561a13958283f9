import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ROOT } from './workspace.mjs';

/** Where default ports are said; each file says one or more as `defaultPort: 1234`. */
const SOURCES = ['apps/backlot/src/manifests.generated.ts', 'examples/gopher/src/plugin.ts'];
const SCHEMA = 'docs/reference/backlot.schema.json';

/**
 * @param {string} [root]
 * @returns {number[]} the ports that something of Backlot takes when nobody says another one: those of all kinds, that of
 *   the example of a third party, and the management port
 */
export function listDefaultPorts(root = ROOT) {
  const kinds = SOURCES.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\bdefaultPort: ([\d_]+)/g)].map(([, port = '']) =>
      Number(port.replaceAll('_', '')),
    ),
  );
  const schema = JSON.parse(readFileSync(join(root, SCHEMA), 'utf8'));
  /** @param {{ $ref?: string }} part written here, or once for several places */
  const at = (part) =>
    part.$ref === undefined
      ? part
      : part.$ref
          .slice('#/'.length)
          .split('/')
          .reduce((found, name) => found[name], schema);
  const forms = at(at(schema.properties.api).properties.port).anyOf.map(at);
  const management = forms.find((/** @type {{ default?: number }} */ form) => form.default !== undefined);
  return [...new Set([management.default, ...kinds])].sort((a, b) => a - b);
}

/**
 * Takes ports for connections and datagrams on every address of this machine, as other programs would have done: who
 * connects is told that this is something else and is turned away, datagrams are not answered. A port that somebody
 * has taken already is as good.
 *
 * @param {readonly number[]} ports
 * @param {(port: number, transport: 'tcp' | 'udp') => void} [onContact] called each time somebody of this machine talks to
 *   one of them by its loopback addresses: who asks all of a network, as mDNS does, means none of them
 * @returns {Promise<() => Promise<void>>} gives them back
 */
export async function occupy(ports, onContact = () => undefined) {
  const taken = await Promise.all(
    ports.flatMap((port) => [
      takeForConnections(port, () => onContact(port, 'tcp')),
      takeForDatagrams(port, () => onContact(port, 'udp')),
    ]),
  );
  return async () => {
    await Promise.all(taken.map((release) => release()));
  };
}

/**
 * @param {number} port
 * @param {() => void} onContact
 * @returns {Promise<() => Promise<void>>}
 */
function takeForConnections(port, onContact) {
  const server = createServer((socket) => {
    if (isLoopback(socket.remoteAddress)) onContact();
    socket.on('error', () => undefined).end('this is not Backlot\r\n');
    socket.resume();
  });
  const release = () =>
    new Promise((/** @type {(value?: undefined) => void} */ done) => void server.close(() => done()));
  return new Promise((resolve, reject) => {
    // Without a host it is every address, those of IPv6 as well where there are some.
    server.once('listening', () => resolve(release));
    server.once('error', (error) => settleTaken(error, resolve, reject));
    server.listen(port);
  });
}

/**
 * @param {number} port
 * @param {() => void} onContact
 * @returns {Promise<() => Promise<void>>}
 */
async function takeForDatagrams(port, onContact) {
  /** @param {'udp4' | 'udp6'} type */
  const take = (type) =>
    new Promise((/** @type {(release: () => Promise<void>) => void} */ resolve, reject) => {
      const socket = createSocket({ type, ipv6Only: type === 'udp6' });
      socket.on('message', (_, { address }) => void (isLoopback(address) && onContact()));
      socket.once('listening', () =>
        resolve(
          () =>
            new Promise((/** @type {(value?: undefined) => void} */ done) => void socket.close(() => done())),
        ),
      );
      socket.once('error', (error) => {
        socket.close();
        settleTaken(error, resolve, reject);
      });
      socket.bind(port);
    });
  const releases = [await take('udp4'), await take('udp6')];
  return async () => {
    await Promise.all(releases.map((release) => release()));
  };
}

/** @param {string | undefined} address */
function isLoopback(address = '') {
  return /^(::ffff:)?127\.|^::1$/.test(address);
}

/**
 * Somebody else's port is occupied too; an address family that this machine does not have needs nothing.
 *
 * @param {Error & { code?: string }} error
 * @param {(release: () => Promise<void>) => void} resolve
 * @param {(error: Error) => void} reject
 */
function settleTaken(error, resolve, reject) {
  if (error.code === 'EADDRINUSE' || error.code === 'EAFNOSUPPORT') resolve(() => Promise.resolve());
  else reject(error);
}
