import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import type { GetMessage } from 'amqplib';
import {
  bodiesOf,
  breakOff,
  channelError,
  collect,
  connect,
  openChannel,
  openConfirmChannel,
  quiet,
  startHost,
} from './support.js';

describe('exchanges', () => {
  it('route by direct, fanout, topic and headers, and from exchange to exchange', async () => {
    const { url } = await startHost();
    const channel = await openChannel(url);
    const { queue } = await channel.assertQueue('', { exclusive: true });
    const received = await collect(channel, queue);
    await channel.assertExchange('d', 'direct');
    await channel.assertExchange('f', 'fanout');
    await channel.assertExchange('t', 'topic');
    await channel.assertExchange('h', 'headers');
    await channel.assertExchange('all', 'fanout', { internal: true });
    await channel.bindQueue(queue, 'd', 'red');
    await channel.bindQueue(queue, 'f', '');
    await channel.bindQueue(queue, 't', 'order.*.created.#');
    await channel.bindQueue(queue, 'h', '', { 'x-match': 'all', format: 'pdf', size: 2 });
    await channel.bindExchange('all', 'd', 'blue');
    await channel.bindQueue(queue, 'all', '');
    const sent: [string, string, object][] = [
      ['d', 'red', {}],
      ['d', 'green', {}],
      ['d', 'blue', {}],
      ['f', 'whatever', {}],
      ['t', 'order.eu.created', {}],
      ['t', 'order.eu.created.now.twice', {}],
      ['t', 'order.created', {}],
      ['h', '1', { headers: { format: 'pdf', size: 2, other: true } }],
      ['h', '2', { headers: { format: 'pdf' } }],
    ];
    for (const [exchange, key, options] of sent) channel.publish(exchange, key, Buffer.from(key), options);
    await channel.checkQueue(queue);
    expect(bodiesOf(received)).toEqual([
      'red',
      'blue',
      'whatever',
      'order.eu.created',
      'order.eu.created.now.twice',
      '1',
    ]);
    await channel.unbindQueue(queue, 'd', 'red');
    await channel.unbindExchange('all', 'd', 'blue');
    channel.publish('d', 'red', Buffer.from('gone'));
    channel.publish('d', 'blue', Buffer.from('gone'));
    channel.publish('f', '', Buffer.from('last'));
    await channel.checkQueue(queue);
    expect(bodiesOf(received).slice(6)).toEqual(['last']);
  });

  it('give a queue a message once, however many bindings lead there, and go round no circle', async () => {
    const { url } = await startHost();
    const channel = await openChannel(url);
    await channel.assertQueue('q');
    for (const name of ['a', 'b']) await channel.assertExchange(name, 'topic');
    await channel.bindExchange('b', 'a', '#');
    await channel.bindExchange('a', 'b', '#');
    await channel.bindQueue('q', 'a', 'x.*');
    await channel.bindQueue('q', 'a', '*.y');
    await channel.bindQueue('q', 'b', '#');
    channel.publish('a', 'x.y', Buffer.from('1'));
    expect((await channel.checkQueue('q')).messageCount).toBe(1);
  });

  it('hand on to their alternate exchange what no binding takes', async () => {
    const { url } = await startHost();
    const channel = await openChannel(url);
    await channel.assertExchange('rest', 'fanout');
    await channel.assertExchange('main', 'direct', { alternateExchange: 'rest' });
    await channel.assertQueue('rest');
    await channel.bindQueue('rest', 'rest', '');
    channel.publish('main', 'nobody', Buffer.from('a'));
    expect((await channel.checkQueue('rest')).messageCount).toBe(1);
  });
});

describe('messages', () => {
  it('keep their properties, their headers of every type, and any body up to 10 MB', async () => {
    const { url } = await startHost();
    const channel = await openChannel(url);
    await channel.assertQueue('q');
    const headers = {
      text: 'é',
      number: -5,
      big: 2 ** 40,
      fraction: 0.5,
      yes: true,
      nothing: null,
      list: [1, 'two', { three: 3 }],
      table: { deep: { deeper: 'x' } },
      bytes: Buffer.from([0, 255]),
    };
    const options = {
      contentType: 'a/b',
      contentEncoding: 'gzip',
      headers,
      deliveryMode: 2,
      priority: 7,
      correlationId: 'c',
      replyTo: 'r',
      expiration: '100000',
      messageId: 'm',
      timestamp: 1_700_000_000,
      type: 't',
      appId: 'a',
    };
    const large = Buffer.alloc(10 * 1024 * 1024, 'abcdefghij');
    for (const body of [Buffer.alloc(0), Buffer.from('x'), large]) {
      channel.sendToQueue('q', body, options);
      const message = (await channel.get('q', { noAck: true })) as GetMessage;
      expect(message.content.equals(body)).toBe(true);
      expect(message.properties).toMatchObject(options);
    }
  });

  it('come in their order over many channels of one connection', async () => {
    const { url } = await startHost();
    const client = await connect(url);
    const consumer = quiet(await client.createChannel());
    await consumer.assertQueue('q');
    const received = await collect(consumer, 'q');
    const channels = await Promise.all(Array.from({ length: 20 }, () => client.createChannel()));
    for (let round = 0; round < 10; round += 1) {
      channels.forEach((channel, index) => channel.sendToQueue('q', Buffer.from(`${index}:${round}`)));
    }
    await eventually(() => received.length === 200);
    for (let index = 0; index < 20; index += 1) {
      const own = bodiesOf(received).filter((body) => body.startsWith(`${index}:`));
      expect(own).toEqual(Array.from({ length: 10 }, (_, round) => `${index}:${round}`));
    }
  });

  it('are confirmed, and returned when mandatory and nobody takes them', async () => {
    const { url } = await startHost();
    const channel = await openConfirmChannel(url);
    const returned: string[] = [];
    channel.on('return', (message) => {
      const { replyCode, replyText } = message.fields as unknown as { replyCode: number; replyText: string };
      returned.push(`${replyCode} ${replyText} ${message.content.toString()}`);
    });
    await channel.assertQueue('q');
    for (let i = 0; i < 500; i += 1) channel.sendToQueue('q', Buffer.from(String(i)));
    channel.publish('', 'nobody', Buffer.from('lost'), { mandatory: true });
    channel.publish('', 'nobody', Buffer.from('dropped'));
    await channel.waitForConfirms();
    expect(returned).toEqual(['312 NO_ROUTE lost']);
    expect(await channel.checkQueue('q')).toMatchObject({ messageCount: 500 });
  });
});

describe('consumers', () => {
  it('take turns, with a prefetch of their own, and get the rest as they acknowledge', async () => {
    const { url } = await startHost();
    const publisher = await openChannel(url);
    await publisher.assertQueue('q');
    const one = await openChannel(url);
    const two = await openChannel(url);
    await one.prefetch(2);
    await two.prefetch(1);
    const first = await collect(one, 'q', {});
    const second = await collect(two, 'q', {});
    for (let i = 0; i < 6; i += 1) publisher.sendToQueue('q', Buffer.from(String(i)));
    await eventually(() => first.length === 2 && second.length === 1);
    expect((await publisher.checkQueue('q')).messageCount).toBe(3);
    expect(bodiesOf(first)).toEqual(['0', '2']);
    one.ackAll();
    await eventually(() => first.length === 4);
    second.forEach((message) => two.nack(message, false, false));
    await eventually(() => second.length === 2);
    expect((await publisher.checkQueue('q')).messageCount).toBe(0);
  });

  it('share a prefetch over a channel when it is global', async () => {
    const { url } = await startHost();
    const channel = await openChannel(url);
    for (const name of ['a', 'b']) await channel.assertQueue(name);
    await channel.prefetch(3, true);
    const first = await collect(channel, 'a', {});
    const second = await collect(channel, 'b', {});
    for (let i = 0; i < 4; i += 1) for (const name of ['a', 'b']) channel.sendToQueue(name, Buffer.from('x'));
    await channel.checkQueue('a');
    expect(first.length + second.length).toBe(3);
    channel.ackAll();
    await eventually(() => first.length + second.length === 6);
  });

  it('leave what they have not acknowledged to others when their connection is lost, marked as redelivered', async () => {
    const { url } = await startHost();
    const publisher = await openChannel(url);
    await publisher.assertQueue('q');
    for (const body of ['a', 'b', 'c']) publisher.sendToQueue('q', Buffer.from(body));
    const client = await connect(url);
    const lost = await client.createChannel();
    await lost.prefetch(2);
    const first = await collect(lost, 'q', {});
    await eventually(() => first.length === 2);
    expect(first.every(({ fields }) => fields.redelivered)).toBe(false);
    breakOff(client);
    const second = await collect(publisher, 'q', {});
    await eventually(() => second.length === 3);
    expect(second.map(({ content, fields }) => [content.toString(), fields.redelivered])).toEqual([
      ['a', true],
      ['b', true],
      ['c', false],
    ]);
  });

  it('get what they reject again, in its place, and with recover all that is open', async () => {
    const { url } = await startHost();
    const channel = await openChannel(url);
    await channel.assertQueue('q');
    for (const body of ['a', 'b']) channel.sendToQueue('q', Buffer.from(body));
    const take = async (): Promise<GetMessage> => (await channel.get('q')) as GetMessage;
    const a = await take();
    channel.reject(a, true);
    const again = await take();
    expect([again.content.toString(), again.fields.redelivered]).toEqual(['a', true]);
    expect((await take()).content.toString()).toBe('b');
    expect(await channel.get('q')).toBe(false);
    await channel.recover();
    expect((await channel.checkQueue('q')).messageCount).toBe(2);
    expect(bodiesOf([await take(), await take()])).toEqual(['a', 'b']);
  });

  it('are told when their queue is deleted, and end with their cancel', async () => {
    const { url } = await startHost();
    const channel = await openChannel(url);
    const other = await openChannel(url);
    await channel.assertQueue('q');
    const notices: unknown[] = [];
    await channel.consume('q', (message) => notices.push(message));
    await other.deleteQueue('q');
    await eventually(() => notices.length === 1);
    expect(notices).toEqual([null]);
    await channel.assertQueue('auto', { autoDelete: true });
    const { consumerTag } = await channel.consume('auto', () => undefined);
    expect((await channel.checkQueue('auto')).consumerCount).toBe(1);
    await channel.cancel(consumerTag);
    const failed = channelError(channel);
    await channel.checkQueue('auto').catch(() => undefined);
    expect((await failed).message).toContain("NOT_FOUND - no queue 'auto' in vhost '/'");
  });
});

describe('errors of a channel', () => {
  const cases: [string, string, (channel: Awaited<ReturnType<typeof openChannel>>) => unknown][] = [
    ['404', "NOT_FOUND - no queue 'x' in vhost '/'", (channel) => channel.checkQueue('x')],
    ['404', "NOT_FOUND - no exchange 'x' in vhost '/'", (channel) => channel.checkExchange('x')],
    [
      '404',
      "NOT_FOUND - no exchange 'x' in vhost '/'",
      (channel) => channel.publish('x', '', Buffer.from('')),
    ],
    [
      '406',
      "PRECONDITION_FAILED - inequivalent arg 'durable' for queue 'there' in vhost '/': received 'false' but current is 'true'",
      (channel) => channel.assertQueue('there', { durable: false }),
    ],
    [
      '406',
      "PRECONDITION_FAILED - inequivalent arg 'type' for exchange 'amq.topic' in vhost '/': received 'direct' but current is 'topic'",
      (channel) => channel.assertExchange('amq.topic', 'direct'),
    ],
    [
      '406',
      "PRECONDITION_FAILED - queue 'there' in vhost '/' not empty",
      (channel) => channel.deleteQueue('there', { ifEmpty: true }),
    ],
    [
      '403',
      "ACCESS_REFUSED - queue name 'amq.mine' contains reserved prefix 'amq.*'",
      (channel) => channel.assertQueue('amq.mine'),
    ],
    [
      '405',
      "RESOURCE_LOCKED - cannot obtain exclusive access to locked queue 'locked' in vhost '/'",
      (channel) => channel.checkQueue('locked'),
    ],
    [
      '406',
      'PRECONDITION_FAILED - unknown delivery tag 7',
      (channel) => channel.ack({ fields: { deliveryTag: 7 } } as never),
    ],
    [
      '406',
      "PRECONDITION_FAILED - invalid expiration 'soon'",
      (channel) => channel.sendToQueue('there', Buffer.from('x'), { expiration: 'soon' }),
    ],
    [
      '406',
      'PRECONDITION_FAILED - message size 16777217 is larger than configured max size 16777216',
      (channel) => channel.sendToQueue('there', Buffer.alloc(16 * 1024 * 1024 + 1)),
    ],
  ];

  it.each(cases)('%s: %s', async (code, text, action) => {
    const { url } = await startHost({ queues: [{ name: 'there' }] });
    const owner = await openChannel(url);
    await owner.assertQueue('locked', { exclusive: true });
    owner.sendToQueue('there', Buffer.from('x'));
    await owner.checkQueue('there');
    const client = await connect(url);
    const channel = quiet(await client.createChannel());
    const other = await client.createChannel();
    const failed = channelError(channel);
    void Promise.resolve(action(channel)).catch(() => undefined);
    const error = await failed;
    expect(error.message).toContain(text);
    expect(String(error.code)).toBe(code);
    // The connection lives, and so do its other channels.
    await other.checkQueue('there');
  });
});

describe('logins', () => {
  it('pass without users, and need the right password with them', async () => {
    const { port } = await startHost();
    await connect(`amqp://anybody:anything@127.0.0.1:${port}`);
    const strict = await startHost({ users: [{ username: 'ann', password: 'secret' }] });
    await connect(`amqp://ann:secret@127.0.0.1:${strict.port}`);
    await expect(connect(`amqp://ann:wrong@127.0.0.1:${strict.port}`)).rejects.toThrow(
      /403|ACCESS_REFUSED|refused/i,
    );
  });

  it('work over TLS', async () => {
    const { port } = await startHost({ tls: {} });
    const client = await connect(`amqps://127.0.0.1:${port}`, { rejectUnauthorized: false });
    const channel = await client.createChannel();
    await channel.assertQueue('q');
    channel.sendToQueue('q', Buffer.from('x'));
    expect((await channel.checkQueue('q')).messageCount).toBe(1);
  });
});
