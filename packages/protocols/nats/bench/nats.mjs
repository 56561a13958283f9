// Messages a second from a publisher to subscribers: nats-server (where it is installed) and a bare fan-out of node:net
// against this plugin, without mocks and with 1 and 10,000 of them.
import { createHost } from '@backlot/core';
import { nats } from '@backlot/nats';
import { compareServers, connect, inTime, listen, serveMocks } from '@backlot/tooling/bench';
import { join, startReference } from './lib/client.mjs';

const MANY = 10_000;
/** Messages a publisher sends ahead of what the subscriber has got. */
const UNDER_WAY = 4_000;
const BATCH = 250;
const PAYLOAD = 'x'.repeat(128);

const subjectOf = (n) => `orders.number.${n}`;
const response = { payload: PAYLOAD };
const serve = serveMocks(createHost, nats, (n, makeSubject) => ({ subject: makeSubject(n), response }));

await compareServers(import.meta.url, {
  name: 'nats',
  unit: 'message',
  servers: {
    bare: serveBare,
    none: serve(0),
    beside: serve(MANY, (n) => `beside.${n}`),
    one: serve(1, () => 'orders.>'),
    many: serve(MANY, subjectOf),
    wild: serve(MANY, (n) => `${subjectOf(n)}.*`),
  },
  cases: [
    { label: 'bare node:net', server: 'bare', isBare: true },
    { label: 'no mocks', server: 'none' },
    { label: '10,000 mocks beside', server: 'beside' },
    { label: 'answers of 1 mock', server: 'one', asks: true, suffix: '.any' },
    { label: 'answers of 10,000 mocks', server: 'many', asks: true },
    { label: 'answers of 10,000 wildcard mocks', server: 'wild', asks: true, suffix: '.any' },
  ],
  others: async () => {
    const started = await startReference();
    return [started && { label: 'nats-server', ...started }];
  },
  load,
  ratios: [
    { what: '10,000 mocks beside', of: 'no mocks' },
    { what: 'answers of 10,000 mocks', of: 'answers of 1 mock' },
    { what: 'answers of 10,000 wildcard mocks', of: 'answers of 1 mock' },
    { what: 'no mocks', of: 'nats-server' },
    { what: 'no mocks', of: 'bare node:net', goal: 0.83 },
  ],
});

/** Gives what one connection sends to all others, and knows nothing of it. */
function serveBare() {
  const sockets = new Set();
  return listen((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      for (const other of sockets) if (other !== socket) other.write(chunk);
    });
  });
}

/** One connection publishes, another gets either what was published or what mocks answer. */
async function load({ port, isBare = false, asks = false, suffix = '' }, milliseconds) {
  const subscription = `SUB ${asks ? 'answers' : 'orders.>'} 1\r\n`;
  const subscriber = isBare ? await connect(port) : await join(port, subscription);
  const publisher = isBare ? await connect(port) : await join(port);
  const line = (n) =>
    `PUB ${subjectOf(n)}${suffix}${asks ? ' answers' : ''} ${PAYLOAD.length}\r\n${PAYLOAD}\r\n`;
  const subjects = asks ? MANY : 1;
  const batches = Array.from({ length: Math.max(1, subjects / BATCH) }, (_, batch) =>
    Buffer.from(Array.from({ length: BATCH }, (_unused, n) => line((batch * BATCH + n) % subjects)).join('')),
  );
  const delivered = `MSG ${asks ? 'answers' : subjectOf(0)} 1 ${PAYLOAD.length}\r\n${PAYLOAD}\r\n`;
  // What comes is counted by its size.
  const size = (isBare ? line(0) : delivered).length;
  const end = performance.now() + milliseconds;
  let sent = 0;
  let bytes = 0;
  await inTime(milliseconds, (resolve) => {
    const send = () => {
      while (sent - bytes / size < UNDER_WAY) {
        publisher.write(batches[(sent / BATCH) % batches.length]);
        sent += BATCH;
      }
    };
    subscriber.on('data', (chunk) => {
      bytes += chunk.length;
      if (performance.now() >= end) resolve();
      else send();
    });
    send();
  });
  publisher.destroy();
  subscriber.destroy();
  return bytes / size;
}
