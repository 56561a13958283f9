import type { Socket } from 'node:net';
import { abandon } from '../abandon.js';
import { check, checkEqual, ConformanceError, settle } from '../check.js';
import type { ConformanceCase } from '../conformance-case.js';
import { randomBytes } from '../seeded-numbers.js';
import { connectRaw, sendDatagrams } from '../raw-client.js';
import { hasConnections, hasDatagrams, onStage, type Stage, type Subject } from '../stage.js';

const MEGABYTE = 1024 * 1024;
const MANY = 50;
/** How often a question that is a datagram is asked before the server counts as silent. */
const ASKS = 3;

/** The beginning of a TLS 1.2 ClientHello, as a browser sends it to the wrong port. */
const TLS_HELLO = Buffer.from(
  '16030100a5010000a10303' +
    '5f'.repeat(32) +
    '00' +
    '0026c02cc030009fcca9cca8ccaac02bc02f009ec024c028006bc023c0270067' +
    '00'.repeat(80),
  'hex',
);

const ATTACKS: Readonly<Record<string, readonly Uint8Array[]>> = {
  'random bytes': Array.from({ length: 20 }, (_, index) => randomBytes(index + 1, 997)),
  'a TLS hello': [TLS_HELLO],
  'an HTTP request': [Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n')],
  'a megabyte of zeros': [Buffer.alloc(MEGABYTE)],
  'a megabyte without a line break': [Buffer.alloc(MEGABYTE, 'A')],
  'a megabyte of 0xff': [Buffer.alloc(MEGABYTE, 0xff)],
};

/** What reaches an open port and is no client. */
export function robustnessCases(subject: Subject): readonly ConformanceCase[] {
  const on = (name: string, run: (stage: Stage) => Promise<void>, asks = 1): ConformanceCase => ({
    name: `survives ${name}`,
    run: () =>
      onStage(subject, async (stage) => {
        stage.add('simple');
        await run(stage);
        await checkWell(subject, stage, asks);
      }),
  });
  const streams = [
    ...Object.entries(ATTACKS).map(([name, attack]) =>
      on(name, async (stage) => {
        const sockets = await Promise.all(attack.map((bytes) => throwAt(stage, bytes)));
        // A client that comes while the others are still there.
        await checkWell(subject, stage);
        for (const socket of sockets) socket.destroy();
      }),
    ),
    on('connections that are reset in the middle of a message', async (stage) => {
      for (const bytes of [Buffer.alloc(1), Buffer.from('simple'), TLS_HELLO.subarray(0, 20)]) {
        abandon(await throwAt(stage, bytes));
      }
    }),
    on(`${MANY} connections that say nothing, half of them half-closed`, async (stage) => {
      const sockets: Socket[] = [];
      for (let i = 0; i < MANY; i += 1) sockets.push(await connectRaw(stage.address, stage.timeout));
      sockets.forEach((socket, index) => index % 2 === 0 && socket.end());
      await checkWell(subject, stage);
      for (const socket of sockets) socket.destroy();
    }),
  ];
  const datagrams = [
    on(
      'random datagrams',
      async (stage) => {
        const sizes = Array.from({ length: 200 }, (_, index) => (index * 37) % 1_400);
        await sendDatagrams(stage.address, [
          ...sizes.map((size, index) => randomBytes(index + 1, size)),
          Buffer.alloc(9_000),
        ]);
        await settle();
      },
      ASKS,
    ),
  ];
  return [...(hasConnections(subject) ? streams : []), ...(hasDatagrams(subject) ? datagrams : [])];
}

/** Sends bytes over a connection of their own; as many as the server takes. */
async function throwAt(stage: Stage, bytes: Uint8Array): Promise<Socket> {
  const socket = await connectRaw(stage.address, stage.timeout);
  socket.resume();
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.write(bytes, () => resolve());
    // A server need not read what it will not understand.
    void settle().then(resolve);
  });
  await settle();
  return socket;
}

/** Fails unless the kind runs and answers; `asks` is how often it is asked while no answer comes. */
async function checkWell({ probe }: Subject, stage: Stage, asks = 1): Promise<void> {
  const status = stage.kind.status();
  check(status['state'] === 'running', `the kind must go on running, got ${JSON.stringify(status)}`);
  checkEqual('the answer to a good client', await askAgain(stage, asks), probe.answers.simple);
}

/** Asks again when nothing came, as any client does whose question may be lost on its way. */
async function askAgain(stage: Stage, asks: number): Promise<string> {
  for (let left = asks; ; left -= 1) {
    try {
      return await stage.ask('simple');
    } catch (thrown) {
      if (left <= 1 || !(thrown instanceof ConformanceError)) throw thrown;
    }
  }
}
