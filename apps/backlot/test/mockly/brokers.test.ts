import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { Client as StompClient, type IMessage } from '@stomp/stompjs';
import { connect as connectAmqp } from 'amqplib';
import { Kafka, logLevel } from 'kafkajs';
import { connectAsync } from 'mqtt';
import { connect as connectNats, StringCodec } from 'nats';
import { WebSocket } from 'ws';
import { serveMockly } from './serve.js';

describe('mqtt', () => {
  it('answers mqtt.js as its file says', async () => {
    await serveMockly(
      'mqtt',
      async ({ port }) => {
        const client = await connectAsync(`mqtt://127.0.0.1:${port}`);
        const got = new Map<string, string>();
        client.on('message', (topic, payload) => got.set(topic, payload.toString()));
        await client.subscribeAsync(['sensors/seen', 'devices/+/ack', 'jobs/+/response'], { qos: 1 });
        await client.publishAsync('sensors/door', 'open');
        await client.publishAsync('devices/d1/command', 'on');
        await client.publishAsync('jobs/7', 'go');
        await eventually(() => got.size === 3);
        expect(Object.fromEntries(got)).toEqual({
          'sensors/seen': '{"ok":true}',
          'devices/d1/ack': '{"device":"d1"}',
          'jobs/7/response': 'accepted',
        });
        await client.endAsync();
      },
      {},
    );
  });
});

describe('nats', () => {
  it('answers nats.js as its file says', async () => {
    await serveMockly(
      'nats',
      async ({ port }) => {
        const client = await connectNats({ servers: `127.0.0.1:${port}` });
        const text = StringCodec();
        expect(text.decode((await client.request('svc.ping', undefined, { timeout: 60_000 })).data)).toBe(
          'pong',
        );
        const seen = client.subscribe('orders.seen', { max: 1 });
        client.publish('orders.o7.created', text.encode('{}'));
        for await (const { data } of seen) expect(text.decode(data)).toBe('{"order":"o7"}');
        await client.close();
      },
      {},
    );
  });
});

describe('amqp', () => {
  it('answers amqplib as its file says', async () => {
    await serveMockly(
      'amqp',
      async ({ port, call }) => {
        const client = await connectAmqp(`amqp://127.0.0.1:${port}`);
        const channel = await client.createChannel();
        const received: string[] = [];
        await channel.assertQueue('confirmations');
        await channel.checkQueue('all-orders');
        for (const queue of ['confirmations', 'all-orders', 'amq.rabbitmq.reply-to']) {
          const note = (content: Buffer | undefined): unknown =>
            received.push(`${queue}: ${String(content)}`);
          await channel.consume(queue, (message) => note(message?.content), { noAck: true });
        }
        channel.publish('orders', 'order.created', Buffer.from('{"id":1}'));
        channel.publish('', 'rpc.price', Buffer.from('7'), { replyTo: 'amq.rabbitmq.reply-to' });
        await eventually(() => received.length === 3);
        expect(received.sort()).toEqual([
          'all-orders: {"id":1}',
          'amq.rabbitmq.reply-to: answer to 7',
          'confirmations: {"status":"accepted"}',
        ]);
        expect(await call('GET', 'amqp/messages')).toMatchObject([
          { exchange: 'orders', routing_key: 'order.created', body: '{"id":1}' },
          { exchange: '', routing_key: 'rpc.price' },
        ]);
        await client.close();
      },
      {},
    );
  });
});

describe('kafka', () => {
  it('gives kafkajs the records of its file', async () => {
    await serveMockly(
      'kafka',
      async ({ port, call }) => {
        const client = new Kafka({ brokers: [`127.0.0.1:${port}`], logLevel: logLevel.NOTHING });
        const consumer = client.consumer({ groupId: 'readers' });
        await consumer.connect();
        await consumer.subscribe({ topics: ['orders'], fromBeginning: true });
        const read: unknown[] = [];
        await consumer.run({
          async eachMessage({ message: { key, value, headers } }) {
            await Promise.resolve(read.push([String(key), String(value), String(headers?.['source'])]));
          },
        });
        await eventually(() => read.length === 2);
        expect(read).toEqual([
          ['order-1', '{"id":1,"status":"pending"}', 'shop'],
          ['null', '{"id":2}', 'undefined'],
        ]);
        await consumer.disconnect();
        const producer = client.producer();
        await producer.connect();
        await producer.send({ topic: 'orders', messages: [{ key: 'order-3', value: '{"id":3}' }] });
        await producer.disconnect();
        expect(await call('GET', 'kafka/messages')).toMatchObject([{ topic: 'orders', key: 'order-3' }]);
      },
      { error_code: 7 },
    );
  }, 20_000);
});

describe('stomp', () => {
  it('answers stompjs as its file says', async () => {
    await serveMockly(
      'stomp',
      async ({ port }) => {
        const client = new StompClient({
          webSocketFactory: () => new WebSocket(`ws://127.0.0.1:${port}/`, ['v12.stomp']),
          reconnectDelay: 0,
        });
        await new Promise<void>((resolve) => {
          client.onConnect = () => resolve();
          client.activate();
        });
        const received: string[] = [];
        const note = ({ body, headers }: IMessage): unknown =>
          received.push(`${headers['content-type']} ${headers['priority']} ${body}`);
        client.subscribe('/topic/confirmations', note);
        client.subscribe('/topic/echo', note);
        client.publish({ destination: '/queue/orders', body: '{}' });
        client.publish({ destination: '/topic/echo', body: 'hi' });
        await eventually(() => received.length === 3);
        expect(received).toEqual(
          expect.arrayContaining([
            'application/json 9 {"status":"queued"}',
            'undefined undefined hi',
            'text/plain undefined heard hi',
          ]),
        );
        await client.deactivate();
      },
      { message: 'out of order' },
    );
  });
});
