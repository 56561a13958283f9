// What a GET (v2c) costs: a bare agent of net-snmp with a scalar against this plugin with 1 and with 10,000 mocks, GETNEXT
// over 10,000 too; snmpd, where it is installed, for scale. Servers are processes of their own; cases take turns, since
// what else the machine does changes.
import { fork, spawn, spawnSync } from 'node:child_process';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MANY = 10_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 1);
const UNDER_WAY = 64;
const GET = 0xa0;
const GETNEXT = 0xa1;

const OBJECT = [1, 3, 6, 1, 4, 1, 99, 1];
/** `.0` for the scalar of one, `.n` for the rows of many. */
const oidOf = (row) => [...OBJECT, row];

const role = process.argv.find((argument) => argument.startsWith('server:'))?.slice('server:'.length);
if (role === undefined) await measure();
else await serve(role);

async function serve(name) {
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send({ cpu: process.cpuUsage() }));
  if (name === 'bare') return serveBare();
  const { createHost } = await import('@backlot/core');
  const { snmp } = await import('@backlot/snmp');
  const host = await createHost({
    protocols: [snmp],
    settings: { snmp: { host: '127.0.0.1', port: 0 } },
    seed: 1,
  });
  await host.start();
  const count = name === 'many' ? MANY : 1;
  const mocks = Array.from({ length: count }, (_, row) => ({
    oid: oidOf(row).join('.'),
    value: 'Mock router',
  }));
  host.kind('snmp').mocks.createAll(mocks);
  process.send({ port: host.kind('snmp').address.port });
}

async function serveBare() {
  const { default: net } = await import('net-snmp');
  const port = await freePort();
  const agent = net.createAgent({ port, address: '127.0.0.1', accessControlModelType: 0 }, () => undefined);
  agent.getAuthorizer().addCommunity('public');
  agent.getMib().registerProvider({
    name: 'router',
    type: net.MibProviderType.Scalar,
    oid: OBJECT.join('.'),
    scalarType: net.ObjectType.OctetString,
    maxAccess: net.MaxAccess['read-only'],
  });
  agent.getMib().setScalarValue('router', 'Mock router');
  process.send({ port });
}

async function measure() {
  const folder = await mkdtemp(join(tmpdir(), 'backlot-bench-'));
  const cases = [];
  try {
    const one = [request(GET, oidOf(0))];
    const many = Array.from({ length: MANY }, (_, row) => request(GET, oidOf(row)));
    const next = Array.from({ length: MANY - 1 }, (_, row) => request(GETNEXT, oidOf(row)));
    const bare = await startServer('bare');
    const withOne = await startServer('one');
    const withMany = await startServer('many');
    cases.push(makeCase('bare net-snmp agent, GET', bare, one));
    cases.push(makeCase('1 mock, GET', withOne, one));
    cases.push(makeCase('10,000 mocks, GET', withMany, many));
    cases.push(makeCase('10,000 mocks, GETNEXT', withMany, next));
    if (has('snmpd'))
      cases.push(
        makeCase('snmpd, GET', await startSnmpd(folder), [request(GET, [1, 3, 6, 1, 2, 1, 1, 5, 0])]),
      );
    for (const each of cases) await load(each);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const each of round % 2 === 0 ? cases : [...cases].reverse()) {
        const before = await cpuOf(each);
        const answered = await load(each);
        each.rates.push(answered / SECONDS);
        each.costs.push(((await cpuOf(each)) - before) / answered);
      }
    }
    report(cases);
  } finally {
    for (const { server } of cases) server.child.kill();
    await rm(folder, { recursive: true, force: true });
  }
}

function makeCase(label, server, packets) {
  return { label, server, packets, rates: [], costs: [] };
}

function report(cases) {
  const [bare, one, many] = cases;
  console.log('| snmp | requests/s | of bare | server CPU per request |\n| --- | ---: | ---: | ---: |');
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

/** Keeps requests under way for a while; answers how many were answered well. */
async function load({ label, server, packets }) {
  const socket = dgram.createSocket({ type: 'udp4', recvBufferSize: 1 << 20 });
  let sent = 0;
  let answered = 0;
  const ask = () => {
    const packet = packets[sent % packets.length];
    sent += 1;
    socket.send(packet, server.port, '127.0.0.1');
  };
  const end = performance.now() + SECONDS * 1000;
  await new Promise((resolve, reject) => {
    socket.on('message', (octets) => {
      // A Response-PDU whose error-status is 0: `02 01 00 02 01 00` before the bindings.
      if (!octets.includes('020100020100', 0, 'hex'))
        return reject(new Error(`${label}: ${octets.toString('hex')}`));
      answered += 1;
      if (performance.now() >= end) resolve();
      else ask();
    });
    for (let started = 0; started < UNDER_WAY; started += 1) ask();
  });
  socket.close();
  return answered;
}

function request(type, oid) {
  const binding = element(0x30, element(0x06, encodeOid(oid)), Buffer.from([5, 0]));
  const pdu = element(type, Buffer.from('020401020304020100020100', 'hex'), element(0x30, binding));
  return element(0x30, Buffer.from([2, 1, 1]), element(0x04, Buffer.from('public')), pdu);
}

function element(tag, ...contents) {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag, content.length]), content]);
}

function encodeOid([first, second, ...rest]) {
  return Buffer.from([
    first * 40 + second,
    ...rest.flatMap((n) => (n < 128 ? [n] : [(n >> 7) | 128, n & 127])),
  ]);
}

async function startServer(name) {
  const child = fork(fileURLToPath(import.meta.url), [`server:${name}`]);
  const [told] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (typeof told?.port !== 'number') throw new Error(`the server "${name}" did not start`);
  return { child, port: told.port };
}

async function startSnmpd(folder) {
  const port = await freePort();
  await writeFile(join(folder, 'snmpd.conf'), 'rocommunity public\nsysName router\n');
  const child = spawn(
    'sh',
    [
      '-c',
      `PATH=$PATH:/usr/sbin exec snmpd -f -Ln -C -c ${folder}/snmpd.conf -p ${folder}/pid udp:127.0.0.1:${port}`,
    ],
    { stdio: 'ignore', env: { ...process.env, SNMP_PERSISTENT_DIR: folder, MIBS: '' } },
  );
  await answersOn(port);
  return { child, port, isForeign: true };
}

async function answersOn(port) {
  const socket = dgram.createSocket('udp4');
  const octets = request(GET, [1, 3, 6, 1, 2, 1, 1, 5, 0]);
  const timer = setInterval(() => socket.send(octets, port, '127.0.0.1'), 100);
  socket.on('error', () => undefined);
  await once(socket, 'message', { signal: AbortSignal.timeout(10_000) });
  clearInterval(timer);
  socket.close();
}

async function freePort() {
  const socket = dgram.createSocket('udp4');
  await new Promise((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address();
  await new Promise((resolve) => socket.close(resolve));
  return port;
}

async function cpuOf({ server: { child, isForeign } }) {
  if (isForeign === true) return Number.NaN;
  child.send('cpu');
  const [{ cpu }] = await once(child, 'message');
  return cpu.user + cpu.system;
}

function has(program) {
  return spawnSync('sh', ['-c', `PATH=$PATH:/usr/sbin command -v ${program}`]).status === 0;
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
