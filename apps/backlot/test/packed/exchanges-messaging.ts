import { connect as connectTcp } from 'node:net';
import { connect as connectNats } from '@nats-io/transport-node';
import amqp from 'amqplib';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { connectAsync } from 'mqtt';
import type { Exchange } from './exchanges.js';

/** Brokers. */
export const connectMessaging: Readonly<Record<string, Exchange>> = {
  mqtt: {
    settings: {
      mocks: [{ id: 'get', topic: 'sensors/+/get', response: { topic: 'answers', payload: '21' } }],
    },
    async run(port) {
      const client = await connectAsync(`mqtt://localhost:${port}`);
      await client.subscribeAsync('answers');
      const message = new Promise<string>((resolve) => {
        client.once('message', (_topic, payload) => resolve(payload.toString()));
      });
      await client.publishAsync('sensors/1/get', '');
      const payload = await message;
      await client.endAsync();
      return payload;
    },
    want: '21',
  },
  nats: {
    settings: {
      mocks: [{ id: 'echo', subject: 'orders.*', response: { payload: 'got {{request.raw_body}}' } }],
    },
    async run(port) {
      const client = await connectNats({ servers: `localhost:${port}` });
      const answer = await client.request('orders.new', 'tea');
      await client.close();
      return answer.string();
    },
    want: 'got tea',
  },
  amqp: {
    settings: { queues: [{ name: 'jobs' }] },
    async run(port) {
      const connection = await amqp.connect(`amqp://localhost:${port}`);
      const channel = await connection.createConfirmChannel();
      channel.sendToQueue('jobs', Buffer.from('first'));
      await channel.waitForConfirms();
      const message = await channel.get('jobs', { noAck: true });
      await connection.close();
      return message === false ? undefined : message.content.toString();
    },
    want: 'first',
  },
  kafka: {
    settings: { mocks: [{ id: 'users', topic: 'users', records: [{ key: 'u1', value: 'Ann' }] }] },
    async run(port) {
      const kafka = new Kafka({ brokers: [`localhost:${port}`], logLevel: logLevel.NOTHING });
      const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
      await producer.connect();
      const [written] = await producer.send({ topic: 'users', messages: [{ value: 'Bob' }] });
      await producer.disconnect();
      return written?.baseOffset;
    },
    // After the record of the mock.
    want: '1',
  },
  stomp: {
    settings: {
      mocks: [{ id: 'in', destination: '/queue/in', response: { destination: '/queue/out', body: 'ok' } }],
    },
    async run(port) {
      const socket = connectTcp(port, 'localhost');
      socket.write(
        'CONNECT\naccept-version:1.2\nhost:localhost\n\n\0' +
          'SUBSCRIBE\nid:0\ndestination:/queue/out\n\n\0SEND\ndestination:/queue/in\n\nhello\0' +
          'DISCONNECT\nreceipt:bye\n\n\0',
      );
      let text = '';
      for await (const chunk of socket) text += String(chunk);
      return text.split('\0').flatMap((frame) => /^\n*MESSAGE\n[^]*\n\n([^]*)$/.exec(frame)?.[1] ?? []);
    },
    want: ['ok'],
  },
};
