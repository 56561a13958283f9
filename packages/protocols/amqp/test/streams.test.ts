import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import type { Channel, GetMessage } from 'amqplib';
import {
  bodiesOf,
  channelError,
  connect,
  openChannel,
  openConfirmChannel,
  quiet,
  startHost,
} from './support.js';

const STREAM = { name: 'log', arguments: { 'x-queue-type': 'stream' } };

async function publish(url: string, bodies: readonly string[], size = 0): Promise<void> {
  const channel = await openConfirmChannel(url);
  for (const body of bodies) channel.sendToQueue('log', Buffer.from(body.padEnd(size)));
  await channel.waitForConfirms();
}

/** Reads on over a connection of its own, and acknowledges what it gets. */
async function read(
  url: string,
  offset: unknown,
  prefetch = 10,
): Promise<{ channel: Channel; messages: GetMessage[] }> {
  const channel = await openChannel(url);
  await channel.prefetch(prefetch);
  const messages: GetMessage[] = [];
  const options = { arguments: { 'x-stream-offset': offset } };
  await channel.consume(
    'log',
    (message) => {
      if (message === null) return;
      messages.push(message as unknown as GetMessage);
      channel.ack(message);
    },
    options,
  );
  return { channel, messages };
}

function offsetsOf(messages: readonly GetMessage[]): unknown[] {
  return messages.map(({ properties }) => properties.headers?.['x-stream-offset']);
}

const numbers = (count: number): string[] => Array.from({ length: count }, (_, number) => `m${number}`);

describe('a stream', () => {
  it('keeps what is read, for each reader from where it wants, and follows', async () => {
    const { url } = await startHost({ queues: [STREAM] });
    await publish(url, numbers(500));
    const readers = await Promise.all(['first', 'first', 490, 'last', 'next'].map((at) => read(url, at)));
    await eventually(() => readers[0]?.messages.length === 500 && readers[1]?.messages.length === 500);
    await publish(url, ['late']);
    const counts = [501, 501, 11, 2, 1];
    await eventually(() => readers.every(({ messages }, n) => messages.length === counts[n]));
    expect(offsetsOf(readers[2]?.messages ?? [])).toEqual([
      490, 491, 492, 493, 494, 495, 496, 497, 498, 499, 500,
    ]);
    for (const { messages } of readers) expect(bodiesOf(messages).at(-1)).toBe('late');
    expect(bodiesOf(readers[0]?.messages ?? []).slice(0, 500)).toEqual(numbers(500));
    const [reader] = readers;
    expect(await reader?.channel.checkQueue('log')).toMatchObject({ messageCount: 501, consumerCount: 5 });
  });

  it('is read from a time of the virtual clock, and forgets what is older than its x-max-age', async () => {
    const arguments_ = { ...STREAM.arguments, 'x-max-age': '1h' };
    const { host, url } = await startHost({ queues: [{ ...STREAM, arguments: arguments_ }] });
    host.clock.freeze(true);
    await publish(url, ['old']);
    await host.clock.advance(40 * 60_000);
    await publish(url, ['new']);
    const seconds = Math.floor(Date.parse(host.clock.view().now) / 1000);
    const readers = await Promise.all(
      [
        '10m',
        '50m',
        { '!': 'timestamp', value: seconds - 60 },
        { '!': 'timestamp', value: seconds + 60 },
      ].map((at) => read(url, at)),
    );
    await eventually(() => readers[1]?.messages.length === 2);
    await host.clock.advance(20 * 60_000);
    const late = await read(url, 'first');
    await publish(url, ['last']);
    await eventually(() => late.messages.length === 2 && readers[3]?.messages.length === 1);
    expect([...readers, late].map(({ messages }) => bodiesOf(messages))).toEqual([
      ['new', 'last'],
      ['old', 'new', 'last'],
      ['new', 'last'],
      ['last'],
      ['new', 'last'],
    ]);
    expect((await late.channel.checkQueue('log')).messageCount).toBe(2);
  });

  it('is bounded by its x-max-length-bytes, and in any case', async () => {
    const arguments_ = { ...STREAM.arguments, 'x-max-length-bytes': 1000 };
    const { url } = await startHost({ queues: [{ ...STREAM, arguments: arguments_ }] });
    await publish(url, numbers(250), 100);
    const { channel, messages } = await read(url, 'first');
    await eventually(() => messages.length === 10);
    expect(offsetsOf(messages)).toEqual([240, 241, 242, 243, 244, 245, 246, 247, 248, 249]);
    await channel.assertQueue('all', { arguments: STREAM.arguments });
    const publisher = await openConfirmChannel(url);
    const body = Buffer.alloc(4 * 1024 * 1024);
    for (let count = 0; count < 20; count += 1) {
      publisher.sendToQueue('all', body);
      await publisher.waitForConfirms();
    }
    expect((await channel.checkQueue('all')).messageCount).toBe(15);
  });

  it('holds back beyond the prefetch, goes on after acknowledgements, and leaves other readers alone', async () => {
    const { url } = await startHost({ queues: [STREAM] });
    await publish(url, numbers(5));
    const slow = await openChannel(url);
    await slow.prefetch(2);
    const held: GetMessage[] = [];
    const options = { arguments: { 'x-stream-offset': 'first' } };
    await slow.consume('log', (message) => held.push(message as unknown as GetMessage), options);
    const quick = await read(url, 'first', 1);
    await eventually(() => quick.messages.length === 5);
    await slow.checkQueue('log');
    expect(bodiesOf(held)).toEqual(['m0', 'm1']);
    for (const message of [...held]) slow.ack(message);
    await eventually(() => held.length === 4);
    expect(bodiesOf(held)).toEqual(['m0', 'm1', 'm2', 'm3']);
  });

  it('is emptied by a reset, and put back with its offsets by a snapshot', async () => {
    const { host, url } = await startHost({
      queues: [{ ...STREAM, arguments: { ...STREAM.arguments, 'x-max-length-bytes': 4 } }],
    });
    await publish(url, numbers(6));
    const { id } = host.snapshots.create();
    const before = await read(url, 'next');
    host.reset();
    await publish(url, ['a']);
    await eventually(() => before.messages.length === 1);
    expect(offsetsOf(before.messages)).toEqual([0]);
    host.snapshots.restore(id);
    const after = await read(url, 'first');
    await eventually(() => after.messages.length === 2);
    expect(offsetsOf(after.messages)).toEqual([4, 5]);
    await publish(url, ['b']);
    await eventually(() => before.messages.length === 2 && after.messages.length === 3);
    expect(offsetsOf(before.messages)).toEqual([0, 6]);
  });

  it('tells its readers when it is deleted, and refuses offsets that are none, and what would lose their place', async () => {
    const { url } = await startHost({ queues: [STREAM] });
    await publish(url, ['x']);
    for (const [offset, text] of [
      ['soon', "invalid arg 'x-stream-offset' for queue 'log' in vhost '/': it must be first, last, next"],
      [{ a: 1 }, "invalid arg 'x-stream-offset'"],
    ] as const)
      await expect(read(url, offset)).rejects.toThrow(text);
    const client = await connect(url);
    const closed = new Promise<Error>((resolve) => client.once('error', resolve));
    const channel = quiet(await client.createChannel());
    await channel.prefetch(1);
    await channel.consume('log', () => undefined);
    void channel.recover().catch(() => undefined);
    expect((await closed).message).toContain("basic.recover not supported by stream queues queue 'log'");
    const other = await openChannel(url);
    await other.prefetch(1);
    let tell: (message: unknown) => void = () => undefined;
    const told = new Promise((resolve) => (tell = resolve));
    await other.consume('log', (message) => tell(message));
    await (await openChannel(url)).deleteQueue('log');
    expect(await told).toBeNull();
    const failed = channelError(other);
    await expect(other.checkQueue('log')).rejects.toThrow('NOT_FOUND');
    expect((await failed).code).toBe(404);
  });
});
