// What a message costs: a bare node:net server against this plugin, as a constant answer and as a template's echo, with 1
// and with 10,000 mocks. Servers are processes of their own; cases take turns, since what else the machine does changes.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { fileURLToPath } from 'node:url';

const MANY = 10_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 8);
const ROUND_MS = Number(process.env.BENCH_MS ?? 400);
const CONNECTIONS = 16;

const messageOf = (n) => `message number ${n} of a client that asks for an answer\n`;
const SHAPES = {
  bare: undefined,
  exact: { count: 1, mock: (n) => ({ match: messageOf(n), response: messageOf(n) }) },
  'exact-many': { count: MANY, mock: (n) => ({ match: messageOf(n), response: messageOf(n) }) },
  echo: { count: 1, mock: () => ({ match: '*', response: '{{request.raw_body}}' }) },
  'echo-many': {
    count: MANY,
    mock: (n) =>
      n === 0
        ? { match: '*', response: '{{request.raw_body}}', priority: -1 }
        : { match: `never ${n}\n`, response: 'x' },
  },
};

const messages = Array.from({ length: MANY }, (_, n) => Buffer.from(messageOf(n)));
const role = process.argv.find((argument) => argument.startsWith('server:'))?.slice('server:'.length);
if (role === undefined) await measure();
else await serve(role);

async function serve(name) {
  const shape = SHAPES[name];
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send({ cpu: process.cpuUsage() }));
  if (shape === undefined) {
    const server = net.createServer({ noDelay: true }, (socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => socket.write(chunk));
    });
    server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
    return;
  }
  const { createHost } = await import('@backlot/core');
  const { tcp } = await import('@backlot/tcp');
  const host = await createHost({
    protocols: [tcp],
    settings: { tcp: { host: '127.0.0.1', port: 0 } },
    seed: 1,
  });
  await host.start();
  host.kind('tcp').mocks.createAll(Array.from({ length: shape.count }, (_, n) => shape.mock(n)));
  process.send({ port: host.kind('tcp').address.port });
}

async function measure() {
  const cases = [];
  for (const name of Object.keys(SHAPES)) {
    const child = fork(fileURLToPath(import.meta.url), [`server:${name}`]);
    const port = await portOf(child);
    cases.push({ name, child, port, rates: [], costs: [] });
  }
  try {
    for (const each of cases) await rateOf(each, 300);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const each of round % 2 === 0 ? cases : [...cases].reverse()) {
        const { rate, cost } = await rateOf(each, ROUND_MS);
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
  console.log('| tcp | messages/s | of bare | server CPU per message |\n| --- | ---: | ---: | ---: |');
  for (const { name, rates, costs } of cases) {
    const ratio = median(rates.map((rate, round) => rate / bare.rates[round]));
    console.log(
      `| ${name} | ${Math.round(median(rates))} | ${ratio.toFixed(2)} | ${median(costs).toFixed(1)} us |`,
    );
  }
  const [, exact, exactMany, echo, echoMany] = cases;
  console.log(
    `\n10,000 mocks of 1 mock: exact ${compare(exactMany, exact)}, echo ${compare(echoMany, echo)}`,
  );
}

function compare(one, other) {
  return median(one.rates.map((rate, round) => rate / other.rates[round])).toFixed(2);
}

async function portOf(child) {
  const [told] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (typeof told?.port !== 'number') throw new Error('a server did not start');
  return told.port;
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

async function rateOf({ child, port, name }, milliseconds) {
  const count = name === 'exact-many' ? MANY : 1;
  const before = await cpuOf(child);
  const began = performance.now();
  const end = began + milliseconds;
  const counts = await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, index) => runClient(port, count, index, end)),
  );
  const elapsed = performance.now() - began;
  const after = await cpuOf(child);
  const messages = counts.reduce((sum, each) => sum + each, 0);
  return { rate: (messages / elapsed) * 1000, cost: (after - before) / messages };
}

async function cpuOf(child) {
  child.send('cpu');
  const [{ cpu }] = await once(child, 'message');
  return cpu.user + cpu.system;
}

/** Sends a message, waits for the whole answer, and so on. */
async function runClient(port, count, index, end) {
  const socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
  await once(socket, 'connect');
  let n = (index * 617) % count;
  let message = messages[n];
  let received = 0;
  let answered = 0;
  await new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      received += chunk.length;
      if (received < message.length) return;
      received = 0;
      answered += 1;
      if (performance.now() >= end) return resolve();
      n = (n + 1) % count;
      message = messages[n];
      socket.write(message);
    });
    socket.write(message);
  });
  socket.destroy();
  return answered;
}
