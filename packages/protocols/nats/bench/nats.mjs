// Messages a second from a publisher to subscribers: nats-server (where it is installed) and a bare fan-out of node:net
// against this plugin, without mocks and with 1 and 10,000 of them. Servers are processes of their own; cases take turns,
// since what else the machine does changes.
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { fileURLToPath } from 'node:url';

const MANY = 10_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 6);
const MESSAGES = Number(process.env.BENCH_MESSAGES ?? 100_000);
/** Messages a publisher sends ahead of what the subscriber has got. */
const UNDER_WAY = 4_000;
const BATCH = 250;
const PAYLOAD = 'x'.repeat(128);
const CONNECT = 'CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true}\r\n';

const subjectOf = (n) => `orders.number.${n}`;
const SHAPES = {
  bare: undefined,
  'no mocks': { mocks: 0, asks: false },
  '10,000 mocks beside': { mocks: MANY, asks: false },
  'answers of 1 mock': { mocks: 1, asks: true, isWild: true },
  'answers of 10,000 mocks': { mocks: MANY, asks: true },
  'answers of 10,000 wildcard mocks': { mocks: MANY, asks: true, isWild: true },
};

const role = process.argv.find((argument) => argument.startsWith('server:'))?.slice('server:'.length);
if (role === undefined) await measure();
else await serve(role);

/** One mock answers every subject that is asked for, many one each; or none of them does. */
function mockSubject({ mocks, asks, isWild }, n) {
  if (!asks) return `beside.${n}`;
  if (mocks === 1) return 'orders.>';
  return isWild ? `${subjectOf(n)}.*` : subjectOf(n);
}

async function serve(name) {
  const shape = SHAPES[name];
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send({ cpu: process.cpuUsage() }));
  if (shape === undefined) return serveBare();
  const { createHost } = await import('@backlot/core');
  const { nats } = await import('@backlot/nats');
  const host = await createHost({
    protocols: [nats],
    settings: { nats: { host: '127.0.0.1', port: 0 } },
    seed: 1,
  });
  await host.start();
  const mocks = Array.from({ length: shape.mocks }, (_, n) => ({
    subject: mockSubject(shape, n),
    response: { payload: PAYLOAD },
  }));
  if (mocks.length > 0) host.kind('nats').mocks.createAll(mocks);
  process.send({ port: host.kind('nats').address.port });
}

/** Gives what one connection sends to all others, and knows nothing of it. */
function serveBare() {
  const sockets = new Set();
  const server = net.createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      for (const other of sockets) if (other !== socket) other.write(chunk);
    });
  });
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
}

async function measure() {
  const cases = [];
  for (const name of Object.keys(SHAPES)) {
    const child = fork(fileURLToPath(import.meta.url), [`server:${name}`]);
    cases.push({ name, child, port: await portOf(child), rates: [], costs: [] });
  }
  if (has('nats-server')) cases.push(await startReference());
  try {
    for (const each of cases) await rateOf(each, MESSAGES / 10);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const each of round % 2 === 0 ? cases : [...cases].reverse()) {
        const { rate, cost } = await rateOf(each, MESSAGES);
        each.rates.push(rate);
        each.costs.push(cost);
      }
    }
    report(cases);
  } finally {
    for (const { child } of cases) child.kill();
  }
}

function report(cases) {
  const [bare] = cases;
  console.log('| nats | messages/s | of bare | server CPU per message |\n| --- | ---: | ---: | ---: |');
  for (const { name, rates, costs } of cases) {
    const ratio = median(rates.map((rate, round) => rate / bare.rates[round]));
    const cost = median(costs);
    const shown = Number.isNaN(cost) ? '' : `${cost.toFixed(2)} us`;
    console.log(`| ${name} | ${Math.round(median(rates))} | ${ratio.toFixed(2)} | ${shown} |`);
  }
  const [, none, beside, one, many, wild] = cases;
  console.log(
    `\n10,000 mocks beside of none: ${compare(beside, none)}; answers of 10,000 mocks of 1: ${compare(many, one)}, ` +
      `with wildcards ${compare(wild, one)}`,
  );
  const reference = cases.find(({ name }) => name === 'nats-server');
  if (reference !== undefined) console.log(`no mocks of nats-server: ${compare(none, reference)}`);
}

function compare(one, other) {
  return median(one.rates.map((rate, round) => rate / other.rates[round])).toFixed(2);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function has(program) {
  return spawnSync('sh', ['-c', `PATH=$PATH:/usr/sbin command -v ${program}`]).status === 0;
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
  const child = spawn('sh', ['-c', `PATH=$PATH:/usr/sbin exec nats-server -a 127.0.0.1 -p ${port}`], {
    stdio: 'ignore',
  });
  for (let tries = 0; tries < 100; tries += 1) {
    const isThere = await new Promise((resolve) => {
      const socket = net.connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.once('close', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isThere) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { name: 'nats-server', child, port, rates: [], costs: [] };
}

async function cpuOf({ child, name }) {
  if (name === 'nats-server') return Number.NaN;
  child.send('cpu');
  const [{ cpu }] = await once(child, 'message');
  return cpu.user + cpu.system;
}

/** One connection publishes, another gets either what was published or what mocks answer. */
async function rateOf(each, messages) {
  const shape = SHAPES[each.name];
  const isBare = each.name === 'bare';
  const subscriber = await connect(each.port, isBare);
  const publisher = await connect(each.port, isBare);
  if (!isBare) {
    subscriber.write(`${CONNECT}SUB ${shape?.asks ? 'answers' : 'orders.>'} 1\r\nPING\r\n`);
    publisher.write(`${CONNECT}PING\r\n`);
    await Promise.all([pong(subscriber), pong(publisher)]);
  }
  const before = await cpuOf(each);
  const began = performance.now();
  await pump(publisher, subscriber, shape ?? {}, messages, isBare);
  const elapsed = performance.now() - began;
  const after = await cpuOf(each);
  publisher.destroy();
  subscriber.destroy();
  return { rate: (messages / elapsed) * 1000, cost: (after - before) / messages };
}

async function connect(port, isBare) {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, isBare ? 'connect' : 'data');
  return socket;
}

async function pong(socket) {
  let text = '';
  while (!text.endsWith('PONG\r\n')) text += String((await once(socket, 'data'))[0]);
}

/** Publishes, never more than a window ahead of what has come; what comes is counted by its size. */
function pump(publisher, subscriber, { asks = false, isWild = false }, messages, isBare) {
  const line = (n) =>
    `PUB ${subjectOf(n)}${isWild ? '.any' : ''}${asks ? ' answers' : ''} ${PAYLOAD.length}\r\n${PAYLOAD}\r\n`;
  const subjects = asks ? MANY : 1;
  const batches = Array.from({ length: Math.max(1, subjects / BATCH) }, (_, batch) =>
    Buffer.from(Array.from({ length: BATCH }, (_unused, n) => line((batch * BATCH + n) % subjects)).join('')),
  );
  const delivered = `MSG ${asks ? 'answers' : subjectOf(0)} 1 ${PAYLOAD.length}\r\n${PAYLOAD}\r\n`;
  const size = (isBare ? line(0) : delivered).length;
  let sent = 0;
  let bytes = 0;
  const send = () => {
    while (sent < messages && sent - bytes / size < UNDER_WAY) {
      publisher.write(batches[(sent / BATCH) % batches.length]);
      sent += BATCH;
    }
  };
  return new Promise((resolve) => {
    subscriber.on('data', (chunk) => {
      bytes += chunk.length;
      if (bytes >= messages * size) resolve();
      else send();
    });
    send();
  });
}
