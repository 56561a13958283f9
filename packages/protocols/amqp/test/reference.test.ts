import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importFile, readImport, type Json } from '@backlot/core';
import { runAtOnce } from '@backlot/core/plugin';
import { afterAll, describe, expect } from '@jest/globals';
import {
  eventually,
  itWithTool,
  PYTHON,
  RABBITMQ,
  runTool,
  startRabbit,
  type RunningRabbit,
} from '@backlot/conformance';
import type { Channel, GetMessage } from 'amqplib';
import { importers } from '../src/imports/importers.js';
import {
  afterThis,
  channelError,
  collect,
  connect,
  openChannel,
  openConfirmChannel,
  quiet,
  startHost,
} from './support.js';

/** What a client of RabbitMQ sees of streams: one line for each attempt. */
const STREAMS = `
import datetime, sys, time, pika
url = sys.argv[1]
connection = None
STREAM = {'x-queue-type': 'stream'}

def attempt(label, action):
    global connection
    if connection is None or connection.is_closed:
        connection = pika.BlockingConnection(pika.URLParameters(url))
    channel = connection.channel()
    try:
        print(label, action(channel))
        channel.close()
    except (pika.exceptions.ChannelClosedByBroker, pika.exceptions.ConnectionClosedByBroker) as error:
        print(label, type(error).__name__, error.reply_code, error.reply_text)

def declare(name='log', arguments=STREAM, **more):
    return lambda channel: channel.queue_declare(name, arguments=arguments, **more).method.queue

def publish(channel):
    channel.confirm_delivery()
    for number in range(10):
        channel.basic_publish('', 'log', b'm%d' % number, pika.BasicProperties(priority=number % 3, expiration='1'))

def read(count, offset=None, prefetch=100, answer='ack', **more):
    def action(channel):
        got = []
        def on(channel, method, properties, body):
            got.append((body.decode(), properties.headers, method.redelivered))
            if answer == 'ack': channel.basic_ack(method.delivery_tag)
            elif answer == 'nack': channel.basic_nack(method.delivery_tag)
            elif answer == 'reject': channel.basic_reject(method.delivery_tag, requeue=False)
        if prefetch: channel.basic_qos(prefetch_count=prefetch)
        channel.basic_consume('log', on, arguments=None if offset is None else {'x-stream-offset': offset}, **more)
        if count == 0:
            # Nothing of what was there comes before what is published now.
            connection.channel().basic_publish('', 'log', b'new')
        while len(got) < max(count, 1): connection.process_data_events(time_limit=1)
        return got
    return action

for name, more in [('a', {}), ('b', {'durable': True, 'exclusive': True}), ('c', {'durable': True, 'auto_delete': True}), ('', {'durable': True})]:
    attempt('declare', declare(name, **more))
for argument in ['x-message-ttl', 'x-expires', 'x-max-length', 'x-overflow', 'x-single-active-consumer',
                 'x-max-priority', 'x-delivery-limit', 'x-max-in-memory-length']:
    attempt(argument, declare('d', {**STREAM, argument: 1}, durable=True))
attempt('classic', declare('e', {'x-max-age': '1h'}))
attempt('declare', declare(arguments={**STREAM, 'x-max-age': '1h', 'x-max-length-bytes': 1000000, 'x-stream-max-segment-size-bytes': 50000, 'x-own': 'b'}, name='f', durable=True))
attempt('declare', declare(durable=True))
attempt('publish', publish)
attempt('get', lambda channel: channel.basic_get('log'))
attempt('purge', lambda channel: channel.queue_purge('log'))
attempt('no prefetch', read(1, prefetch=0))
attempt('no ack', read(1, auto_ack=True))
ago = datetime.datetime.utcnow() - datetime.timedelta(hours=1)
for offset in ['first', 0, -1, ago, '1h', '1D']:
    attempt('all', read(10, offset))
attempt('last', read(1, 'last'))
attempt('7', read(3, 7))
attempt('few', read(10, 'first', prefetch=3))
attempt('unanswered', read(3, 'first', prefetch=3, answer=''))
attempt('exclusive', read(2, 8, exclusive=True))
attempt('nack', read(99, 8, answer='nack'))
attempt('reject', read(99, 8, answer='reject'))
attempt('next', read(0, 'next'))
attempt('none', read(0))
attempt('offset of a classic queue', lambda channel: (
    channel.queue_declare('g'), channel.basic_consume('g', print, arguments={'x-stream-offset': 'first'})))
attempt('delete', lambda channel: channel.queue_delete('log', if_empty=True) and 'deleted')
attempt('deleted', declare(passive=True, durable=True))
connection.is_open and connection.close()
`;

/** What clients see while publishers are blocked, in the order of what is waited for. */
async function seeBlocked(
  url: string,
  block: () => Promise<void>,
  unblock: () => Promise<void>,
): Promise<string[]> {
  const seen: string[] = [];
  const client = await connect(url);
  client.on('blocked', () => seen.push('blocked'));
  client.on('unblocked', () => seen.push('unblocked'));
  const channel = await client.createConfirmChannel();
  await channel.assertQueue('q');
  const send = (body: string): Promise<unknown> =>
    new Promise((resolve) => channel.sendToQueue('q', Buffer.from(body), {}, resolve));
  const reader = await openChannel(url);
  await send('1');
  const read = await collect(reader, 'q');
  await eventually(() => read.length === 1);
  await block();
  await reader.checkQueue('q');
  seen.push(`${read.length} read`);
  const second = send('2');
  await eventually(() => seen.includes('blocked'));
  await reader.assertQueue('other');
  seen.push(`${read.length} read`);
  await unblock();
  await second;
  await eventually(() => read.length === 2 && seen.includes('unblocked'));
  return seen;
}

/** What clients see of quorum queues with a limit of deliveries. */
async function seeDeliveryLimits(url: string): Promise<unknown[]> {
  const client = await connect(url);
  const channel = quiet(await client.createConfirmChannel());
  await channel.assertQueue('dead');
  const fill = async (limit: number): Promise<void> => {
    await channel.deleteQueue('limited');
    await channel.assertQueue('limited', {
      deadLetterExchange: '',
      deadLetterRoutingKey: 'dead',
      arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': limit },
    });
    for (const body of ['a', 'b'])
      channel.sendToQueue('limited', Buffer.from(body), { headers: { kept: 1 } });
    await channel.waitForConfirms();
  };
  const seen: unknown[] = [];
  const next = async (from: Channel = channel, queue = 'limited'): Promise<GetMessage> => {
    for (;;) {
      const message = await from.get(queue);
      if (message === false) continue;
      const { fields, properties, content } = message;
      // When it died is each server's own.
      const headers = JSON.stringify(properties.headers, (name, value: unknown) =>
        name === 'time' ? undefined : value,
      );
      seen.push([queue, content.toString(), fields.redelivered, JSON.parse(headers)]);
      return message;
    }
  };
  for (const limit of [2, 0]) {
    await fill(limit);
    for (let count = 0; count <= limit; count += 1) {
      const message = await next();
      if (count === 1) channel.reject(message);
      else channel.nack(message);
    }
    await next();
    channel.ack(await next(channel, 'dead'));
  }
  await fill(1);
  for (let count = 0; count <= 1; count += 1) {
    const other = await client.createChannel();
    await next(other);
    await other.close();
  }
  await next(channel, 'dead');
  await next();
  const refused = quiet(await client.createChannel());
  const error = channelError(refused);
  refused.assertQueue('classic', { arguments: { 'x-delivery-limit': 3 } }).catch(() => undefined);
  const { code, message } = await error;
  seen.push(code, message);
  return seen;
}

describe('beside RabbitMQ', () => {
  let rabbit: RunningRabbit | undefined;
  const reference = async (): Promise<RunningRabbit> => (rabbit ??= await startRabbit());
  afterAll(() => rabbit?.stop());

  itWithTool(
    `${RABBITMQ} python3:pika`,
    'streams are declared, read and refused alike',
    async () => {
      const { port } = await reference();
      const { url } = await startHost();
      const [theirs, ours] = await Promise.all(
        [`amqp://127.0.0.1:${port}`, url].map((each) => runTool(PYTHON, ['-c', STREAMS, each])),
      );
      expect(theirs?.err).toBe('');
      expect(ours?.out.split('\n')).toEqual(theirs?.out.split('\n'));
    },
    120_000,
  );

  itWithTool(
    RABBITMQ,
    'messages are delivered no more often than x-delivery-limit says',
    async () => {
      const { port } = await reference();
      const { url } = await startHost();
      const theirs = await seeDeliveryLimits(`amqp://127.0.0.1:${port}`);
      expect(await seeDeliveryLimits(url)).toEqual(theirs);
    },
    120_000,
  );

  itWithTool(
    RABBITMQ,
    'definitions that rabbitmqctl exports are imported, and route alike',
    async () => {
      const { port, control } = await reference();
      const theirs = `amqp://127.0.0.1:${port}`;
      const channel = await openChannel(theirs);
      await channel.assertExchange('definitions', 'topic', { durable: true });
      await channel.assertExchange('copies', 'fanout', { durable: true, autoDelete: true });
      await channel.assertExchange('marked', 'headers', { alternateExchange: 'definitions' });
      await channel.assertQueue('orders', { durable: true, arguments: { 'x-max-length': 2 } });
      await channel.assertQueue('all', { durable: true, arguments: { 'x-queue-type': 'quorum' } });
      await channel.bindQueue('orders', 'definitions', 'order.#');
      await channel.bindExchange('copies', 'definitions', '#');
      await channel.bindQueue('all', 'copies', '');
      await channel.bindQueue('orders', 'marked', '', { 'x-match': 'any', urgent: true });
      const folder = mkdtempSync(join(tmpdir(), 'definitions-'));
      afterThis(() => rmSync(folder, { recursive: true, force: true }));
      await control('export_definitions', join(folder, 'definitions.json'));
      const content = readFileSync(join(folder, 'definitions.json'), 'utf8');
      const tree = JSON.parse(content) as Json;
      const file = importFile({ name: 'definitions.json', content, tree });
      const { imported, report } = runAtOnce(readImport(file, importers, { seed: 1 }));
      expect(report).toMatchObject({ format: 'rabbitmq' });
      expect([...report.refused, ...report.approximated].map(({ message }) => message)).toEqual([
        'users are left out: their passwords are hashes',
        expect.stringContaining('a binding to an exchange, or with arguments, is taken from a configuration'),
      ]);
      const { url } = await startHost({ ...imported.protocols?.['amqp'] });
      const route = async (address: string): Promise<string[][]> => {
        const confirmed = await openConfirmChannel(address);
        for (const key of ['order.a', 'other', 'order.b', 'order.c'])
          confirmed.publish('definitions', key, Buffer.from(key));
        for (const urgent of [true, false])
          confirmed.publish('marked', 'order.d', Buffer.from(`urgent ${urgent}`), { headers: { urgent } });
        await confirmed.waitForConfirms();
        const got: string[][] = [];
        for (const queue of ['orders', 'all']) {
          const bodies: string[] = [];
          for (let message = await confirmed.get(queue); message; message = await confirmed.get(queue))
            bodies.push(String(message.content));
          got.push(bodies);
        }
        return got;
      };
      const expected = await route(theirs);
      expect(expected[0]).toEqual(['urgent true', 'urgent false']);
      expect(expected[1]).toHaveLength(5);
      expect(await route(url)).toEqual(expected);
    },
    120_000,
  );

  itWithTool(
    RABBITMQ,
    'publishers are blocked, told and released alike',
    async () => {
      const { port, control } = await reference();
      const { host, url } = await startHost();
      const theirs = await seeBlocked(
        `amqp://127.0.0.1:${port}`,
        () => control('set_vm_memory_high_watermark', '0.000001'),
        () => control('set_vm_memory_high_watermark', '0.4'),
      );
      const ours = await seeBlocked(
        url,
        async () => void host.faults.set('amqp', { blocked: 'low on memory' }),
        async () => host.faults.clear('amqp'),
      );
      expect(ours).toEqual(theirs);
    },
    120_000,
  );
});
