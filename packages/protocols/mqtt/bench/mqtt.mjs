// What a message costs from a publisher to a subscriber: bare aedes against this plugin, with QoS 0 and 1, without mocks
// and with an answer by 1 and by 10,000 mocks. Servers are processes of their own; cases take turns, since what else the
// machine does changes.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { fileURLToPath } from 'node:url';

const MANY = 10_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 6);
const ROUND_MS = Number(process.env.BENCH_MS ?? 500);
const WINDOW = 64;

const exact = (n) => ({
  topic: `devices/${n}/get`,
  response: { topic: 'answers', payload: `state of ${n}` },
});
const filter = (n) => ({ topic: `sites/+/${n}/#`, response: { topic: 'answers', payload: `state of ${n}` } });
const CASES = [
  { name: 'aedes, QoS 0', qos: 0 },
  { name: 'broker, QoS 0', qos: 0, mocks: [] },
  { name: 'aedes, QoS 1', qos: 1 },
  { name: 'broker, QoS 1', qos: 1, mocks: [] },
  {
    name: 'exact topic of 1',
    qos: 0,
    mocks: { count: 1, make: exact },
    topic: 'devices/0/get',
    from: 'answers',
  },
  {
    name: 'exact topic of 10,000',
    qos: 0,
    mocks: { count: MANY, make: exact },
    topic: 'devices/0/get',
    from: 'answers',
  },
  { name: 'filter of 1', qos: 0, mocks: { count: 1, make: filter }, topic: 'sites/a/0/x', from: 'answers' },
  {
    name: 'filter of 10,000',
    qos: 0,
    mocks: { count: MANY, make: filter },
    topic: 'sites/a/0/x',
    from: 'answers',
  },
];
/** Which case each is compared with. */
const REFERENCES = [0, 0, 2, 2, 4, 4, 6, 6];

const role = process.argv.find((argument) => argument.startsWith('server:'))?.slice('server:'.length);
if (role === undefined) await measure();
else await serve(CASES[Number(role)]);

async function serve({ mocks }) {
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send({ cpu: process.cpuUsage() }));
  if (mocks === undefined) {
    const { Aedes } = await import('aedes');
    const aedes = await Aedes.createBroker();
    const server = net.createServer({ noDelay: true }, aedes.handle);
    server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
    return;
  }
  const { createHost } = await import('@backlot/core');
  const { mqtt } = await import('@backlot/mqtt');
  const host = await createHost({
    protocols: [mqtt],
    settings: { mqtt: { host: '127.0.0.1', port: 0 } },
    seed: 1,
  });
  await host.start();
  if (mocks.count > 0) {
    host.kind('mqtt').mocks.createAll(Array.from({ length: mocks.count }, (_, n) => mocks.make(n)));
  }
  process.send({ port: host.kind('mqtt').address.port });
}

async function measure() {
  const cases = [];
  try {
    for (const [index, each] of CASES.entries()) {
      const child = fork(fileURLToPath(import.meta.url), [`server:${index}`]);
      const [{ port }] = await once(child, 'message');
      cases.push({ ...each, child, port, rates: [], costs: [] });
    }
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
  console.log(
    '| mqtt | messages/s | server CPU per message | rate and CPU of the case it is compared with |',
  );
  console.log('| --- | ---: | ---: | ---: |');
  for (const [index, { name, rates, costs }] of cases.entries()) {
    const reference = cases[REFERENCES[index]];
    const ratio = median(rates.map((rate, round) => rate / reference.rates[round]));
    const cost = median(costs);
    const costRatio = cost / median(reference.costs);
    console.log(
      `| ${name} | ${Math.round(median(rates))} | ${cost.toFixed(1)} us | ` +
        `${ratio.toFixed(2)}, ${costRatio.toFixed(2)} (${reference.name}) |`,
    );
  }
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** Keeps a window of messages on their way, and counts those that come out at the other end. */
async function rateOf({ child, port, qos, topic = 'bench/topic', from = topic }, milliseconds) {
  const subscriber = await connect(port, 'subscriber');
  const publisher = await connect(port, 'publisher');
  const filterBytes = Buffer.from(from);
  subscriber.write(
    packet(0x82, [0, 1, filterBytes.length >> 8, filterBytes.length & 0xff], filterBytes, [qos]),
  );
  await once(subscriber, 'data');
  const topicBytes = Buffer.from(topic);
  const payload = Buffer.from('the payload of a message that somebody publishes');
  let id = 0;
  const publish = () => {
    id = id === 0xffff ? 1 : id + 1;
    const identifier = qos === 0 ? [] : [id >> 8, id & 0xff];
    return packet(
      0x30 | (qos << 1),
      [topicBytes.length >> 8, topicBytes.length & 0xff],
      topicBytes,
      identifier,
      payload,
    );
  };
  publisher.resume();
  let received = 0;
  const before = await cpuOf(child);
  const began = performance.now();
  await new Promise((resolve, reject) => {
    publisher.on('error', reject);
    subscriber.on('error', reject);
    let rest = Buffer.alloc(0);
    subscriber.on('data', (chunk) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let at = 0;
      let came = 0;
      const acks = [];
      // All packets here are shorter than 128 bytes.
      while (rest.length - at >= 2 && rest.length - at >= 2 + rest[at + 1]) {
        if (rest[at] >> 4 === 3) {
          came += 1;
          const idAt = at + 4 + rest.readUInt16BE(at + 2);
          if ((rest[at] & 6) !== 0) acks.push(0x40, 2, rest[idAt], rest[idAt + 1]);
        }
        at += 2 + rest[at + 1];
      }
      rest = rest.subarray(at);
      received += came;
      if (acks.length > 0) subscriber.write(Buffer.from(acks));
      if (performance.now() - began >= milliseconds) return resolve();
      if (came > 0) publisher.write(Buffer.concat(Array.from({ length: came }, publish)));
    });
    publisher.write(Buffer.concat(Array.from({ length: WINDOW }, publish)));
  });
  const elapsed = performance.now() - began;
  const after = await cpuOf(child);
  publisher.destroy();
  subscriber.destroy();
  return { rate: (received / elapsed) * 1000, cost: (after - before) / received };
}

async function cpuOf(child) {
  child.send('cpu');
  const [{ cpu }] = await once(child, 'message');
  return cpu.user + cpu.system;
}

async function connect(port, clientId) {
  const socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
  await once(socket, 'connect');
  const id = Buffer.from(clientId);
  socket.write(packet(0x10, [0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 2, 0, 0, 0, id.length], id));
  await once(socket, 'data');
  return socket;
}

function packet(first, ...parts) {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from([first, body.length]), body]);
}
