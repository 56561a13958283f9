import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { collectCleanups, eventually } from '@backlot/conformance';
import { createHost } from '@backlot/core';
import { amqp } from '@backlot/amqp';
import { graphql } from '@backlot/graphql';
import { grpc } from '@backlot/grpc';
import { http } from '@backlot/http';
import { kafka } from '@backlot/kafka';
import { mqtt } from '@backlot/mqtt';
import { nats } from '@backlot/nats';
import { stomp } from '@backlot/stomp';
import { websocket } from '@backlot/websocket';
import { Client as GrpcClient, Metadata, credentials } from '@grpc/grpc-js';
import { connect as connectNats, headers as natsHeaders } from '@nats-io/transport-node';
import { Client as StompClient } from '@stomp/stompjs';
import { connect as connectAmqp } from 'amqplib';
import { Kafka, logLevel } from 'kafkajs';
import { connectAsync as connectMqtt } from 'mqtt';
import { WebSocket } from 'ws';

const later = collectCleanups();

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const HEADERS = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01`, baggage: 'user=7' };

test('one trace goes through nine protocols, and on into what reactions send', async () => {
  const own = { host: '127.0.0.1', port: 0 };
  const host = await createHost({
    protocols: [http, graphql, grpc, websocket, kafka, amqp, nats, stomp, mqtt],
    settings: {
      http: own,
      graphql: own,
      grpc: { ...own, mocks: [{ method: 'test.News/Add', response: {} }] },
      websocket: { ...own, mocks: [{ path: '/feed', on_message: [{ respond: 'noted' }] }] },
      kafka: { ...own, topics: [{ name: 'orders', partitions: 1 }] },
      amqp: own,
      nats: own,
      stomp: own,
      mqtt: own,
    },
    reactions: [
      {
        id: 'order',
        on: { http: { request: { path: '/orders' } } },
        do: [
          { amqp: { exchange: 'amq.topic', routing_key: 'order', body: 'by reaction' } },
          { nats: { subject: 'order', payload: 'by reaction' } },
          { stomp: { destination: '/topic/order', body: 'by reaction' } },
          { mqtt: { topic: 'order', payload: 'by reaction', user_properties: { own: 'yes' } } },
        ],
      },
    ],
  });
  later(() => host.stop(100));
  await host.start();
  const port = (kind: string): number => host.kind(kind).address?.port ?? 0;
  const traced = (): string[] => [
    ...new Set(host.journal.list().flatMap(({ trace, protocol }) => (trace === TRACE ? [protocol] : []))),
  ];

  const { pathname } = new URL(host.kind('graphql').url ?? '');
  const query = { method: 'POST', body: '{"query": "{ a }"}' };
  const type = { 'content-type': 'application/json' };
  await fetch(`http://127.0.0.1:${port('graphql')}${pathname}`, {
    ...query,
    headers: { ...HEADERS, ...type },
  });
  const client = new GrpcClient(`127.0.0.1:${port('grpc')}`, credentials.createInsecure());
  later(() => client.close());
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(HEADERS)) metadata.set(name, value);
  await new Promise((resolve) =>
    client.makeUnaryRequest('/test.News/Add', () => Buffer.from('{}'), String, {}, metadata, resolve),
  );
  const socket = new WebSocket(`ws://127.0.0.1:${port('websocket')}/feed`, { headers: HEADERS });
  later(() => socket.terminate());
  await once(socket, 'open');
  socket.send('hello');
  await once(socket, 'message');
  const producer = new Kafka({
    brokers: [`127.0.0.1:${port('kafka')}`],
    logLevel: logLevel.NOTHING,
  }).producer();
  later(() => producer.disconnect());
  await producer.connect();
  await producer.send({ topic: 'orders', messages: [{ value: 'x', headers: HEADERS }] });
  const rabbit = await connectAmqp(`amqp://127.0.0.1:${port('amqp')}`);
  later(() => rabbit.close());
  const channel = await rabbit.createConfirmChannel();
  channel.publish('amq.topic', 'a', Buffer.from('x'), { headers: HEADERS });
  await channel.waitForConfirms();
  const connection = await connectNats({ servers: `127.0.0.1:${port('nats')}` });
  later(() => connection.close());
  const headers = natsHeaders();
  for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value);
  connection.publish('a', 'x', { headers });
  await connection.flush();
  const queue = new StompClient({
    webSocketFactory: () => new WebSocket(`ws://127.0.0.1:${port('stomp')}/`, ['v12.stomp']) as never,
    reconnectDelay: 0,
  });
  later(() => queue.deactivate());
  await new Promise<void>((resolve) => {
    queue.onConnect = () => resolve();
    queue.activate();
  });
  queue.publish({ destination: '/topic/a', body: 'x', headers: HEADERS });
  const broker = await connectMqtt(`mqtt://127.0.0.1:${port('mqtt')}`, { protocolVersion: 5 });
  later(() => broker.endAsync(true));
  await broker.publishAsync('a', 'x', { qos: 1, properties: { userProperties: HEADERS } });
  await eventually(() => traced().length === 8);
  expect(traced().sort()).toEqual(
    ['amqp', 'graphql', 'grpc', 'kafka', 'mqtt', 'nats', 'stomp', 'websocket'].sort(),
  );

  // What a reaction sends belongs to the trace of the request that has set it off.
  const got: Record<string, Record<string, unknown>> = {};
  const { queue: bound } = await channel.assertQueue('', { exclusive: true });
  await channel.bindQueue(bound, 'amq.topic', 'order');
  await channel.consume(bound, (message) => {
    got['amqp'] = message?.properties.headers ?? {};
  });
  connection.subscribe('order', {
    callback: (_problem, message) => {
      const list = message.headers?.keys() ?? [];
      got['nats'] = Object.fromEntries(list.map((name) => [name, message.headers?.get(name)]));
    },
  });
  await connection.flush();
  await new Promise<void>((resolve) => {
    queue.watchForReceipt('subscribed', () => resolve());
    const take = (message: { headers: Record<string, unknown> }): void =>
      void (got['stomp'] = message.headers);
    queue.subscribe('/topic/order', take, { receipt: 'subscribed' });
  });
  broker.on('message', (_topic, _payload, { properties }) => {
    got['mqtt'] = { ...properties?.userProperties };
  });
  await broker.subscribeAsync('order');
  await fetch(`http://127.0.0.1:${port('http')}/orders`, { headers: HEADERS });
  await eventually(() => Object.keys(got).length === 4);
  expect(got).toMatchObject({
    amqp: HEADERS,
    nats: HEADERS,
    stomp: HEADERS,
    mqtt: { ...HEADERS, own: 'yes' },
  });
  expect(host.journal.list({ protocol: 'http' })).toMatchObject([{ trace: TRACE }]);
});
