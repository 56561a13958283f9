// What a request costs: a bare echo of node:dgram against this plugin with 1 and with 10,000 mocks. The same client loads
// all of them with so many OPTIONS under way. Servers are processes of their own; cases take turns, since what else the
// machine does changes.
import { fork } from 'node:child_process';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MANY = 10_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 1);
const UNDER_WAY = 64;

let sent = 0;
const uriOf = (n) => `sip:user${n}@example.com`;

const role = process.argv.find((argument) => argument.startsWith('server:'))?.slice('server:'.length);
if (role === undefined) await measure();
else await serve(role);

async function serve(name) {
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send({ cpu: process.cpuUsage() }));
  if (name === 'bare') {
    const socket = dgram.createSocket('udp4');
    socket.on('message', (octets, remote) => socket.send(octets, remote.port, remote.address));
    socket.bind(0, '127.0.0.1', () => process.send({ port: socket.address().port }));
    return;
  }
  const { createHost } = await import('@backlot/core');
  const { sip } = await import('@backlot/sip');
  const host = await createHost({
    protocols: [sip],
    settings: { sip: { host: '127.0.0.1', port: 0 } },
    seed: 1,
  });
  await host.start();
  const mocks = Array.from({ length: name === 'many' ? MANY : 1 }, (_, n) => ({
    method: 'OPTIONS',
    uri: uriOf(n),
    response: { status: 200 },
  }));
  host.kind('sip').mocks.createAll(mocks);
  process.send({ port: host.kind('sip').address.port });
}

async function measure() {
  const cases = [];
  try {
    for (const [name, label, count] of [
      ['bare', 'bare dgram echo', 1],
      ['one', '1 mock', 1],
      ['many', `${MANY.toLocaleString('en')} mocks`, MANY],
    ]) {
      const child = fork(fileURLToPath(import.meta.url), [`server:${name}`]);
      const [{ port }] = await once(child, 'message');
      cases.push({ label, child, port, count, rates: [], costs: [] });
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
  const [base, one, many] = cases;
  console.log(`| Server | OPTIONS/s | Of ${base.label} | CPU per request |\n|---|---|---|---|`);
  for (const { label, rates, costs } of cases) {
    const ratio = median(rates.map((rate, round) => rate / base.rates[round]));
    const cost = `${median(costs).toFixed(1)} us`;
    console.log(`| ${label} | ${Math.round(median(rates))} | ${ratio.toFixed(2)} | ${cost} |`);
  }
  const flat = median(many.rates.map((rate, round) => rate / one.rates[round]));
  console.log(`\n10,000 mocks of 1 mock: ${flat.toFixed(2)}`);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** Microseconds of processor time that a server has used. */
async function cpuOf({ child }) {
  child.send('cpu');
  const [{ cpu }] = await once(child, 'message');
  return cpu.user + cpu.system;
}

/** No two are equal, so that none is taken for one that comes again. */
function makeOptions(uri) {
  sent += 1;
  return [
    `OPTIONS ${uri} SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:5061;rport;branch=z9hG4bK${sent}`,
    'Max-Forwards: 70',
    'From: <sip:bench@example.com>;tag=bench',
    `To: <${uri}>`,
    `Call-ID: ${sent}@bench`,
    'CSeq: 1 OPTIONS',
    'Contact: <sip:bench@127.0.0.1:5061>',
    'User-Agent: bench',
    'Content-Length: 0\r\n\r\n',
  ].join('\r\n');
}

async function load({ label, port, count }) {
  const socket = dgram.createSocket('udp4');
  const isEcho = label.startsWith('bare');
  const ask = () => socket.send(makeOptions(uriOf(sent % count)), port, '127.0.0.1');
  let answered = 0;
  const end = performance.now() + SECONDS * 1000;
  await new Promise((resolve, reject) => {
    socket.on('message', (answer) => {
      if (!isEcho && answer.toString('latin1', 8, 11) !== '200') {
        return reject(new Error(`answer ${answer.toString('latin1', 0, 40)}`));
      }
      answered += 1;
      if (performance.now() >= end) resolve();
      else ask();
    });
    for (let started = 0; started < UNDER_WAY; started += 1) ask();
  });
  socket.close();
  return answered / SECONDS;
}
