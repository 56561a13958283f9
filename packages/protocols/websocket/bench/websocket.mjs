// What a message costs: a bare `ws` echo server against this plugin, as a constant answer and as a template's echo, with 1
// and with 1,000 mocks. Servers are processes of their own; cases take turns, since what else the machine does changes.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';

const MANY = 1_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 8);
const ROUND_MS = Number(process.env.BENCH_MS ?? 400);
const CONNECTIONS = Number(process.env.BENCH_CONNECTIONS ?? 64);
const UNDER_WAY = Number(process.env.BENCH_UNDER_WAY ?? 4);

const messageOf = (n) => `message number ${String(n).padStart(4, '0')} of a client that asks for an answer`;
const constant = (n) => ({ path: '/bench', on_message: [{ match: messageOf(n), respond: messageOf(n) }] });
const echo = { path: '/bench', on_message: [{ respond: '{{request.raw_body}}' }] };
const SHAPES = {
  bare: undefined,
  constant: [constant(0)],
  'constant-many': Array.from({ length: MANY }, (_, n) => constant(n)),
  echo: [echo],
  'echo-many': [
    ...Array.from({ length: MANY - 1 }, (_, n) => ({ ...constant(n), path: `/other/${n}` })),
    echo,
  ],
};

const MASK = Buffer.from([0x37, 0xfa, 0x21, 0x3d]);
const frames = Array.from({ length: MANY }, (_, n) => {
  const payload = Buffer.from(messageOf(n));
  return Buffer.concat([
    Buffer.from([0x81, 0x80 | payload.length]),
    MASK,
    payload.map((byte, index) => byte ^ MASK[index & 3]),
  ]);
});
const ANSWER = frames[0].length - MASK.length;

const role = process.argv.find((argument) => argument.startsWith('server:'))?.slice('server:'.length);
if (role === undefined) await measure();
else await serve(role);

async function serve(name) {
  const mocks = SHAPES[name];
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send({ cpu: process.cpuUsage() }));
  if (mocks === undefined) {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    server.on('connection', (socket) => {
      socket.on('error', () => undefined);
      socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
    });
    await once(server, 'listening');
    process.send({ port: server.address().port });
    return;
  }
  const { createHost } = await import('@backlot/core');
  const { websocket } = await import('@backlot/websocket');
  const host = await createHost({
    protocols: [websocket],
    settings: { websocket: { host: '127.0.0.1', port: 0 } },
    seed: 1,
  });
  await host.start();
  host.kind('websocket').mocks.createAll(mocks);
  process.send({ port: host.kind('websocket').address.port });
}

async function measure() {
  const cases = [];
  for (const name of Object.keys(SHAPES)) {
    const child = fork(fileURLToPath(import.meta.url), [`server:${name}`]);
    cases.push({ name, child, port: await portOf(child), rates: [], costs: [] });
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
  console.log(`${CONNECTIONS} connections, ${UNDER_WAY} messages under way on each\n`);
  console.log(
    '| websocket | messages/s | of bare | server CPU per message | of bare |\n| --- | ---: | ---: | ---: | ---: |',
  );
  for (const { name, rates, costs } of cases) {
    const rate = median(rates.map((each, round) => each / bare.rates[round]));
    const cost = median(costs.map((each, round) => each / bare.costs[round]));
    console.log(
      `| ${name} | ${Math.round(median(rates))} | ${rate.toFixed(2)} | ${median(costs).toFixed(1)} us | ${cost.toFixed(2)} |`,
    );
  }
  const [, one, many, echoOne, echoMany] = cases;
  console.log(`\n1,000 mocks of 1 mock: constant ${compare(many, one)}, echo ${compare(echoMany, echoOne)}`);
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
  const count = name === 'constant-many' ? MANY : 1;
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => connect(port)));
  const before = await cpuOf(child);
  const began = performance.now();
  const end = began + milliseconds;
  const counts = await Promise.all(clients.map((socket, index) => runClient(socket, count, index, end)));
  const elapsed = performance.now() - began;
  const after = await cpuOf(child);
  for (const socket of clients) socket.destroy();
  const messages = counts.reduce((sum, each) => sum + each, 0);
  return { rate: (messages / elapsed) * 1000, cost: (after - before) / messages };
}

async function cpuOf(child) {
  child.send('cpu');
  const [{ cpu }] = await once(child, 'message');
  return cpu.user + cpu.system;
}

/** A client that costs as little as can be: frames are made beforehand, and answers are counted by their length. */
async function connect(port) {
  const socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
  await once(socket, 'connect');
  socket.write(
    'GET /bench HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  let head = '';
  while (!head.includes('\r\n\r\n')) head += (await once(socket, 'data')).toString();
  if (!head.startsWith('HTTP/1.1 101 ')) throw new Error(head);
  return socket;
}

/** Keeps some messages under way until the time is over and all are answered. */
function runClient(socket, count, index, end) {
  let n = (index * 617) % count;
  let waiting = 0;
  let received = 0;
  let answered = 0;
  const send = () => {
    socket.write(frames[n]);
    n = (n + 1) % count;
    waiting += 1;
  };
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('a server closed a connection')));
    socket.on('data', (chunk) => {
      received += chunk.length;
      const whole = Math.floor(received / ANSWER);
      received -= whole * ANSWER;
      waiting -= whole;
      answered += whole;
      if (performance.now() < end) for (let each = 0; each < whole; each += 1) send();
      else if (waiting === 0) resolve(answered);
    });
    for (let each = 0; each < UNDER_WAY; each += 1) send();
  });
}
