// What a message costs from SEND to MESSAGE: a bare fan-out of node:net that parses frames, against this plugin as a
// broker without mocks, and with 1 and with 10,000 mocks that answer; and from SEND to RECEIPT against RabbitMQ, where it
// is installed. Servers are processes of their own; cases take turns, since what else the machine does changes.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import { startRabbit } from '@backlot/tooling/rabbitmq';

const MANY = 10_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 1);
const UNDER_WAY = 128;
const ANSWERS = '/topic/answers';
const BODY = JSON.stringify({ id: 1, text: 'hello' });

const topicOf = (n) => `/topic/n${n}`;

const role = process.argv.find((argument) => argument.startsWith('server:'))?.slice('server:'.length);
if (role === undefined) await measure();
else await serve(role);

/** Cuts frames out of chunks, and reads their headers. */
function parserTo(take) {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (;;) {
      while (bytes[from] === 10) from += 1;
      const headEnd = bytes.indexOf('\n\n', from);
      if (headEnd < 0) break;
      const [command, ...lines] = bytes.toString('utf8', from, headEnd).split('\n');
      const headers = {};
      for (const line of lines) {
        const colon = line.indexOf(':');
        headers[line.slice(0, colon)] ??= line.slice(colon + 1);
      }
      const bodyStart = headEnd + 2;
      const length = headers['content-length'];
      const end = length === undefined ? bytes.indexOf(0, bodyStart) : bodyStart + Number(length);
      if (end < 0 || end >= bytes.length) break;
      take(command, headers, bytes.subarray(bodyStart, end));
      from = end + 1;
    }
    rest = bytes.subarray(from);
  };
}

function serveBare() {
  const topics = new Map();
  let messages = 0;
  const server = net.createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => undefined);
    const parse = parserTo((command, headers, body) => {
      if (command === 'CONNECT') socket.write('CONNECTED\nversion:1.2\n\n\0');
      else if (command === 'SUBSCRIBE') topics.set(headers.destination, [{ socket, id: headers.id }]);
      else if (command === 'SEND') {
        for (const { socket: to, id } of topics.get(headers.destination) ?? []) {
          messages += 1;
          const head = `MESSAGE\nsubscription:${id}\nmessage-id:${messages}\ndestination:${headers.destination}\ncontent-length:${body.length}\n\n`;
          to.write(Buffer.concat([Buffer.from(head), body, Buffer.of(0)]));
        }
      }
    });
    socket.on('data', parse);
  });
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
}

async function serve(name) {
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send({ cpu: process.cpuUsage() }));
  if (name === 'bare') return serveBare();
  const { createHost } = await import('@backlot/core');
  const { stomp } = await import('@backlot/stomp');
  const host = await createHost({
    protocols: [stomp],
    settings: { stomp: { host: '127.0.0.1', port: 0 } },
    seed: 1,
  });
  await host.start();
  const count = { broker: 0, one: 1, many: MANY }[name];
  if (count > 0) {
    const mocks = Array.from({ length: count }, (_, n) => ({
      destination: topicOf(n),
      response: { destination: ANSWERS, body: BODY },
    }));
    host.kind('stomp').mocks.createAll(mocks);
  }
  process.send({ port: host.kind('stomp').address.port });
}

async function measure() {
  const cases = [];
  const rabbit = await startRabbit();
  try {
    for (const [name, label, count] of [
      ['bare', 'bare node:net fan-out', 0],
      ['broker', 'broker, no mocks', 0],
      ['one', '1 mock', 1],
      ['many', `${MANY.toLocaleString('en')} mocks`, MANY],
      ['broker', 'SEND to RECEIPT', 0],
    ]) {
      const child = fork(fileURLToPath(import.meta.url), [`server:${name}`]);
      const [{ port }] = await once(child, 'message');
      cases.push({ label, child, port, count, rates: [], costs: [] });
    }
    cases.at(-1).wantsReceipts = true;
    if (rabbit !== undefined)
      cases.push({
        label: 'rabbitmq-server, SEND to RECEIPT',
        port: rabbit.stomp,
        count: 0,
        wantsReceipts: true,
        rates: [],
        costs: [],
      });
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
    for (const { child } of cases) child?.kill();
    await rabbit?.stop();
  }
}

/** One client that keeps messages under way, each of which brings one to its subscription. */
async function load({ port, count, wantsReceipts = false }) {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  let sent = 0;
  const send = () => {
    sent += 1;
    const destination = wantsReceipts ? '/topic/other' : count === 0 ? ANSWERS : topicOf(sent % count);
    const receipt = wantsReceipts ? `receipt:${sent}\n` : '';
    return `SEND\ndestination:${destination}\n${receipt}content-type:application/json\ncontent-length:${BODY.length}\n\n${BODY}\0`;
  };
  let answered = 0;
  const end = performance.now() + SECONDS * 1000;
  await new Promise((resolve) => {
    let more = '';
    const parse = parserTo((command) => {
      if (command === 'CONNECTED') for (let n = 0; n < UNDER_WAY; n += 1) more += send();
      if (command !== (wantsReceipts ? 'RECEIPT' : 'MESSAGE')) return;
      answered += 1;
      more += send();
    });
    socket.on('data', (chunk) => {
      more = '';
      parse(chunk);
      if (performance.now() >= end) resolve();
      else if (more !== '') socket.write(more);
    });
    socket.write(
      `CONNECT\naccept-version:1.2\nhost:/\nlogin:guest\npasscode:guest\n\n\0SUBSCRIBE\nid:1\ndestination:${ANSWERS}\n\n\0`,
    );
  });
  socket.destroy();
  return answered;
}

function report(cases) {
  const [bare, , one, many, receipts, rabbit] = cases;
  console.log('| stomp | messages/s | of bare | server CPU per message |\n| --- | ---: | ---: | ---: |');
  for (const { label, rates, costs } of cases) {
    const ratio = median(rates.map((rate, round) => rate / bare.rates[round]));
    console.log(
      `| ${label} | ${Math.round(median(rates))} | ${ratio.toFixed(2)} | ${showCost(median(costs))} |`,
    );
  }
  const flat = median(many.rates.map((rate, round) => rate / one.rates[round]));
  console.log(`\n10,000 mocks of 1 mock: ${flat.toFixed(2)}`);
  if (rabbit === undefined) return;
  const ratio = median(receipts.rates.map((rate, round) => rate / rabbit.rates[round]));
  console.log(`SEND to RECEIPT of rabbitmq-server: ${ratio.toFixed(2)} (at least 1)`);
}

function showCost(cost) {
  return Number.isNaN(cost) ? '' : `${cost.toFixed(1)} us`;
}

async function cpuOf({ child }) {
  if (child === undefined) return Number.NaN;
  child.send('cpu');
  const [{ cpu }] = await once(child, 'message');
  return cpu.user + cpu.system;
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
