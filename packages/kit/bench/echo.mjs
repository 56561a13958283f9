// An echo through the kit against one on node:net alone: messages per second, and their ratio (at least 0.9).
import { once } from 'node:events';
import net from 'node:net';
import { createStreamServer } from '../dist/index.js';

const CLIENTS = 8;
const ROUND_MS = 250;
const ROUNDS = 20;

/** Keeps `depth` messages of `size` bytes under way, and counts those that came back. */
async function runClient(port, size, depth) {
  const socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
  await once(socket, 'connect');
  const message = Buffer.alloc(size, 'x');
  const end = performance.now() + ROUND_MS;
  let count = 0;
  let received = 0;
  await new Promise((resolve) => {
    socket.on('data', (chunk) => {
      received += chunk.length;
      for (; received >= size; received -= size) {
        count += 1;
        socket.write(message);
      }
      if (performance.now() >= end) resolve();
    });
    for (let started = 0; started < depth; started += 1) socket.write(message);
  });
  socket.destroy();
  return count;
}

async function rateOf(port, size, depth) {
  const counts = await Promise.all(Array.from({ length: CLIENTS }, () => runClient(port, size, depth)));
  return (counts.reduce((sum, count) => sum + count, 0) / ROUND_MS) * 1000;
}

const median = (values) => values.sort((one, other) => one - other)[Math.floor(values.length / 2)];

const bare = net.createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => socket.write(chunk));
});
bare.listen(0, '127.0.0.1');
await once(bare, 'listening');
const kit = createStreamServer({
  host: '127.0.0.1',
  port: 0,
  limits: { idleTimeout: 30_000 },
  onConnection: (connection) => connection.onData((chunk) => connection.write(chunk)),
});
const ports = [bare.address().port, (await kit.start()).port];

for (const [size, depth] of [
  [64, 1],
  [64, 16],
  [65_536, 1],
]) {
  await Promise.all(ports.map((port) => rateOf(port, size, depth)));
  // Both are measured next to each other, in changing order, since what else the machine does changes by the second.
  const ratios = [];
  const rates = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [first, second] = round % 2 === 0 ? [0, 1] : [1, 0];
    const rate = [0, 0];
    rate[first] = await rateOf(ports[first], size, depth);
    rate[second] = await rateOf(ports[second], size, depth);
    ratios.push(rate[1] / rate[0]);
    rates.push(rate[1]);
  }
  console.log(
    `${size} bytes, ${depth} under way: kit ${median(rates).toFixed(0)}/s, ratio ${median(ratios).toFixed(2)}`,
  );
}

bare.close();
await kit.stop(0);
