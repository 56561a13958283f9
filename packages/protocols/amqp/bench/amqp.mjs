// What a published message costs: an echo server of node:net that only cuts and reads frames, against this plugin with 1
// and with 10,000 mocks, without a queue and through a queue to a consumer. The client writes ready-made frames and
// counts what comes back: the echo server sends each message back as a delivery; the plugin confirms each one, and in
// the last case delivers it as well. RabbitMQ, where it is installed, confirms the same messages. Servers are processes
// of their own; cases take turns.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { fileURLToPath } from 'node:url';
import { startRabbit } from '@backlot/tooling/rabbitmq';

const MANY = 10_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 1);
/** Messages that are under way at one time, and how many are written together. */
const WINDOW = 512;
const BATCH = 64;
const BODY = Buffer.alloc(100, 'x');

const role = process.argv.find((argument) => argument.startsWith('server:'))?.slice('server:'.length);
if (role === undefined) await measure();
else await serve(role);

async function serve(name) {
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send({ cpu: process.cpuUsage() }));
  if (name === 'bare') {
    const server = net.createServer({ noDelay: true }, echo);
    server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
    return;
  }
  const { createHost } = await import('@backlot/core');
  const { amqp } = await import('@backlot/amqp');
  const host = await createHost({
    protocols: [amqp],
    settings: { amqp: { host: '127.0.0.1', port: 0, queues: [{ name: 'queue' }] } },
    seed: 1,
  });
  await host.start();
  const count = name === 'many' ? MANY : 1;
  host.kind('amqp').mocks.createAll(Array.from({ length: count }, (_, n) => ({ routing_key: `key.${n}` })));
  process.send({ port: host.kind('amqp').address.port });
}

/** Answers the opening, and sends every message back. */
function echo(socket) {
  const deliver = shortStrings(frame(1, method(60, 60)), 'c', Buffer.alloc(9), '', 'key.0');
  let waiting = Buffer.alloc(0);
  let isGreeted = false;
  let content = [];
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    let at = 0;
    const out = [];
    if (!isGreeted) {
      isGreeted = true;
      at = 8;
      out.push(frame(1, Buffer.concat([method(10, 10), Buffer.alloc(14)]), 0));
    }
    while (waiting.length - at >= 7) {
      const size = waiting.readUInt32BE(at + 3);
      const end = at + size + 8;
      if (end > waiting.length) break;
      if (waiting[end - 1] !== 0xce) return socket.destroy();
      const type = waiting[at];
      if (type === 1) {
        const answers = {
          10.11: [method(10, 30), Buffer.alloc(8)],
          '10.40': [method(10, 41), Buffer.alloc(1)],
          '20.10': [method(20, 11), Buffer.alloc(4)],
          '85.10': [method(85, 11)],
        };
        const key = `${waiting.readUInt16BE(at + 7)}.${waiting.readUInt16BE(at + 9)}`;
        if (key !== '60.40' && answers[key] !== undefined)
          out.push(frame(1, Buffer.concat(answers[key]), waiting.readUInt16BE(at + 1)));
      } else {
        content.push(waiting.subarray(at, end));
        if (type === 3) {
          out.push(deliver, ...content);
          content = [];
        }
      }
      at = end;
    }
    waiting = waiting.subarray(at);
    if (out.length > 0) socket.write(Buffer.concat(out));
  });
}

async function measure() {
  const cases = [];
  const rabbit = await startRabbit();
  try {
    for (const [server, label, options] of [
      ['bare', 'bare echo that parses frames', {}],
      ['one', '1 mock, confirmed', { keys: 1 }],
      ['many', '10,000 mocks, confirmed', { keys: MANY }],
      ['one', 'through a queue to a consumer', { queue: 'queue' }],
    ]) {
      const child = fork(fileURLToPath(import.meta.url), [`server:${server}`]);
      const [{ port }] = await once(child, 'message');
      cases.push({ label, child, port, isBare: server === 'bare', options, rates: [], costs: [] });
    }
    if (rabbit !== undefined)
      cases.push({
        label: 'rabbitmq-server, confirmed',
        port: rabbit.amqp,
        options: {},
        rates: [],
        costs: [],
      });
    for (const each of cases) await publish(each);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const each of round % 2 === 0 ? cases : [...cases].reverse()) {
        const before = await cpuOf(each);
        const { rate, count } = await publish(each);
        each.rates.push(rate);
        each.costs.push(((await cpuOf(each)) - before) / count);
      }
    }
    report(cases);
  } finally {
    for (const { child } of cases) child?.kill();
    await rabbit?.stop();
  }
}

function report(cases) {
  const [bare, one, many, , rabbit] = cases;
  console.log('| amqp | messages/s | of bare | server CPU per message |\n| --- | ---: | ---: | ---: |');
  for (const { label, rates, costs } of cases) {
    const ratio = median(rates.map((rate, round) => rate / bare.rates[round]));
    console.log(
      `| ${label} | ${Math.round(median(rates))} | ${ratio.toFixed(2)} | ${showCost(median(costs))} |`,
    );
  }
  const flat = median(many.rates.map((rate, round) => rate / one.rates[round]));
  console.log(`\n10,000 mocks of 1 mock: ${flat.toFixed(2)}`);
  if (rabbit === undefined) return;
  const ratio = median(one.rates.map((rate, round) => rate / rabbit.rates[round]));
  console.log(`1 mock of rabbitmq-server: ${ratio.toFixed(2)} (at least 1)`);
}

/** Publishes for some time, and counts the messages that were confirmed or came back. */
async function publish({ port, isBare, options }) {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  const batches = makeBatches(options);
  let sent = 0;
  let done = 0;
  let isOver = false;
  let isOpen = false;
  let waiting = Buffer.alloc(0);
  const start = performance.now();
  const send = () => {
    while (!isOver && sent - done + BATCH <= WINDOW) {
      socket.write(batches[(sent / BATCH) % batches.length]);
      sent += BATCH;
    }
  };
  const finished = new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed the connection')));
    socket.on('data', (chunk) => {
      waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
      let at = 0;
      while (waiting.length - at >= 7) {
        const end = at + waiting.readUInt32BE(at + 3) + 8;
        if (end > waiting.length) break;
        if (waiting[at] === 1) {
          const key = waiting.readUInt32BE(at + 7);
          if (key === 0x0055000b) isOpen = true;
          else if (key === 0x003c0050 && options.queue === undefined)
            done = Number(waiting.readBigUInt64BE(at + 11));
          else if (key === 0x003c003c && (isBare || options.queue !== undefined)) done += 1;
        }
        at = end;
      }
      waiting = waiting.subarray(at);
      if (!isOpen) return;
      if (performance.now() - start > SECONDS * 1000) isOver = true;
      if (isOver && done >= sent) resolve();
      else send();
    });
  });
  socket.write(opening(options));
  await finished;
  const seconds = (performance.now() - start) / 1000;
  socket.removeAllListeners('close');
  socket.destroy();
  return { rate: done / seconds, count: done };
}

function makeBatches({ keys = 1, queue }) {
  const header = Buffer.concat([Buffer.from([0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, BODY.length, 0x10, 0x00, 2])]);
  const content = Buffer.concat([frame(2, header), frame(3, BODY)]);
  const message = (key) =>
    Buffer.concat([
      frame(1, Buffer.concat([method(60, 40), Buffer.alloc(2), short(''), short(key), Buffer.alloc(1)])),
      content,
    ]);
  return Array.from({ length: Math.ceil(keys / BATCH) }, (_, batch) =>
    Buffer.concat(
      Array.from({ length: BATCH }, (_each, n) => message(queue ?? `key.${(batch * BATCH + n) % keys}`)),
    ),
  );
}

function opening({ queue }) {
  const login = Buffer.from('\0guest\0guest');
  return Buffer.concat([
    Buffer.from('AMQP\0\0\x09\x01', 'latin1'),
    frame(
      1,
      Buffer.concat([
        method(10, 11),
        Buffer.alloc(4),
        short('PLAIN'),
        Buffer.from([0, 0, 0, login.length]),
        login,
        short('en_US'),
      ]),
      0,
    ),
    frame(1, Buffer.concat([method(10, 31), Buffer.from([7, 255, 0, 2, 0, 0, 0, 0])]), 0),
    frame(1, Buffer.concat([method(10, 40), short('/'), Buffer.alloc(2)]), 0),
    frame(1, Buffer.concat([method(20, 10), Buffer.alloc(1)])),
    ...(queue === undefined
      ? []
      : [
          frame(
            1,
            Buffer.concat([
              method(60, 20),
              Buffer.alloc(2),
              short(queue),
              short('c'),
              Buffer.from([2]),
              Buffer.alloc(4),
            ]),
          ),
        ]),
    frame(1, Buffer.concat([method(85, 10), Buffer.alloc(1)])),
  ]);
}

function frame(type, payload, channel = 1) {
  const start = Buffer.alloc(7);
  start[0] = type;
  start.writeUInt16BE(channel, 1);
  start.writeUInt32BE(payload.length, 3);
  return Buffer.concat([start, payload, Buffer.from([0xce])]);
}

function method(classId, methodId) {
  return Buffer.from([0, classId, 0, methodId]);
}

function short(text) {
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
}

function shortStrings(start, tag, fixed, exchange, key) {
  const payload = Buffer.concat([start.subarray(7, -1), short(tag), fixed, short(exchange), short(key)]);
  return frame(1, payload);
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
