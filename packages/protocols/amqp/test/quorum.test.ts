import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import type { Channel, GetMessage } from 'amqplib';
import {
  bodiesOf,
  channelError,
  collect,
  connect,
  openChannel,
  openConfirmChannel,
  quiet,
  startHost,
} from './support.js';

/** A quorum queue `jobs` with messages in it, and where its dead letters go. */
async function fill(url: string, bodies: readonly string[], settings: object = {}): Promise<Channel> {
  const channel = await openConfirmChannel(url);
  await channel.assertQueue('dead');
  await channel.assertQueue('jobs', {
    deadLetterExchange: '',
    deadLetterRoutingKey: 'dead',
    arguments: { 'x-queue-type': 'quorum', ...settings },
  });
  for (const body of bodies) channel.sendToQueue('jobs', Buffer.from(body), { headers: { kept: true } });
  await channel.waitForConfirms();
  return channel;
}

async function get(channel: Channel, queue = 'jobs'): Promise<GetMessage> {
  const message = await channel.get(queue);
  if (message === false) throw new Error(`${queue} is empty`);
  return message;
}

async function getAll(channel: Channel): Promise<string[]> {
  const messages: GetMessage[] = [];
  for (let next = await channel.get('jobs'); next !== false; next = await channel.get('jobs'))
    messages.push(next);
  return bodiesOf(messages);
}

function countOf({ properties }: GetMessage): unknown {
  return properties.headers?.['x-delivery-count'];
}

describe('a quorum queue', () => {
  it('counts what comes back, and lets it die beyond the limit', async () => {
    const { url } = await startHost();
    const channel = await fill(url, ['poison'], { 'x-delivery-limit': 2 });
    const seen: unknown[] = [];
    const give = [
      (message: GetMessage) => channel.nack(message),
      (message: GetMessage) => channel.reject(message),
      () => void channel.recover(),
    ];
    for (const giveBack of give) {
      const message = await get(channel);
      seen.push([countOf(message), message.fields.redelivered]);
      giveBack(message);
    }
    expect(seen).toEqual([
      [0, false],
      [1, true],
      [2, true],
    ]);
    expect(await channel.get('jobs')).toBe(false);
    const { properties, content } = await get(channel, 'dead');
    expect(content.toString()).toBe('poison');
    expect(properties.headers).toMatchObject({
      kept: true,
      'x-first-death-reason': 'delivery_limit',
      'x-death': [{ queue: 'jobs', reason: 'delivery_limit', count: 1 }],
    });
    expect(properties.headers).not.toHaveProperty('x-delivery-count');
  });

  it('with a limit of 0 lets a message die at its first return', async () => {
    const { url } = await startHost();
    const channel = await fill(url, ['a'], { 'x-delivery-limit': 0 });
    channel.nack(await get(channel));
    expect((await get(channel, 'dead')).content.toString()).toBe('a');
  });

  it('counts what a closed channel leaves, which keeps its place', async () => {
    const { url } = await startHost();
    const channel = await fill(url, ['a', 'b', 'c']);
    const client = await connect(url);
    for (let count = 0; count < 3; count += 1) {
      const other = await client.createChannel();
      const message = await get(other);
      expect([message.content.toString(), countOf(message)]).toEqual(['a', count]);
      await other.close();
    }
    expect(await getAll(channel)).toEqual(['a', 'b', 'c']);
  });

  it('without a limit puts what is requeued behind the others, with one where it was', async () => {
    const { url } = await startHost();
    const channel = await fill(url, ['a', 'b', 'c']);
    channel.nack(await get(channel));
    expect(await getAll(channel)).toEqual(['b', 'c', 'a']);
    await channel.deleteQueue('jobs');
    const limited = await fill(url, ['a', 'b', 'c'], { 'x-delivery-limit': 5 });
    limited.nack(await get(limited));
    expect(await getAll(limited)).toEqual(['a', 'b', 'c']);
  });

  it('lets many messages die at once, each once', async () => {
    const { url } = await startHost();
    const bodies = Array.from({ length: 3000 }, (_, n) => `${n}`);
    const channel = await fill(url, bodies, { 'x-delivery-limit': 0 });
    let got = 0;
    await new Promise<void>((resolve) => {
      void channel.consume('jobs', () => {
        got += 1;
        if (got === bodies.length) resolve();
      });
    });
    channel.nackAll();
    expect((await channel.checkQueue('jobs')).messageCount).toBe(0);
    const dead = await collect(channel, 'dead');
    await eventually(() => dead.length >= bodies.length);
    expect(bodiesOf(dead)).toEqual(bodies);
  });

  it('keeps the counts in snapshots', async () => {
    const { host, url } = await startHost();
    const channel = await fill(url, ['a'], { 'x-delivery-limit': 1 });
    channel.nack(await get(channel));
    await channel.checkQueue('jobs');
    const { id } = host.snapshots.create();
    await channel.purgeQueue('jobs');
    host.snapshots.restore(id);
    const message = await get(channel);
    expect([countOf(message), message.fields.redelivered]).toEqual([1, true]);
    channel.nack(message);
    expect((await get(channel, 'dead')).content.toString()).toBe('a');
  });

  it('can be configured', async () => {
    const { url } = await startHost({
      queues: [{ name: 'jobs', arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': 3 } }],
    });
    const channel = await openChannel(url);
    await channel.assertQueue('jobs', { arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': 3 } });
    channel.sendToQueue('jobs', Buffer.from('a'));
    expect(countOf(await get(channel))).toBe(0);
  });

  it.each([
    ['consumers under a global qos', 'does not support global qos'],
    ['deletion if empty', 'with if-empty flag set are not supported by quorum queues'],
    ['deletion if unused', 'with if-unused flag set are not supported by quorum queues'],
  ])('has no %s', async (what, text) => {
    const { url } = await startHost();
    await fill(url, []);
    const client = await connect(url);
    const error = new Promise<Error>((resolve) => client.once('error', resolve));
    const channel = quiet(await client.createChannel());
    if (what.startsWith('consumers')) {
      await channel.prefetch(1, true);
      channel.consume('jobs', () => undefined).catch(() => undefined);
    } else {
      const options = { ifEmpty: what.endsWith('empty'), ifUnused: what.endsWith('unused') };
      channel.deleteQueue('jobs', options).catch(() => undefined);
    }
    expect(await error).toMatchObject({ code: 540, message: expect.stringContaining(text) as unknown });
  });
});

describe('the type of a queue', () => {
  it.each([
    [{ 'x-queue-type': 'heap' }, {}, "'heap' is not one of classic, quorum, stream"],
    [{ 'x-queue-type': 'quorum', 'x-max-priority': 5 }, {}, "invalid arg 'x-max-priority'"],
    [{ 'x-delivery-limit': 5 }, {}, "invalid arg 'x-delivery-limit'"],
    [{ 'x-queue-type': 'quorum', 'x-delivery-limit': 'many' }, {}, "invalid arg 'x-delivery-limit'"],
    [{ 'x-max-age': '7D' }, {}, "invalid arg 'x-max-age'"],
    [{ 'x-queue-type': 'quorum' }, { durable: false }, "invalid property 'non-durable'"],
    [{ 'x-queue-type': 'quorum' }, { autoDelete: true }, "invalid property 'auto-delete'"],
    [{ 'x-queue-type': 'quorum' }, { exclusive: true }, "invalid property 'exclusive-owner'"],
  ])('%j with %j is refused', async (args, options, text) => {
    const { url } = await startHost();
    const channel = await openChannel(url);
    const error = channelError(channel);
    channel.assertQueue('q', { ...options, arguments: args }).catch(() => undefined);
    expect(await error).toMatchObject({ code: 406, message: expect.stringContaining(text) as unknown });
  });

  it('is compared, and classic when absent', async () => {
    const { url } = await startHost();
    const channel = await openChannel(url);
    await channel.assertQueue('q');
    await channel.assertQueue('q', { arguments: { 'x-queue-type': 'classic' } });
    const error = channelError(channel);
    channel.assertQueue('q', { arguments: { 'x-queue-type': 'quorum' } }).catch(() => undefined);
    expect(await error).toMatchObject({ code: 406 });
  });

  it('is not one that a queue named by the server can have', async () => {
    const { url } = await startHost();
    const channel = await openChannel(url);
    const error = channelError(channel);
    channel.assertQueue('', { arguments: { 'x-queue-type': 'quorum' } }).catch(() => undefined);
    expect(await error).toMatchObject({ code: 406 });
  });
});
