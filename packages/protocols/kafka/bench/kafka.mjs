// What a produced record costs: a bare node:net server that cuts the frames and answers, against this plugin with 1 and
// with 10,000 mocks, and with a mock that answers each record with one of its own. Requests are those of kafkajs, each
// with one record or with a hundred, pipelined. Servers are processes of their own; cases take turns, since what else the
// machine does changes.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import net from 'node:net';
import { fileURLToPath } from 'node:url';

const MANY = 10_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 6);
const ROUND_MS = Number(process.env.BENCH_MS ?? 500);
const UNDER_WAY = 64;

const topicOf = (n) => `topic-${n}`;
const match = (n) => ({ topic: topicOf(n), value: { contains: 'value' } });
const SHAPES = {
  bare: undefined,
  '1 mock': { count: 1, mock: match },
  '10,000 mocks': { count: MANY, mock: match },
  'a response each': {
    count: 1,
    mock: (n) => ({ ...match(n), response: { topic: 'answers', key: '{{request.key}}', value: 'seen' } }),
  },
};
const LOADS = { 'one by one': 1, 'by the hundred': 100 };

const role = process.argv.find((argument) => argument.startsWith('server:'))?.slice('server:'.length);
if (role === undefined) await measure();
else await serve(role);

async function serve(name) {
  const shape = SHAPES[name];
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send({ cpu: process.cpuUsage() }));
  if (shape === undefined) {
    const server = net.createServer({ noDelay: true }, serveBare);
    server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
    return;
  }
  const { createHost } = await import('@backlot/core');
  const { kafka } = await import('@backlot/kafka');
  const host = await createHost({
    protocols: [kafka],
    settings: { kafka: { host: '127.0.0.1', port: 0 } },
    seed: 1,
  });
  await host.start();
  host.kind('kafka').mocks.createAll(Array.from({ length: shape.count }, (_, n) => shape.mock(n)));
  process.send({ port: host.kind('kafka').address.port });
}

/** Cuts frames, reads the header and the topic, and answers Produce 7. */
function serveBare(socket) {
  let rest = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const answers = [];
    while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
      const end = 4 + rest.readInt32BE(0);
      answers.push(answerBare(rest.subarray(4, end)));
      rest = rest.subarray(end);
    }
    if (answers.length > 0) socket.write(Buffer.concat(answers));
  });
}

function answerBare(frame) {
  const at = 10 + frame.readInt16BE(8) + 2 + 2 + 4 + 4;
  const length = frame.readInt16BE(at);
  const answer = Buffer.alloc(4 + 4 + 4 + 2 + length + 4 + 4 + 2 + 8 + 8 + 8 + 4);
  answer.writeInt32BE(answer.length - 4, 0);
  answer.writeInt32BE(frame.readInt32BE(4), 4);
  answer.writeInt32BE(1, 8);
  frame.copy(answer, 12, at, at + 2 + length);
  answer.writeInt32BE(1, 14 + length);
  return answer;
}

async function measure() {
  const cases = [];
  for (const name of Object.keys(SHAPES)) {
    const child = fork(fileURLToPath(import.meta.url), [`server:${name}`]);
    const [told] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
    if (typeof told?.port !== 'number') throw new Error(`the server "${name}" did not start`);
    cases.push({ name, child, port: told.port });
  }
  try {
    for (const [load, size] of Object.entries(LOADS)) {
      const requests = await Promise.all(
        Array.from({ length: 200 }, (_, n) => encode((n * 617) % MANY, size)),
      );
      const single = await encode(0, size);
      const of = ({ name }) => (name === '10,000 mocks' ? requests : [single]);
      for (const each of cases) {
        each.rates = [];
        each.costs = [];
        await rateOf(each, of(each), size, 300);
      }
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const each of round % 2 === 0 ? cases : [...cases].reverse()) {
          const { rate, cost } = await rateOf(each, of(each), size, ROUND_MS);
          each.rates.push(rate);
          each.costs.push(cost);
        }
      }
      report(load, cases);
    }
  } finally {
    for (const { child } of cases) child.kill();
  }
}

/** A request of kafkajs with so many records of 100 bytes. */
async function encode(topic, size) {
  const require = createRequire(import.meta.url);
  const createRequest = require('kafkajs/src/protocol/requests/produce/v7/request');
  const wrap = require('kafkajs/src/protocol/request');
  const messages = Array.from({ length: size }, (_, n) => ({
    key: `key-${n}`,
    value: `value ${n} `.padEnd(100, 'x'),
    headers: {},
    timestamp: Date.now(),
  }));
  const topicData = [{ topic: topicOf(topic), partitions: [{ partition: 0, firstSequence: 0, messages }] }];
  const request = createRequest({ acks: 1, timeout: 1000, producerEpoch: -1, topicData });
  return (await wrap({ correlationId: 1, clientId: 'bench', request })).buffer;
}

async function rateOf({ child, port, name }, requests, size, milliseconds) {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  const before = await cpuOf(child);
  const began = performance.now();
  const end = began + milliseconds;
  let sent = 0;
  let answered = 0;
  const send = (count) => {
    const next = Array.from({ length: count }, () => requests[sent++ % requests.length]);
    socket.write(Buffer.concat(next));
  };
  await new Promise((resolve, reject) => {
    let rest = Buffer.alloc(0);
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let count = 0;
      while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
        if (rest.readInt16BE(22 + rest.readInt16BE(12)) !== 0)
          return reject(new Error(`${name} refused a record`));
        rest = rest.subarray(4 + rest.readInt32BE(0));
        count += 1;
      }
      answered += count;
      if (performance.now() >= end) return resolve();
      if (count > 0) send(count);
    });
    send(UNDER_WAY);
  });
  const elapsed = performance.now() - began;
  socket.destroy();
  const records = answered * size;
  return { rate: (records / elapsed) * 1000, cost: ((await cpuOf(child)) - before) / records };
}

async function cpuOf(child) {
  child.send('cpu');
  const [{ cpu }] = await once(child, 'message');
  return cpu.user + cpu.system;
}

function report(load, cases) {
  const [bare, one, many] = cases;
  console.log(
    `| kafka, ${load} | records/s | of bare | server CPU per record |\n| --- | ---: | ---: | ---: |`,
  );
  for (const { name, rates, costs } of cases) {
    const ratio = median(rates.map((rate, round) => rate / bare.rates[round]));
    console.log(
      `| ${name} | ${Math.round(median(rates))} | ${ratio.toFixed(2)} | ${median(costs).toFixed(2)} us |`,
    );
  }
  const flat = median(many.rates.map((rate, round) => rate / one.rates[round]));
  console.log(`\n10,000 mocks of 1 mock: ${flat.toFixed(2)}\n`);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
