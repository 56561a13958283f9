// What a request costs: libcoap's example server against this plugin with 1 and with 10,000 mocks. The same client of
// node:dgram loads all of them with so many requests under way. Servers are processes of their own; cases take turns,
// since what else the machine does changes.
import { fork, spawn, spawnSync } from 'node:child_process';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const MANY = 10_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 1);
const UNDER_WAY = 64;
const LIBCOAP = 'coap-server-notls';

const role = process.argv.find((argument) => argument.startsWith('server:'))?.slice('server:'.length);
if (role === undefined) await measure();
else await serve(role);

async function serve(name) {
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send({ cpu: process.cpuUsage() }));
  const { createHost } = await import('@backlot/core');
  const { coap } = await import('@backlot/coap');
  const host = await createHost({
    protocols: [coap],
    settings: { coap: { host: '127.0.0.1', port: 0 } },
    seed: 1,
  });
  await host.start();
  const mocks = Array.from({ length: name === 'many' ? MANY : 1 }, (_, n) => ({
    method: 'GET',
    path: `/sensor/${n}`,
    response: { payload: '22.5 C' },
  }));
  host.kind('coap').mocks.createAll(mocks);
  process.send({ port: host.kind('coap').address.port });
}

async function measure() {
  const cases = [];
  try {
    if (spawnSync('sh', ['-c', `command -v ${LIBCOAP}`]).status === 0) cases.push(await startLibcoap());
    for (const [name, label, count] of [
      ['one', '1 mock', 1],
      ['many', `${MANY.toLocaleString('en')} mocks`, MANY],
    ]) {
      const child = fork(fileURLToPath(import.meta.url), [`server:${name}`]);
      const [{ port }] = await once(child, 'message');
      const paths = Array.from({ length: count }, (_, n) => ['sensor', String(n)]);
      cases.push({ label, child, port, paths, rates: [], costs: [] });
    }
    for (const each of cases) await load(each);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const each of round % 2 === 0 ? cases : [...cases].reverse()) {
        const before = await cpuOf(each);
        const rate = await load(each);
        each.rates.push(rate);
        each.costs.push(((await cpuOf(each)) - before) / (rate * SECONDS));
      }
    }
    print(cases);
  } finally {
    for (const { child } of cases) child.kill();
  }
}

function print(cases) {
  const [base] = cases;
  console.log(`| Server | Requests/s | Of ${base.label} | CPU per request |\n|---|---|---|---|`);
  for (const { label, rates, costs } of cases) {
    const ratio = median(rates.map((rate, round) => rate / base.rates[round]));
    const cost = `${median(costs).toFixed(1)} us`;
    console.log(`| ${label} | ${Math.round(median(rates))} | ${ratio.toFixed(2)} | ${cost} |`);
  }
  const [one, many] = cases.slice(-2);
  const flat = median(many.rates.map((rate, round) => rate / one.rates[round]));
  console.log(`\n10,000 mocks of 1 mock: ${flat.toFixed(2)}`);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** Microseconds of processor time that a server has used. */
async function cpuOf({ child, label }) {
  if (label === 'libcoap') {
    // Fields 14 and 15 of proc(5), in hundredths of a second.
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  }
  child.send('cpu');
  const [{ cpu }] = await once(child, 'message');
  return cpu.user + cpu.system;
}

async function startLibcoap() {
  const probe = dgram.createSocket('udp4');
  await new Promise((resolve) => probe.bind(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  const child = spawn(LIBCOAP, ['-A', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  const server = { label: 'libcoap', child, port, paths: [['time']], rates: [], costs: [] };
  const socket = dgram.createSocket('udp4');
  const ask = () => socket.send(encodeGet(server.paths[0], 1), port, '127.0.0.1');
  const timer = setInterval(ask, 100);
  socket.on('error', () => undefined);
  await once(socket, 'message', { signal: AbortSignal.timeout(10_000) });
  clearInterval(timer);
  socket.close();
  return server;
}

/** A confirmable GET whose token is a number, so that no two of a round are equal. */
function encodeGet(path, n) {
  const head = Buffer.alloc(8);
  head[0] = 0x44;
  head[1] = 1;
  head.writeUInt16BE(n & 0xffff, 2);
  head.writeUInt32BE(n, 4);
  const options = path.map((segment, index) =>
    Buffer.concat([Buffer.of(((index === 0 ? 11 : 0) << 4) | segment.length), Buffer.from(segment)]),
  );
  return Buffer.concat([head, ...options]);
}

async function load({ port, paths }) {
  const socket = dgram.createSocket('udp4');
  const packets = paths.map((path) => encodeGet(path, 0));
  let n = 0;
  const ask = () => {
    const octets = Buffer.from(packets[n % packets.length]);
    octets.writeUInt16BE(n & 0xffff, 2);
    octets.writeUInt32BE(n, 4);
    n += 1;
    socket.send(octets, port, '127.0.0.1');
  };
  let answered = 0;
  const end = performance.now() + SECONDS * 1000;
  await new Promise((resolve, reject) => {
    socket.on('message', (answer) => {
      if (answer[1] !== 0x45) return reject(new Error(`answer with code ${answer[1]}`));
      answered += 1;
      if (performance.now() >= end) resolve();
      else ask();
    });
    for (let started = 0; started < UNDER_WAY; started += 1) ask();
  });
  socket.close();
  return answered / SECONDS;
}
