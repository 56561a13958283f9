import { spawn, spawnSync } from 'node:child_process';
import dgram from 'node:dgram';
import { once } from 'node:events';
import net from 'node:net';

const PATH = `${process.env.PATH}:/usr/sbin`;
const PATIENCE = 10_000;

/**
 * A server of `node:net` on a free port, as bare as it can be.
 *
 * @param {(socket: net.Socket) => void} onConnection
 * @returns {Promise<number>} its port
 */
export async function listen(onConnection) {
  const server = net.createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  return portOf(server.listen(0, '127.0.0.1'));
}

/**
 * A server of `node:dgram` on a free port that answers each message with one.
 *
 * @param {(message: Buffer) => Uint8Array} answer
 * @returns {Promise<number>} its port
 */
export async function listenDatagrams(answer) {
  const socket = dgram.createSocket('udp4');
  socket.on('message', (message, remote) => socket.send(answer(message), remote.port, remote.address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket.address().port;
}

/**
 * The port of a server, once it listens.
 *
 * @param {net.Server} server
 */
export async function portOf(server) {
  if (!server.listening) await once(server, 'listening');
  return /** @type {net.AddressInfo} */ (server.address()).port;
}

/**
 * A host with one protocol on a free port.
 *
 * @param {Function} createHost - that of the core
 * @param {{ name: string }} protocol
 * @param {readonly object[]} [mocks]
 * @param {object} [settings]
 * @returns {Promise<number>} its port
 */
export async function startMocks(createHost, protocol, mocks = [], settings = {}) {
  const { kind } = protocol;
  const host = await createHost({
    protocols: [protocol],
    settings: { [kind]: { host: '127.0.0.1', port: 0, ...settings } },
    seed: 1,
  });
  await host.start();
  if (mocks.length > 0) host.kind(kind).mocks.createAll(mocks);
  return host.kind(kind).address.port;
}

/**
 * Makes what starts a host with some mocks, as `servers` of `compareServers` wants it.
 *
 * @param {Function} createHost - that of the core
 * @param {{ name: string }} protocol
 * @param {(n: number, ...more: any[]) => object} make - the mock with a number, from 0 on; `more` is what follows the count
 * @param {object} [settings]
 * @returns {(count: number, ...more: any[]) => () => Promise<number>} gives what starts a host with so many mocks, and gives its
 * port
 */
export function serveMocks(createHost, protocol, make, settings) {
  return (count, ...more) =>
    () =>
      startMocks(
        createHost,
        protocol,
        Array.from({ length: count }, (_, n) => make(n, ...more)),
        settings,
      );
}

/**
 * Whether a program is installed, in a folder of the path or where servers are.
 *
 * @param {string} program
 */
export function isInstalled(program) {
  return spawnSync('sh', ['-c', `command -v ${program}`], { env: { PATH } }).status === 0;
}

/** A port that nothing listens on, of TCP or of UDP. @param {'tcp' | 'udp'} [transport] */
export async function freePort(transport = 'tcp') {
  if (transport === 'tcp') {
    const server = net.createServer().listen(0, '127.0.0.1');
    const port = await portOf(server);
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
  const socket = dgram.createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  await new Promise((resolve) => socket.close(() => resolve(undefined)));
  return port;
}

/**
 * Starts a server of somebody else on a free port, where it is installed, and waits until it is there.
 *
 * @param {string} program
 * @param {(port: string) => readonly string[]} args
 * @param {object} [options]
 * @param {Uint8Array} [options.datagram] - what it answers over UDP; by default it accepts connections over TCP
 * @param {Record<string, string>} [options.env]
 * @returns {Promise<{ port: number, child: import('node:child_process').ChildProcess } | undefined>}
 */
export async function startProgram(program, args, { datagram, env = {} } = {}) {
  if (!isInstalled(program)) return undefined;
  const port = await freePort(datagram === undefined ? 'tcp' : 'udp');
  const child = spawn(program, args(String(port)), {
    stdio: 'ignore',
    env: { ...process.env, PATH, ...env },
  });
  const end = performance.now() + PATIENCE;
  while (!(await (datagram === undefined ? accepts(port) : answers(port, datagram)))) {
    if (performance.now() > end || child.exitCode !== null) {
      child.kill();
      throw new Error(`${program} did not start`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { port, child };
}

/** Whether something accepts connections on a port. @param {number} port */
export function accepts(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Whether something answers a message on a port within a while. @param {number} port @param {Uint8Array} message */
function answers(port, message) {
  return new Promise((resolve) => {
    const socket = dgram.createSocket('udp4');
    const settle = (/** @type {boolean} */ isThere) => {
      clearTimeout(timer);
      socket.close();
      resolve(isThere);
    };
    const timer = setTimeout(() => settle(false), 100);
    socket.on('error', () => undefined).once('message', () => settle(true));
    socket.send(message, port, '127.0.0.1');
  });
}
