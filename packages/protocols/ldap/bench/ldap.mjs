// What a search costs: a bare ldapjs server (with setNoDelay) against this plugin with 1 and with 10,000 mocks; slapd, where it
// is installed, for scale. Servers are processes of their own; cases take turns, since what else the machine does changes.
import { execFileSync, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MANY = 10_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 1);
const CONNECTIONS = 8;
const UNDER_WAY = 8;
const BASE = 'dc=example,dc=com';

const nameOf = (n) => `u${String(n).padStart(5, '0')}`;
const attributesOf = (n) => ({
  objectClass: ['inetOrgPerson'],
  uid: nameOf(n),
  cn: `Person ${nameOf(n)}`,
  sn: nameOf(n),
  mail: `${nameOf(n)}@example.com`,
});

const role = process.argv.find((argument) => argument.startsWith('server:'))?.slice('server:'.length);
if (role === undefined) await measure();
else await serve(role);

async function serve(name) {
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send({ cpu: process.cpuUsage() }));
  if (name === 'bare') {
    const { default: ldapjs } = await import('ldapjs');
    const server = ldapjs.createServer();
    server.server.on('connection', (socket) => socket.setNoDelay(true));
    server.search(BASE, (request, response, next) => {
      const uid = request.filter.value;
      response.send({ dn: `uid=${uid},${BASE}`, attributes: attributesOf(Number(uid.slice(1))) });
      response.end();
      next();
    });
    server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
    return;
  }
  const { createHost } = await import('@backlot/core');
  const { ldap } = await import('@backlot/ldap');
  const host = await createHost({
    protocols: [ldap],
    settings: { ldap: { host: '127.0.0.1', port: 0 } },
    seed: 1,
  });
  await host.start();
  const mocks = Array.from({ length: name === 'many' ? MANY : 1 }, (_, n) => ({
    base_dn: BASE,
    filter: `(uid=${nameOf(n)})`,
    dn: `uid=${nameOf(n)},${BASE}`,
    attributes: attributesOf(n),
  }));
  host.kind('ldap').mocks.createAll(mocks);
  process.send({ port: host.kind('ldap').address.port });
}

async function measure() {
  const folder = await mkdtemp(join(tmpdir(), 'backlot-bench-'));
  const cases = [];
  try {
    for (const [name, label] of [
      ['bare', 'bare ldapjs, setNoDelay'],
      ['one', '1 mock'],
      ['many', `${MANY.toLocaleString('en')} mocks`],
    ]) {
      const child = fork(fileURLToPath(import.meta.url), [`server:${name}`]);
      const port = await portOf(child);
      cases.push({ label, child, port, count: name === 'many' ? MANY : 1, rates: [], costs: [] });
    }
    if (has('slapd')) cases.push(await startSlapd(folder));
    for (const each of cases) await load(each);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const each of round % 2 === 0 ? cases : [...cases].reverse()) {
        const before = await cpuOf(each);
        const { rate, answered } = await load(each);
        each.rates.push(rate);
        each.costs.push(((await cpuOf(each)) - before) / answered);
      }
    }
    report(cases);
  } finally {
    for (const { child } of cases) child.kill();
    await rm(folder, { recursive: true });
  }
}

function report(cases) {
  const [bare, one, many, slapd] = cases;
  const against = slapd ?? bare;
  const of = (each, other) => median(each.rates.map((rate, round) => rate / other.rates[round])).toFixed(2);
  console.log(
    `| ldap | searches/s | of ${against.label} | server CPU per search |\n| --- | ---: | ---: | ---: |`,
  );
  for (const each of cases) {
    const cost = median(each.costs);
    console.log(
      `| ${each.label} | ${Math.round(median(each.rates))} | ${of(each, against)} | ${Number.isNaN(cost) ? '' : `${cost.toFixed(1)} us`} |`,
    );
  }
  console.log(`\n10,000 mocks of 1 mock: ${of(many, one)}; 1 mock of bare ldapjs: ${of(one, bare)}`);
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
  if (label === 'slapd') return Number.NaN;
  child.send('cpu');
  const [{ cpu }] = await once(child, 'message');
  return cpu.user + cpu.system;
}

async function startSlapd(folder) {
  const probe = net.createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  const schema = '/etc/ldap/schema';
  const configuration = join(folder, 'slapd.conf');
  const lines = [
    ...['core', 'cosine', 'inetorgperson'].map((name) => `include ${schema}/${name}.schema`),
    'modulepath /usr/lib/ldap',
    'moduleload back_mdb',
    'database mdb',
    `suffix "${BASE}"`,
    `directory ${folder}`,
    'index uid eq',
  ];
  await writeFile(configuration, `${lines.join('\n')}\n`);
  const person = attributesOf(0);
  const ldif = [
    `dn: ${BASE}\nobjectClass: dcObject\nobjectClass: organization\ndc: example\no: Example\n`,
    `dn: uid=${nameOf(0)},${BASE}\n${Object.entries(person)
      .map(([name, value]) => `${name}: ${value}\n`)
      .join('')}`,
  ].join('\n');
  execFileSync('/usr/sbin/slapadd', ['-f', configuration], {
    input: ldif,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const child = spawn('/usr/sbin/slapd', ['-f', configuration, '-h', `ldap://127.0.0.1:${port}`, '-d', '0'], {
    stdio: 'ignore',
  });
  const end = performance.now() + 10_000;
  while (!(await answersOn(port))) {
    if (performance.now() > end) throw new Error('slapd did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { label: 'slapd', child, port, count: 1, rates: [], costs: [] };
}

function answersOn(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** A search in one byte string; all of them have the same number, which keeps answers of one size. */
function encodeSearch(uid) {
  const element = (tag, ...parts) => {
    const content = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
    return Buffer.concat([Buffer.from([tag, content.length]), content]);
  };
  const bytes = (...values) => Buffer.from(values);
  const limits = bytes(0x0a, 1, 2, 0x0a, 1, 0, 2, 1, 0, 2, 1, 0, 1, 1, 0);
  const filter = element(0xa3, element(4, 'uid'), element(4, uid));
  return element(0x30, bytes(2, 1, 1), element(0x63, element(4, BASE), limits, filter, element(0x30)));
}

/** Keeps searches under way on some connections and counts what comes back by its size. */
async function load({ label, port, count }) {
  const requests = Array.from({ length: count }, (_, n) => encodeSearch(nameOf(n)));
  const size = await answerSize(label, port, requests[0]);
  let n = 0;
  let received = 0;
  const end = performance.now() + SECONDS * 1000;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = net.connect(port, '127.0.0.1').setNoDelay(true);
      await once(socket, 'connect');
      let own = 0;
      let answered = 0;
      const ask = (times) => {
        const batch = [];
        for (let left = times; left > 0; left -= 1) batch.push(requests[n++ % count]);
        socket.write(batch.length === 1 ? batch[0] : Buffer.concat(batch));
      };
      socket.on('data', (chunk) => {
        own += chunk.length;
        received += chunk.length;
        const whole = Math.floor(own / size);
        if (performance.now() >= end) socket.destroy();
        else if (whole > answered) ask(whole - answered);
        answered = whole;
      });
      ask(UNDER_WAY);
      await once(socket, 'close');
    }),
  );
  const answered = received / size;
  return { rate: (answered * 1000) / (performance.now() - started), answered };
}

/** The bytes of an answer, an entry and the end of the search. */
async function answerSize(label, port, request) {
  const socket = net.connect(port, '127.0.0.1');
  let bytes = Buffer.alloc(0);
  socket.write(request);
  const done = Buffer.from([0x65, 7, 0x0a, 1, 0, 4, 0, 4, 0]);
  while (!bytes.subarray(-done.length).equals(done)) {
    const [chunk] = await once(socket, 'data');
    bytes = Buffer.concat([bytes, chunk]);
  }
  socket.destroy();
  if (!bytes.includes('inetOrgPerson')) throw new Error(`the answer of ${label} has no entry`);
  return bytes.length;
}
