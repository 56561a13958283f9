import dgram from 'node:dgram';
import { once } from 'node:events';
import { afterEach, expect, it } from '@jest/globals';
import type { ActiveToxic, ToxicFeed } from '@backlot/core/plugin';
import { createDatagramServer, timers, type DatagramServer } from '../src/index.js';
import { until } from './clients.js';

let server: DatagramServer;
let client: dgram.Socket;
let received: string[];
let tell: () => void;
let feed: ToxicFeed & { current: ActiveToxic[] };

async function start(): Promise<void> {
  let number = 0;
  feed = {
    current: [],
    follow: (listener) => {
      tell = listener;
      return () => undefined;
    },
    nextNumber: () => ++number,
    random: (_toxic, which) =>
      ({ next: () => (which % 2) / 2, int: (min: number) => min, float: () => 0 }) as never,
  };
  server = createDatagramServer({
    ...{ host: '127.0.0.1', port: 0, toxics: feed },
    onMessage: (data, _remote, reply) => reply(data),
  });
  const { port } = await server.start();
  client = dgram.createSocket('udp4');
  client.connect(port, '127.0.0.1');
  await once(client, 'connect');
  received = [];
  client.on('message', (data) => received.push(data.toString('latin1')));
}

function set(...toxics: Partial<ActiveToxic>[]): void {
  feed.current = toxics.map((toxic) => ({
    ...{ name: 'one', type: 'loss', onStreams: false, onDatagrams: true, stream: 'downstream' as const },
    ...{ toxicity: 1, attributes: {}, isFor: () => true, ...toxic },
  }));
  tell();
}

/** Sends texts, each when the one before is on its way. */
async function send(...texts: string[]): Promise<void> {
  for (const text of texts) await new Promise<void>((resolve) => client.send(text, () => resolve()));
}

afterEach(async () => {
  client.close();
  await server.stop(0);
});

it('lose, multiply, cut off and alter datagrams, and leave them alone again', async () => {
  await start();
  // Every second one is lost: the chance of numbers that are even is below a toxicity of one half.
  set({ type: 'loss', stream: 'upstream', toxicity: 0.5 });
  await send('a', 'b', 'c', 'd', 'e');
  await until(() => received.length === 3);
  expect(received).toEqual(['a', 'c', 'e']);
  received.length = 0;
  set({ type: 'duplicate', attributes: { copies: 2 } });
  await send('a');
  await until(() => received.length === 3);
  received.length = 0;
  set({ type: 'truncate', attributes: { bytes: 2 } });
  await send('abc');
  await until(() => received.length === 1);
  expect(received).toEqual(['ab']);
  received.length = 0;
  set({ type: 'corrupt', attributes: { bytes: 1, chance: 1 } });
  await send('abc');
  await until(() => received.length === 1);
  expect(received[0]).not.toBe('abc');
  received.length = 0;
  set({ type: 'down', isFor: () => false });
  await send('abc');
  await until(() => received.length === 1);
  let isFirst = true;
  set({ type: 'down', stream: 'upstream', isFor: () => isFirst && !(isFirst = false) });
  await send('lost', 'abc');
  await until(() => received.length === 2);
  expect(received).toEqual(['abc', 'abc']);
});

it('hold datagrams back: by a time, each by itself, and until others have passed', async () => {
  await start();
  set({ type: 'late', attributes: { latency: 60, jitter: 0 } });
  const began = timers.now();
  await send('a');
  await until(() => received.length === 1);
  expect(timers.now() - began).toBeGreaterThanOrEqual(59);
  received.length = 0;
  let isFirst = true;
  const isFor = (): boolean => isFirst && !(isFirst = false);
  set({ type: 'reorder', stream: 'upstream', attributes: { gap: 1, timeout: 3_600_000 }, isFor });
  await send('first', 'second');
  await until(() => received.length === 2);
  expect(received).toEqual(['second', 'first']);
  received.length = 0;
  set({ type: 'reorder', attributes: { gap: 100, timeout: 5 } });
  await send('alone');
  await until(() => received.length === 1);
  // What is held when it stops is forgotten, and holds nothing up.
  set({ type: 'late', attributes: { latency: 3_600_000 } });
  await send('never');
});
