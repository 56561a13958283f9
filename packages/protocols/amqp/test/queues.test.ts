import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import type { Channel, GetMessage } from 'amqplib';
import {
  bodiesOf,
  collect,
  connect,
  method,
  openChannel,
  openConfirmChannel,
  OPENING,
  RawClient,
  shortString,
  startHost,
} from './support.js';

async function countOf(channel: Channel, queue: string): Promise<number> {
  return (await channel.checkQueue(queue)).messageCount;
}

/** Messages and queues that expire do so by the virtual clock. */
describe('time', () => {
  it('drops a message when its own or its queue’s ttl is over, and hands it to the dead letter exchange', async () => {
    const { host, url } = await startHost();
    const { clock } = host;
    clock.freeze(true);
    const channel = await openChannel(url);
    await channel.assertQueue('dead');
    await channel.assertQueue('q', {
      messageTtl: 60_000,
      deadLetterExchange: '',
      deadLetterRoutingKey: 'dead',
    });
    channel.sendToQueue('q', Buffer.from('own'), { expiration: '10000', messageId: 'm' });
    channel.sendToQueue('q', Buffer.from('queue'));
    expect(await countOf(channel, 'q')).toBe(2);
    await clock.advance(9_999);
    expect(await countOf(channel, 'q')).toBe(2);
    await clock.advance(1);
    expect(await countOf(channel, 'q')).toBe(1);
    await clock.advance(50_000);
    expect(await countOf(channel, 'q')).toBe(0);
    const first = (await channel.get('dead', { noAck: true })) as GetMessage;
    expect(first.content.toString()).toBe('own');
    expect(first.properties.expiration).toBeUndefined();
    expect(first.properties.messageId).toBe('m');
    expect(first.properties.headers).toMatchObject({
      'x-first-death-queue': 'q',
      'x-first-death-reason': 'expired',
      'x-first-death-exchange': '',
      'x-death': [
        {
          count: 1,
          reason: 'expired',
          queue: 'q',
          exchange: '',
          'routing-keys': ['q'],
          'original-expiration': '10000',
        },
      ],
    });
    expect(((await channel.get('dead')) as GetMessage).content.toString()).toBe('queue');
  });

  it('retries by two queues that dead-letter into each other, counting each round', async () => {
    const { host, url } = await startHost();
    host.clock.freeze(true);
    const channel = await openChannel(url);
    await channel.assertQueue('work', { deadLetterExchange: '', deadLetterRoutingKey: 'wait' });
    await channel.assertQueue('wait', {
      messageTtl: 5_000,
      deadLetterExchange: '',
      deadLetterRoutingKey: 'work',
    });
    channel.sendToQueue('work', Buffer.from('x'));
    for (let round = 1; round <= 3; round += 1) {
      const message = (await channel.get('work')) as GetMessage;
      const deaths = (message.properties.headers?.['x-death'] ?? []) as { queue: string; count: number }[];
      expect(deaths.map(({ queue, count }) => [queue, count])).toEqual(
        round === 1
          ? []
          : [
              ['wait', round - 1],
              ['work', round - 1],
            ],
      );
      channel.nack(message, false, false);
      expect(await countOf(channel, 'wait')).toBe(1);
      await host.clock.advance(5_000);
    }
  });

  it('lets nothing go round for ever that nobody rejects', async () => {
    const { host, url } = await startHost();
    host.clock.freeze(true);
    const channel = await openChannel(url);
    const round = { messageTtl: 1_000, deadLetterExchange: '' };
    await channel.assertQueue('a', { ...round, deadLetterRoutingKey: 'b' });
    await channel.assertQueue('b', { ...round, deadLetterRoutingKey: 'a' });
    channel.sendToQueue('a', Buffer.from('x'));
    await countOf(channel, 'a');
    await host.clock.advance(10_000);
    expect([await countOf(channel, 'a'), await countOf(channel, 'b')]).toEqual([0, 0]);
  });

  it('drops a queue that nobody uses', async () => {
    const { host, url } = await startHost();
    host.clock.freeze(true);
    const channel = await openChannel(url);
    await channel.assertQueue('q', { expires: 60_000 });
    await host.clock.advance(59_000);
    await channel.checkQueue('q');
    await host.clock.advance(59_000);
    const { consumerTag } = await channel.consume('q', () => undefined);
    await host.clock.advance(120_000);
    await channel.cancel(consumerTag);
    await host.clock.advance(60_000);
    await expect(channel.checkQueue('q')).rejects.toThrow("no queue 'q'");
  });
});

describe('limits of a queue', () => {
  it('drop the oldest, and hand it to the dead letter exchange', async () => {
    const { url } = await startHost();
    const channel = await openChannel(url);
    await channel.assertQueue('dead');
    await channel.assertQueue('q', {
      maxLength: 2,
      deadLetterExchange: '',
      deadLetterRoutingKey: 'dead',
    });
    for (const body of ['a', 'b', 'c']) channel.sendToQueue('q', Buffer.from(body));
    const kept = [await channel.get('q'), await channel.get('q')] as GetMessage[];
    expect(bodiesOf(kept)).toEqual(['b', 'c']);
    const dropped = (await channel.get('dead')) as GetMessage;
    expect([dropped.content.toString(), dropped.properties.headers?.['x-first-death-reason']]).toEqual([
      'a',
      'maxlen',
    ]);
  });

  it('refuse the newest with a nack when asked to', async () => {
    const { url } = await startHost();
    const channel = await openConfirmChannel(url);
    await channel.assertQueue('q', { arguments: { 'x-max-length': 1, 'x-overflow': 'reject-publish' } });
    const confirm = (body: string): Promise<string> =>
      new Promise((resolve) => {
        channel.sendToQueue('q', Buffer.from(body), {}, (error) =>
          resolve(error === null || error === undefined ? 'ack' : 'nack'),
        );
      });
    expect([await confirm('a'), await confirm('b')]).toEqual(['ack', 'nack']);
    expect(await countOf(channel, 'q')).toBe(1);
  });

  it('hand out messages of a higher priority first', async () => {
    const { url } = await startHost();
    const channel = await openChannel(url);
    await channel.assertQueue('q', { maxPriority: 5 });
    for (const priority of [1, 5, 0, 9]) {
      channel.sendToQueue('q', Buffer.from(String(priority)), { priority });
    }
    const received = await collect(channel, 'q');
    await eventually(() => received.length === 4);
    expect(bodiesOf(received)).toEqual(['5', '9', '1', '0']);
  });

  it('are checked when it is declared', async () => {
    const { url } = await startHost();
    const channel = await openChannel(url);
    await expect(channel.assertQueue('q', { messageTtl: -1 })).rejects.toThrow(
      "invalid arg 'x-message-ttl' for queue 'q' in vhost '/': '-1' is not a whole number of at least 0",
    );
  });
});

describe('all queues together', () => {
  it('hold 256 MiB: beyond it a message is nacked, or ends its connection where there are no confirms', async () => {
    const { url } = await startHost();
    const channel = await openConfirmChannel(url);
    await channel.assertQueue('q');
    const body = Buffer.alloc(15 * 1024 * 1024);
    let nacked = 0;
    for (let i = 0; i < 18; i += 1) {
      await new Promise<void>((resolve) => {
        channel.sendToQueue('q', body, {}, (error) => {
          if (error !== null && error !== undefined) nacked += 1;
          resolve();
        });
      });
    }
    expect([await countOf(channel, 'q'), nacked]).toEqual([17, 1]);
    const careless = await connect(url);
    const failed = new Promise<Error>((resolve) => careless.once('error', resolve));
    (await careless.createChannel()).on('error', () => undefined).sendToQueue('q', body);
    expect((await failed).message).toContain('RESOURCE_ERROR - queues may hold 268435456 bytes');
    // Others go on, and room comes back.
    await channel.purgeQueue('q');
    channel.sendToQueue('q', body);
    await channel.waitForConfirms();
    expect(await countOf(channel, 'q')).toBe(1);
  });
});

describe('a consumer that does not read', () => {
  it('gets no more than its socket takes, and holds up nobody', async () => {
    const { url, port, host } = await startHost();
    const publisher = await openConfirmChannel(url);
    await publisher.assertExchange('e', 'fanout');
    await publisher.assertQueue('slow');
    await publisher.bindQueue('slow', 'e', '');
    const slow = await RawClient.connect(port);
    slow.send(OPENING, method(1, 60, 20, `0000${shortString('slow')}${shortString('c')}02` + '00000000'));
    await slow.until(() => slow.methods.includes('60.21'));
    slow.socket.pause();
    const quick = await openChannel(url);
    await quick.assertQueue('quick');
    await quick.bindQueue('quick', 'e', '');
    const other = await collect(quick, 'quick');
    const body = Buffer.alloc(256 * 1024);
    for (let i = 0; i < 80; i += 1) publisher.publish('e', '', body);
    await publisher.waitForConfirms();
    await eventually(() => other.length === 80);
    // What does not fit into the sockets waits in the queue, where it is counted.
    expect(await countOf(publisher, 'slow')).toBeGreaterThan(20);
    expect(host.kind('amqp').status()['connections']).toBe(3);
    slow.socket.resume();
    await eventually(() => slow.methods.filter((each) => each === '60.60').length === 80);
  });
});
