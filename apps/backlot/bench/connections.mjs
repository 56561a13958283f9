// Ten thousand connections at a time: `pnpm bench connections [number]`. All are answered and all are gone at the end; and ten
// thousand that never get through the handshake of TLS, while a good client is answered. It needs a high limit of open files
// (`ulimit -n 20000`).
import net from 'node:net';
import tls from 'node:tls';
import { startProbedServer } from './lib/probed-server.mjs';

const WANTED = Number(process.argv[2] ?? 10_000);
const AT_ONCE = 200;
/** A listener takes 10,000 connections, those in their handshake included: the good client is to find a place. */
const ATTACKING = Math.min(WANTED, 9_900);
/** Connections that have to be gone, and answers that have to have come, after so many milliseconds. */
const PATIENCE = 60_000;
const MEBIBYTE = 1024 * 1024;
const KIBIBYTE = 1024;

if (!(WANTED >= 1 && WANTED <= 10_000)) {
  console.error('usage: pnpm bench connections [number, 1 to 10000]');
  process.exit(1);
}

const pause = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param {() => boolean | Promise<boolean>} isSo */
async function until(isSo) {
  for (const end = performance.now() + PATIENCE; performance.now() < end; await pause(50))
    if (await isSo()) return true;
  return false;
}

/** Does something for each number, some of them at a time. @param {number} count @param {(n: number) => Promise<unknown>} each */
async function forAll(count, each) {
  let next = 0;
  const work = async () => {
    while (next < count) await each(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** @param {number} port @returns {Promise<net.Socket>} */
function open(port) {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: '127.0.0.1' }, () => resolve(socket));
    socket.on('error', reject);
  });
}

/** @param {net.Socket} socket @param {string} question @param {string} wanted */
function ask(socket, question, wanted) {
  return new Promise((resolve) => {
    let text = '';
    const settle = (/** @type {boolean} */ isWell) => {
      socket.off('data', take);
      clearTimeout(timer);
      resolve(isWell);
    };
    const timer = setTimeout(() => settle(false), PATIENCE);
    const take = (/** @type {Buffer} */ chunk) => {
      text += chunk.toString('latin1');
      if (text.includes(wanted)) settle(true);
    };
    socket.on('data', take).once('close', () => settle(false));
    socket.write(question);
  });
}

const TALK = /** @type {const} */ ({
  tcp: ['PING', 'PONG'],
  http: ['GET /ping HTTP/1.1\r\nHost: a.test\r\n\r\n', 'pong'],
});

function row(/** @type {unknown[]} */ ...cells) {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

/** @param {'tcp' | 'http'} kind */
async function openMany(kind) {
  const server = await startProbedServer(CONFIG);
  const { port } = (await server.kinds()).get(kind);
  const listed = async () => (await server.kinds()).get(kind).connections;
  const [question, wanted] = TALK[kind];
  // What is made once, such as code, is not the connections'.
  for (let n = 0; n < 200; n += 1) {
    const socket = await open(port);
    await ask(socket, question, wanted);
    socket.destroy();
  }
  const before = await server.measure();
  /** @type {net.Socket[]} */
  const sockets = [];
  await forAll(WANTED, async () => {
    sockets.push(await open(port));
  });
  const isOpen = await until(async () => (await listed()) === WANTED);
  const idle = await server.measure();
  const answers = await Promise.all(sockets.map((socket) => ask(socket, question, wanted)));
  const answered = await server.measure();
  for (const socket of sockets) socket.destroy();
  const isClosed = await until(async () => (await listed()) === 0);
  const after = await server.measure();
  const per = (/** @type {number} */ bytes) => (bytes / WANTED / KIBIBYTE).toFixed(1);
  row(
    kind,
    isOpen ? WANTED : await listed(),
    answers.filter(Boolean).length,
    isClosed ? 0 : await listed(),
    per(idle.heapUsed - before.heapUsed),
    per(idle.rss - before.rss),
    ((after.heapUsed - before.heapUsed) / MEBIBYTE).toFixed(1),
    [idle.stall, answered.stall, after.stall].map((ms) => ms.toFixed(0)).join(', '),
  );
  if (!isOpen || !isClosed || answers.includes(false)) process.exitCode = 1;
  await server.stop();
}

/** The first record of a client's handshake. @param {number} port @returns {Promise<Buffer>} */
function recordHello(port) {
  return new Promise((resolve) => {
    const server = net.createServer((socket) => {
      socket.once('data', (chunk) => {
        resolve(chunk);
        socket.destroy();
        server.close();
      });
    });
    server.listen(0, '127.0.0.1', () => {
      const { port: here } = /** @type {net.AddressInfo} */ (server.address());
      tls
        .connect({ port: here, host: '127.0.0.1', servername: `for-${port}.test` })
        .on('error', () => undefined);
    });
  });
}

/** Those that speak no TLS, those that stop in the middle of their handshake, and those that are slow with it. @param {'garbage' | 'half' | 'slow'} way */
async function attackTls(way) {
  const server = await startProbedServer({
    ...CONFIG,
    protocols: { tcp: { ...CONFIG.protocols.tcp, tls: { self_signed: true } } },
  });
  const { port } = (await server.kinds()).get('tcp');
  const hello = await recordHello(port);
  const talk = () =>
    new Promise((resolve) => {
      const began = performance.now();
      const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
      socket.on('error', () => resolve(Infinity));
      socket.on('data', () => {
        resolve(performance.now() - began);
        socket.destroy();
      });
      socket.write('PING');
    });
  for (let n = 0; n < 20; n += 1) await talk();
  const before = await server.measure();
  /** @type {net.Socket[]} */
  const sockets = [];
  const attack = forAll(ATTACKING, async (n) => {
    const socket = await open(port).catch(() => undefined);
    if (socket === undefined) return;
    socket.on('error', () => undefined);
    sockets.push(socket);
    if (way === 'garbage') {
      socket.end(
        Buffer.from(Array.from({ length: 1 + (n % 300) }, (_, index) => (n * 31 + index * 7) & 255)),
      );
      await new Promise((resolve) => socket.resume().once('close', resolve));
    } else if (way === 'half') {
      // What follows the hello never comes; a third is reset, a third closed, the others are left as they are.
      socket.write(hello.subarray(0, 1 + (n % hello.length)));
      if (n % 3 === 0) socket.resetAndDestroy();
      else if (n % 3 === 1) socket.end();
    } else {
      for (let at = 0; at < 5 && !socket.destroyed; at += 1) {
        socket.write(hello.subarray(at, at + 1));
        await pause(20);
      }
    }
  });
  /** @type {number[]} */
  const waits = [];
  let isOver = false;
  void attack.then(() => (isOver = true));
  while (!isOver) {
    waits.push(/** @type {number} */ (await talk()));
    await pause(100);
  }
  const during = await server.measure();
  const listed = async () => (await server.kinds()).get('tcp').connections;
  const most = await listed();
  const isClosed = await until(async () => (await listed()) === 0);
  const after = await server.measure();
  row(
    way,
    sockets.length,
    most,
    isClosed ? 0 : await listed(),
    `${waits.filter((ms) => ms < PATIENCE).length} of ${waits.length}`,
    Math.max(...waits).toFixed(0),
    during.stall.toFixed(0),
    ((after.heapUsed - before.heapUsed) / MEBIBYTE).toFixed(1),
  );
  if (!isClosed || waits.includes(Infinity)) process.exitCode = 1;
  for (const socket of sockets) socket.destroy();
  await server.stop();
}

const CONFIG = {
  host: '127.0.0.1',
  api: { port: 0 },
  logs: { max_entries: 100 },
  protocols: {
    tcp: { port: 0, idle_timeout: '5m', mocks: [{ match: 'PING', response: 'PONG' }] },
    http: { port: 0, mocks: [{ request: { path: '/ping' }, response: { body: 'pong' } }] },
  },
};

process.stdout.write(`${WANTED} connections open at a time, without TLS\n\n`);
row(
  'kind',
  'open',
  'answered',
  'left',
  'heap of one, KiB',
  'rss of one, KiB',
  'heap after, MB',
  'longest stalls, ms',
);
row('---', '---:', '---:', '---:', '---:', '---:', '---:', '---:');
await openMany('tcp');
await openMany('http');
process.stdout.write(
  `\n${ATTACKING} connections that do not get through the handshake of TLS, ${AT_ONCE} at a time\n\n`,
);
row(
  'clients',
  'connected',
  'most listed',
  'left',
  'good clients answered',
  'slowest, ms',
  'longest stall, ms',
  'heap after, MB',
);
row('---', '---:', '---:', '---:', '---:', '---:', '---:', '---:');
await attackTls('garbage');
await attackTls('half');
await attackTls('slow');
