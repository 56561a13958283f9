// What a small message and a request cost, beside nats-server where it is installed: messages that nobody subscribes to, and
// requests that a client or a mock answers. Servers are processes of their own; cases take turns.
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { fileURLToPath } from 'node:url';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SMALL = 200_000;
const REQUESTS = 20_000;
/** How many requests one client has under way. */
const WINDOWS = [1, 16, 256];
/** Messages that are written together. */
const BATCH = 1000;
const CONNECT = 'CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true}\r\n';
const SMALL_MESSAGES = Buffer.from('PUB orders.new 16\r\n0123456789abcdef\r\n'.repeat(BATCH));

if (process.argv[2] === 'server') await serve();
else await measure();

async function serve() {
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send({ cpu: process.cpuUsage() }));
  const { createHost } = await import('@backlot/core');
  const { nats } = await import('@backlot/nats');
  const host = await createHost({
    protocols: [nats],
    settings: {
      nats: { host: '127.0.0.1', port: 0, mocks: [{ subject: 'mocked.*', response: { payload: 'pong' } }] },
    },
    seed: 1,
  });
  await host.start();
  process.send({ port: host.kind('nats').address.port });
}

async function measure() {
  const child = fork(fileURLToPath(import.meta.url), ['server']);
  const [{ port }] = await once(child, 'message');
  const ours = { port, child };
  const reference = await startReference();
  const cases = [{ label: 'publish', server: ours, run: publish }];
  if (reference !== undefined) cases.push({ label: 'nats-server, publish', server: reference, run: publish });
  for (const window of WINDOWS) {
    const ask = (server, subject, name) =>
      cases.push({
        label: `${window} under way, ${name}`,
        server,
        run: (at) => request(at, subject, window),
        window,
      });
    ask(ours, 'client.a', 'a client answers');
    ask(ours, 'mocked.a', 'a mock answers');
    if (reference !== undefined) ask(reference, 'client.a', 'nats-server, a client answers');
  }
  try {
    for (const each of cases) {
      await each.run(each.server.port);
      Object.assign(each, { rates: [], costs: [] });
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const each of round % 2 === 0 ? cases : [...cases].reverse()) {
        const before = await cpuOf(each.server);
        const began = performance.now();
        const count = await each.run(each.server.port);
        each.rates.push((count / (performance.now() - began)) * 1000);
        each.costs.push(((await cpuOf(each.server)) - before) / count);
      }
    }
  } finally {
    child.kill();
    reference?.child.kill();
  }
  report(cases);
}

function report(cases) {
  console.log('| nats | messages or requests/s | server CPU |\n| --- | ---: | ---: |');
  for (const { label, rates, costs } of cases) {
    const cost = median(costs);
    const shown = Number.isNaN(cost) ? '' : `${cost.toFixed(2)} us`;
    console.log(`| ${label} | ${Math.round(median(rates)).toLocaleString('en')} | ${shown} |`);
  }
  const perCore = 1_000_000 / median(cases[0].costs);
  console.log(
    `\npublish for each second of processor time: ${Math.round(perCore).toLocaleString('en')} (at least 500,000)`,
  );
  for (const window of WINDOWS) {
    const [answered, mocked, reference] = cases.filter((each) => each.window === window);
    if (reference === undefined) return;
    const of = (one) => median(one.rates.map((rate, round) => rate / reference.rates[round])).toFixed(2);
    console.log(
      `${window} requests under way, of nats-server: ${of(answered)} by a client, ${of(mocked)} by a mock (at least 0.6)`,
    );
  }
}

/** Publishes what nobody gets, and waits until the server has read it all. */
async function publish(port) {
  const socket = await connect(port);
  for (let sent = 0; sent < SMALL; sent += BATCH)
    if (!socket.write(SMALL_MESSAGES)) await once(socket, 'drain');
  socket.write('PING\r\n');
  await untilText(socket, 'PONG\r\n');
  socket.destroy();
  return SMALL;
}

/** Keeps requests under way, answered by another client where no mock does. */
async function request(port, subject, window) {
  const responder = await connect(port);
  responder.write('SUB client.* 1\r\n');
  const answer = Buffer.from('PUB inbox.a 4\r\npong\r\n');
  const asked = `MSG ${subject} 1 inbox.a 4\r\nping\r\n`.length;
  let bytes = 0;
  responder.on('data', (chunk) => {
    bytes += chunk.length;
    const count = Math.floor(bytes / asked);
    bytes -= count * asked;
    if (count > 0) responder.write(Buffer.concat(Array.from({ length: count }, () => answer)));
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  const requester = await connect(port);
  requester.write('SUB inbox.a 1\r\n');
  const ask = Buffer.from(`PUB ${subject} inbox.a 4\r\nping\r\n`);
  const size = 'MSG inbox.a 1 4\r\npong\r\n'.length;
  let got = 0;
  await new Promise((resolve) => {
    let sent = window;
    requester.on('data', (chunk) => {
      got += chunk.length;
      const answered = Math.floor(got / size);
      if (answered >= REQUESTS) return resolve();
      const more = Math.min(REQUESTS, answered + window) - sent;
      if (more <= 0) return;
      sent += more;
      requester.write(Buffer.concat(Array.from({ length: more }, () => ask)));
    });
    requester.write(Buffer.concat(Array.from({ length: window }, () => ask)));
  });
  requester.destroy();
  responder.destroy();
  return REQUESTS;
}

async function connect(port) {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'data');
  socket.write(`${CONNECT}PING\r\n`);
  await untilText(socket, 'PONG\r\n');
  return socket;
}

async function untilText(socket, text) {
  let seen = '';
  while (!seen.endsWith(text)) seen += String((await once(socket, 'data'))[0]);
}

async function cpuOf({ child, isForeign }) {
  if (isForeign === true) return Number.NaN;
  child.send('cpu');
  const [{ cpu }] = await once(child, 'message');
  return cpu.user + cpu.system;
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

async function startReference() {
  const path = `${process.env.PATH}:/usr/sbin`;
  if (spawnSync('sh', ['-c', 'command -v nats-server'], { env: { PATH: path } }).status !== 0)
    return undefined;
  const probe = net.createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  const child = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port)], {
    stdio: 'ignore',
    env: { ...process.env, PATH: path },
  });
  for (let tries = 0; tries < 100; tries += 1) {
    const isThere = await new Promise((resolve) => {
      const socket = net.connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isThere) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { port, child, isForeign: true };
}
