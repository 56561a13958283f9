// Gets a second: memcached itself (where it is installed) and a bare server of node:net against this plugin, one at a time
// over one connection and over 50, and pipelined over 50, from the store and from 1 and 10,000 mocks. Servers are processes of their own; cases
// take turns, since what else the machine does changes.
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { fileURLToPath } from 'node:url';

const MANY = 10_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SINGLE = Number(process.env.BENCH_SINGLE ?? 10_000);
const SPREAD = Number(process.env.BENCH_SPREAD ?? 100_000);
const PIPELINED = Number(process.env.BENCH_PIPELINED ?? 200_000);
const CONNECTIONS = 50;
/** Commands of one connection that are under way together. */
const BATCH = 50;
const VALUE = 'x'.repeat(100);

const keyOf = (n) => `key:${n % MANY}`;
const answerOf = (key) => `VALUE ${key} 0 ${VALUE.length}\r\n${VALUE}\r\nEND\r\n`;
const SHAPES = { bare: undefined, store: 0, '1 mock': 1, '10,000 mocks': MANY };

const role = process.argv.find((argument) => argument.startsWith('server:'))?.slice('server:'.length);
if (role === undefined) await measure();
else await serve(role);

async function serve(name) {
  const mocks = SHAPES[name];
  process.on('disconnect', () => process.exit());
  if (mocks === undefined) return serveBare();
  const { createHost } = await import('@backlot/core');
  const { memcached } = await import('@backlot/memcached');
  const host = await createHost({
    protocols: [memcached],
    settings: { memcached: { host: '127.0.0.1', port: 0 } },
    seed: 1,
  });
  await host.start();
  if (mocks === 1) host.kind('memcached').mocks.create({ command: 'get', response: { value: VALUE } });
  if (mocks > 1) {
    host.kind('memcached').mocks.createAll(
      Array.from({ length: mocks }, (_, n) => ({
        command: 'get',
        key: keyOf(n),
        response: { value: VALUE },
      })),
    );
  }
  process.send({ port: host.kind('memcached').address.port });
}

/** Answers every line of a chunk with the same value, and knows nothing else. */
function serveBare() {
  const server = net.createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      let out = '';
      for (const line of chunk.toString('latin1').split('\r\n'))
        if (line !== '') out += answerOf(line.slice(4));
      socket.write(out, 'latin1');
    });
  });
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
}

async function measure() {
  const cases = [];
  for (const name of Object.keys(SHAPES)) {
    const child = fork(fileURLToPath(import.meta.url), [`server:${name}`]);
    cases.push({ name, child, port: await portOf(child), single: [], spread: [], pipelined: [] });
  }
  if (spawnSync('sh', ['-c', 'command -v memcached']).status === 0) cases.push(await startReference());
  try {
    for (const { name, port } of cases) {
      if (name === 'store' || name === 'memcached') await fill(port);
      await getOneByOne(port, SINGLE / 5);
      await getSpread(port, SPREAD / 5);
      await getPipelined(port, PIPELINED / 5);
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const each of round % 2 === 0 ? cases : [...cases].reverse()) {
        each.single.push(await getOneByOne(each.port, SINGLE));
        each.spread.push(await getSpread(each.port, SPREAD));
        each.pipelined.push(await getPipelined(each.port, PIPELINED));
      }
    }
    report(cases);
  } finally {
    for (const { child } of cases) child.kill();
  }
}

function report(cases) {
  const reference = cases.find(({ name }) => name === 'memcached') ?? cases[0];
  const of = `of ${reference.name}`;
  console.log(
    `| gets a second | one connection | ${of} | ${CONNECTIONS} connections | ${of} | pipelined | ${of} |`,
  );
  console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: |');
  for (const each of cases) {
    const shown = ['single', 'spread', 'pipelined'].map(
      (way) => `${Math.round(median(each[way]))} | ${compare(each, reference, way)}`,
    );
    console.log(`| ${each.name} | ${shown.join(' | ')} |`);
  }
  const [, , one, many] = cases;
  console.log(
    `\n10,000 mocks of 1 mock: ${compare(many, one, 'spread')} one at a time, ${compare(many, one, 'pipelined')} pipelined`,
  );
}

function compare(one, other, way) {
  return median(one[way].map((rate, round) => rate / other[way][round])).toFixed(2);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

async function portOf(child) {
  const [told] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (typeof told?.port !== 'number') throw new Error('a server did not start');
  return told.port;
}

async function startReference() {
  const probe = net.createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  const child = spawn('memcached', ['-l', '127.0.0.1', '-p', String(port), '-U', '0', '-u', 'root'], {
    stdio: 'ignore',
  });
  for (let tries = 0; tries < 100; tries += 1) {
    const isThere = await new Promise((resolve) => {
      const socket = net.connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isThere) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { name: 'memcached', child, port, single: [], spread: [], pipelined: [] };
}

async function connect(port) {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return socket;
}

async function fill(port) {
  const socket = await connect(port);
  const sets = Array.from({ length: MANY }, (_, n) => `set ${keyOf(n)} 0 0 ${VALUE.length}\r\n${VALUE}\r\n`);
  await exchange(socket, Buffer.from(sets.join('')), MANY * 'STORED\r\n'.length);
  socket.destroy();
}

/** Writes, and resolves when so many bytes have come. */
function exchange(socket, request, size) {
  let bytes = 0;
  return new Promise((resolve) => {
    const count = (chunk) => {
      bytes += chunk.length;
      if (bytes < size) return;
      socket.off('data', count);
      resolve();
    };
    socket.on('data', count);
    socket.write(request);
  });
}

async function getOneByOne(port, count) {
  const socket = await connect(port);
  const began = performance.now();
  for (let n = 0; n < count; n += 1) {
    await exchange(socket, `get ${keyOf(n)}\r\n`, answerOf(keyOf(n)).length);
  }
  const elapsed = performance.now() - began;
  socket.destroy();
  return (count / elapsed) * 1000;
}

/** One at a time on each connection. */
async function getSpread(port, count) {
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => connect(port)));
  const each = count / CONNECTIONS;
  const began = performance.now();
  await Promise.all(
    sockets.map(async (socket, index) => {
      for (let n = index * each; n < (index + 1) * each; n += 1)
        await exchange(socket, `get ${keyOf(n)}\r\n`, answerOf(keyOf(n)).length);
    }),
  );
  const elapsed = performance.now() - began;
  for (const socket of sockets) socket.destroy();
  return (count / elapsed) * 1000;
}

async function getPipelined(port, count) {
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => connect(port)));
  const batches = Array.from({ length: MANY / BATCH }, (_, batch) => {
    const keys = Array.from({ length: BATCH }, (_unused, n) => keyOf(batch * BATCH + n));
    return {
      request: Buffer.from(keys.map((key) => `get ${key}\r\n`).join('')),
      size: keys.reduce((sum, key) => sum + answerOf(key).length, 0),
    };
  });
  const rounds = count / BATCH / CONNECTIONS;
  const began = performance.now();
  await Promise.all(
    sockets.map(async (socket, index) => {
      for (let round = 0; round < rounds; round += 1) {
        const { request, size } = batches[(index * rounds + round) % batches.length];
        await exchange(socket, request, size);
      }
    }),
  );
  const elapsed = performance.now() - began;
  for (const socket of sockets) socket.destroy();
  return (count / elapsed) * 1000;
}
