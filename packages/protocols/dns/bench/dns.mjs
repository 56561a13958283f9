// What a query costs: node:dgram with dns-packet against this plugin with 1 and with 10,000 mocks; dnsmasq, where it is
// installed, for scale. dnsperf makes the load, or a client of node:dgram without it. Servers are processes of their own;
// cases take turns, since what else the machine does changes.
import { execFile, fork, spawn, spawnSync } from 'node:child_process';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packet from 'dns-packet';

const MANY = 10_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 1);
const UNDER_WAY = 64;

const nameOf = (n) => `host${n}.example.com`;
const addressOf = (n) => `192.0.${n >> 8}.${n & 255}`;

const role = process.argv.find((argument) => argument.startsWith('server:'))?.slice('server:'.length);
if (role === undefined) await measure();
else await serve(role);

async function serve(name) {
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send({ cpu: process.cpuUsage() }));
  if (name === 'bare') {
    const socket = dgram.createSocket('udp4');
    socket.on('message', (octets, remote) => {
      const query = packet.decode(octets);
      const [question] = query.questions;
      const answer = {
        type: 'response',
        id: query.id,
        flags: packet.AUTHORITATIVE_ANSWER,
        questions: query.questions,
        answers: [{ type: 'A', name: question.name, ttl: 60, data: '192.0.2.1' }],
      };
      socket.send(packet.encode(answer), remote.port, remote.address);
    });
    socket.bind(0, '127.0.0.1', () => process.send({ port: socket.address().port }));
    return;
  }
  const { createHost } = await import('@backlot/core');
  const { dns } = await import('@backlot/dns');
  const host = await createHost({
    protocols: [dns],
    settings: { dns: { host: '127.0.0.1', port: 0 } },
    seed: 1,
  });
  await host.start();
  const mocks = Array.from({ length: name === 'many' ? MANY : 1 }, (_, n) => ({
    name: nameOf(n),
    records: [addressOf(n)],
  }));
  host.kind('dns').mocks.createAll(mocks);
  process.send({ port: host.kind('dns').address.port });
}

async function measure() {
  const folder = await mkdtemp(join(tmpdir(), 'backlot-bench-'));
  const cases = [];
  try {
    const files = { one: join(folder, 'one'), many: join(folder, 'many') };
    await writeFile(files.one, `${nameOf(0)} A\n`);
    await writeFile(files.many, Array.from({ length: MANY }, (_, n) => `${nameOf(n)} A\n`).join(''));
    for (const [name, label] of [
      ['bare', 'bare dgram + dns-packet'],
      ['one', '1 mock'],
      ['many', `${MANY.toLocaleString('en')} mocks`],
    ]) {
      const child = fork(fileURLToPath(import.meta.url), [`server:${name}`]);
      const port = await portOf(child);
      cases.push({
        label,
        child,
        port,
        count: name === 'many' ? MANY : 1,
        file: name === 'many' ? files.many : files.one,
        rates: [],
        costs: [],
      });
    }
    if (has('dnsmasq')) cases.push(await startDnsmasq(files.one));
    const load = has('dnsperf') ? dnsperf : dgramClient;
    for (const each of cases) await load(each);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const each of round % 2 === 0 ? cases : [...cases].reverse()) {
        const before = await cpuOf(each);
        const { rate, answered } = await load(each);
        each.rates.push(rate);
        each.costs.push(((await cpuOf(each)) - before) / answered);
      }
    }
    report(cases, load.name);
  } finally {
    for (const { child } of cases) child.kill();
    await rm(folder, { recursive: true });
  }
}

function report(cases, load) {
  const [bare, one, many] = cases;
  console.log(`| dns (${load}) | queries/s | of bare | server CPU per query |\n| --- | ---: | ---: | ---: |`);
  for (const { label, rates, costs } of cases) {
    const ratio = median(rates.map((rate, round) => rate / bare.rates[round]));
    const cost = median(costs);
    console.log(
      `| ${label} | ${Math.round(median(rates))} | ${ratio.toFixed(2)} | ${Number.isNaN(cost) ? '' : `${cost.toFixed(1)} us`} |`,
    );
  }
  const flat = median(many.rates.map((rate, round) => rate / one.rates[round]));
  console.log(`\n10,000 mocks of 1 mock: ${flat.toFixed(2)}`);
}

async function portOf(child) {
  const [told] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (typeof told?.port !== 'number') throw new Error('a server did not start');
  return told.port;
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function has(program) {
  return spawnSync('sh', ['-c', `PATH=$PATH:/usr/sbin command -v ${program}`]).status === 0;
}

async function cpuOf({ child, label }) {
  if (label === 'dnsmasq') return Number.NaN;
  child.send('cpu');
  const [{ cpu }] = await once(child, 'message');
  return cpu.user + cpu.system;
}

async function startDnsmasq(file) {
  const probe = dgram.createSocket('udp4');
  await new Promise((resolve) => probe.bind(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  const child = spawn(
    'sh',
    [
      '-c',
      `PATH=$PATH:/usr/sbin exec dnsmasq --no-daemon --conf-file=/dev/null --no-resolv --no-hosts --listen-address=127.0.0.1 --bind-interfaces --user=$(id -un) --port=${port} --address=/${nameOf(0)}/192.0.2.1`,
    ],
    { stdio: 'ignore' },
  );
  await answersOn(port);
  return { label: 'dnsmasq', child, port, count: 1, file, rates: [], costs: [] };
}

/** Resolves once something answers on the port. */
async function answersOn(port) {
  const socket = dgram.createSocket('udp4');
  const octets = packet.encode({ type: 'query', id: 1, questions: [{ type: 'A', name: nameOf(0) }] });
  const ask = () => socket.send(octets, port, '127.0.0.1');
  const timer = setInterval(ask, 100);
  socket.on('error', () => undefined);
  await once(socket, 'message', { signal: AbortSignal.timeout(10_000) });
  clearInterval(timer);
  socket.close();
}

function dnsperf({ label, port, file }) {
  const words = [
    '-s',
    '127.0.0.1',
    '-p',
    String(port),
    '-d',
    file,
    '-l',
    String(SECONDS),
    '-c',
    '4',
    '-q',
    String(UNDER_WAY),
    '-t',
    '1',
  ];
  return new Promise((resolve, reject) =>
    execFile('dnsperf', words, (error, output) => {
      if (error) return reject(error);
      const rate = Number(/Queries per second:\s+([\d.]+)/.exec(output)?.[1]);
      const answered = Number(/Queries completed:\s+(\d+)/.exec(output)?.[1]);
      const good = Number(/NOERROR (\d+)/.exec(output)?.[1]);
      if (good !== answered) return reject(new Error(`not every answer of ${label} was good:\n${output}`));
      resolve({ rate, answered });
    }),
  );
}

async function dgramClient({ port, count }) {
  const socket = dgram.createSocket('udp4');
  let n = 0;
  const ask = () => {
    const octets = packet.encode({
      type: 'query',
      id: n & 0xffff,
      questions: [{ type: 'A', name: nameOf(n % count) }],
    });
    n += 1;
    socket.send(octets, port, '127.0.0.1');
  };
  let answered = 0;
  const end = performance.now() + SECONDS * 1000;
  await new Promise((resolve) => {
    socket.on('message', () => {
      answered += 1;
      if (performance.now() >= end) resolve();
      else ask();
    });
    for (let started = 0; started < UNDER_WAY; started += 1) ask();
  });
  socket.close();
  return { rate: answered / SECONDS, answered };
}
