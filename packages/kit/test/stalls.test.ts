import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { stalls, type Stall } from '@backlot/core/plugin';
import { createDatagramServer, readFrames, timers } from '../src/index.js';
import { LineFramer } from '../src/framing.js';
import { closeAll, connect, listen, readUntil } from './clients.js';

let ahead = 0;
let told: Stall[];
let stop: () => void;

beforeEach(() => {
  ahead = 0;
  told = [];
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
  // A busy machine takes the processor away from the test, which is no stall of its own.
  const usage = process.resourceUsage();
  jest.spyOn(process, 'resourceUsage').mockReturnValue(usage);
  stop = stalls.listen((stall) => told.push(stall) > 0);
});
afterEach(async () => {
  stop();
  jest.restoreAllMocks();
  await closeAll();
});

/** As if so many milliseconds had passed. */
const pass = (milliseconds: number): void => {
  ahead += milliseconds;
};

it('a connection whose bytes held the event loop is told of, and no other', async () => {
  const { port } = await listen({
    onConnection: (connection) =>
      readFrames(connection, new LineFramer({ maxLength: 100 }), (line) => {
        if (line.toString() === 'slow') pass(300);
        connection.write(`${line.toString()}\n`);
      }),
  });
  const client = await connect(port);
  client.write('quick\n');
  await readUntil(client, 'quick\n');
  expect(told).toEqual([]);
  const remote = `127.0.0.1:${client.localPort}`;
  client.write('slow\n');
  await readUntil(client, 'slow\n');
  expect(told).toEqual([{ began: expect.any(Number), duration: expect.any(Number), remote, port }]);
  expect(told[0]?.duration).toBeGreaterThanOrEqual(300);
  // The rest of a pipeline, which goes on in a later turn, is measured by itself.
  client.write('slow\nslow\n');
  await readUntil(client, 'slow\nslow\n');
  expect(told).toHaveLength(3);
});

it('a connection that was left to a library is told of too', async () => {
  const { port } = await listen({
    onConnection: (connection) =>
      connection.handOver((socket) => {
        socket.on('data', () => {
          pass(300);
          socket.write('done');
        });
      }),
  });
  const client = await connect(port);
  client.write('x');
  await readUntil(client, 'done');
  expect(told).toMatchObject([{ remote: `127.0.0.1:${client.localPort}`, port }]);
});

it('a datagram that held the event loop is told of', async () => {
  const server = createDatagramServer({
    host: '127.0.0.1',
    port: 0,
    onMessage(data, _remote, reply) {
      if (data.toString() === 'slow') pass(300);
      reply(data);
    },
  });
  const { port } = await server.start();
  const client = createSocket('udp4');
  try {
    for (const text of ['quick', 'slow']) {
      client.send(text, port, '127.0.0.1');
      await once(client, 'message');
      // The answer may be here before the turn in which it was sent is over.
      await new Promise<void>((resolve) => timers.afterTurn(resolve));
    }
    expect(told).toMatchObject([{ remote: `127.0.0.1:${client.address().port}`, port }]);
  } finally {
    client.close();
    await server.stop(0);
  }
});
