import { expect, it } from '@jest/globals';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { run } from '../scripts/lib/run.mjs';
import { listDefaultPorts, occupy } from '../scripts/lib/occupy.mjs';
import { ROOT } from '../scripts/lib/workspace.mjs';

/**
 * Listens on a port of 127.0.0.1.
 *
 * @param {number} port
 */
async function listen(port) {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/**
 * @param {number} port
 * @returns {Promise<string>} what somebody who connects to it is told
 */
async function ask(port) {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let text = '';
  socket.on('data', (chunk) => (text += chunk));
  await once(socket, 'close');
  return text;
}

/** @param {number} port */
async function bind(port) {
  const socket = createSocket('udp4');
  try {
    socket.bind(port, '127.0.0.1');
    await once(socket, 'listening');
  } finally {
    socket.close();
  }
}

it('the default ports are those of every kind and that of the management API', () => {
  const protocols = join(ROOT, 'packages/protocols');
  const ports = readdirSync(protocols).map((kind) =>
    Number(/defaultPort: (\d+)/.exec(readFileSync(join(protocols, kind, 'src/plugin.ts'), 'utf8'))?.[1]),
  );
  expect(listDefaultPorts()).toEqual(expect.arrayContaining([9091, ...ports]));
});

it('occupied ports belong to somebody else until they are given back', async () => {
  const free = await listen(0);
  const { port } = /** @type {import('node:net').AddressInfo} */ (free.address());
  await new Promise((done) => free.close(done));
  /** @type {string[]} */
  const contacts = [];
  const release = await occupy([port], (at, transport) => contacts.push(`${transport} ${at === port}`));
  await expect(listen(port)).rejects.toThrow('EADDRINUSE');
  await expect(bind(port)).rejects.toThrow('EADDRINUSE');
  expect(await ask(port)).toBe('this is not Backlot\r\n');
  expect(contacts).toEqual(['tcp true']);
  await release();
  await bind(port);
  await new Promise((done) => void listen(port).then((server) => server.close(done)));
});

it('a port that another program has is as good', async () => {
  const other = await listen(0);
  const { port } = /** @type {import('node:net').AddressInfo} */ (other.address());
  const release = await occupy([port]);
  await release();
  expect(other.listening).toBe(true);
  await new Promise((done) => other.close(done));
});

const SCRIPT = join(ROOT, 'packages/tooling/scripts/occupy-ports.mjs');

/** @returns {Promise<number>} a port that is free for connections and datagrams */
async function freePort() {
  const server = await listen(0);
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await new Promise((done) => server.close(done));
  return port;
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<import('../scripts/lib/run.mjs').Ended>}
 */
function occupying(...args) {
  return run(process.execPath, [SCRIPT, ...args], { capture: true });
}

it('a command beside which nobody has talked to an occupied port ends as it does', async () => {
  const port = String(await freePort());
  const quiet = await occupying('--ports', port, process.execPath, '-e', 'console.log("ran")');
  expect(quiet).toEqual({ code: 0, output: 'ran\n' });
  const failed = await occupying('--ports', port, process.execPath, '-e', 'process.exit(3)');
  expect(failed).toEqual({ code: 3, output: '' });
});

it.each([
  ['tcp', `require('net').connect(Number(process.argv[1]), '127.0.0.1').resume()`],
  [
    'udp',
    `const s = require('dgram').createSocket('udp4'); s.send('x', Number(process.argv[1]), '127.0.0.1', () => s.close())`,
  ],
])('one that has talked to one by %s fails, with the port', async (transport, program) => {
  const port = String(await freePort());
  const { code, output } = await occupying('--ports', port, process.execPath, '-e', program, port);
  expect(code).toBe(1);
  expect(output).toBe(
    `error: something talked to port ${port} (${transport}), which belongs to another program: a test takes a port of its own\n`,
  );
});

it.each([[[]], [['--ports', 'x', 'true']], [['--ports', '1']]])('%j is refused', async (args) => {
  expect(await occupying(...args)).toMatchObject({ code: 1, output: expect.stringContaining('usage: ') });
});
