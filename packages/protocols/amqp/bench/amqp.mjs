// What a published message costs: an echo server of node:net that only cuts and reads frames, against this plugin with 1
// and with 10,000 mocks, without a queue and through a queue to a consumer. The client writes ready-made frames and
// counts what comes back: the echo server sends each message back as a delivery; the plugin confirms each one, and in
// the last case delivers it as well. RabbitMQ, where it is installed, confirms the same messages.
import { amqp } from '@backlot/amqp';
import { createHost } from '@backlot/core';
import { compareServers, connect, countFrames, inTime, listen, serveMocks } from '@backlot/tooling/bench';
import { startRabbit } from '@backlot/tooling/rabbitmq';

const MANY = 10_000;
/** Messages that are under way at one time, and how many are written together. */
const WINDOW = 512;
const BATCH = 64;
const BODY = Buffer.alloc(100, 'x');
/** What comes, by the numbers of class and method. */
const CONFIRM_SELECT_OK = 0x0055000b;
const ACK = 0x003c0050;
const DELIVER = 0x003c003c;

const serve = serveMocks(createHost, amqp, (n) => ({ routing_key: `key.${n}` }), {
  queues: [{ name: 'queue' }],
});
const sizeOf = (bytes, at) => (bytes.length - at < 7 ? 0 : bytes.readUInt32BE(at + 3) + 8);

await compareServers(import.meta.url, {
  name: 'amqp',
  unit: 'message',
  servers: { bare: () => listen(echo), one: serve(1), many: serve(MANY) },
  cases: [
    { label: 'bare echo that parses frames', server: 'bare', isDelivered: true },
    { label: '1 mock, confirmed', server: 'one' },
    { label: '10,000 mocks, confirmed', server: 'many', keys: MANY },
    { label: 'through a queue to a consumer', server: 'one', queue: 'queue', isDelivered: true },
  ],
  others: async () => {
    const rabbit = await startRabbit();
    return [rabbit && { label: 'RabbitMQ, confirmed', port: rabbit.amqp, stop: rabbit.stop }];
  },
  load,
  ratios: [
    { what: '10,000 mocks, confirmed', of: '1 mock, confirmed', goal: 0.9 },
    { what: '1 mock, confirmed', of: 'RabbitMQ, confirmed', least: 1, goal: 4 },
  ],
});

/** Answers the opening, and sends every message back. */
function echo(socket) {
  const deliver = frame(
    1,
    Buffer.concat([method(60, 60), short('c'), Buffer.alloc(9), short(''), short('key.0')]),
  );
  const answers = {
    10.11: [method(10, 30), Buffer.alloc(8)],
    '10.40': [method(10, 41), Buffer.alloc(1)],
    '20.10': [method(20, 11), Buffer.alloc(4)],
    '85.10': [method(85, 11)],
  };
  const out = [];
  let isGreeted = false;
  let content = [];
  const count = countFrames(sizeOf, (bytes) => {
    if (bytes[0] === 1) {
      const answer = answers[`${bytes.readUInt16BE(7)}.${bytes.readUInt16BE(9)}`];
      if (answer !== undefined) out.push(frame(1, Buffer.concat(answer), bytes.readUInt16BE(1)));
      return;
    }
    content.push(bytes);
    if (bytes[0] !== 3) return;
    out.push(deliver, ...content);
    content = [];
  });
  socket.on('data', (chunk) => {
    if (!isGreeted) out.push(frame(1, Buffer.concat([method(10, 10), Buffer.alloc(14)]), 0));
    // The protocol header is no frame.
    count(isGreeted ? chunk : chunk.subarray(8));
    isGreeted = true;
    if (out.length > 0) socket.write(Buffer.concat(out.splice(0)));
  });
}

/** Publishes for some time, and counts the messages that were confirmed or came back. */
async function load({ port, keys = 1, queue, isDelivered = false }, milliseconds) {
  const socket = await connect(port);
  const batches = makeBatches(keys, queue);
  const end = performance.now() + milliseconds;
  let sent = 0;
  let done = 0;
  let isOpen = false;
  await inTime(milliseconds, (resolve, reject) => {
    const count = countFrames(sizeOf, (bytes) => {
      if (bytes[0] !== 1) return;
      const key = bytes.readUInt32BE(7);
      if (key === CONFIRM_SELECT_OK) isOpen = true;
      else if (key === ACK && !isDelivered) done = Number(bytes.readBigUInt64BE(11));
      else if (key === DELIVER && isDelivered) done += 1;
    });
    socket.on('error', reject).on('close', () => reject(new Error('the server closed the connection')));
    socket.on('data', (chunk) => {
      count(chunk);
      const isOver = performance.now() >= end;
      if (isOver && done >= sent) return resolve();
      while (isOpen && !isOver && sent - done + BATCH <= WINDOW) {
        socket.write(batches[(sent / BATCH) % batches.length]);
        sent += BATCH;
      }
    });
    socket.write(opening(queue));
  });
  socket.destroy();
  return done;
}

function makeBatches(keys, queue) {
  const header = Buffer.from([0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, BODY.length, 0x10, 0x00, 2]);
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

function opening(queue) {
  const login = Buffer.from('\0guest\0guest');
  const sized = Buffer.concat([Buffer.from([0, 0, 0, login.length]), login]);
  const call = (channel, ...parts) => frame(1, Buffer.concat(parts), channel);
  return Buffer.concat([
    Buffer.from('AMQP\0\0\x09\x01', 'latin1'),
    call(0, method(10, 11), Buffer.alloc(4), short('PLAIN'), sized, short('en_US')),
    call(0, method(10, 31), Buffer.from([7, 255, 0, 2, 0, 0, 0, 0])),
    call(0, method(10, 40), short('/'), Buffer.alloc(2)),
    call(1, method(20, 10), Buffer.alloc(1)),
    ...(queue === undefined
      ? []
      : [call(1, method(60, 20), Buffer.alloc(2), short(queue), short('c'), Buffer.from([2, 0, 0, 0, 0]))]),
    call(1, method(85, 10), Buffer.alloc(1)),
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
