import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { amqp } from '@backlot/amqp';
import { createHost, type Host, type Json } from '@backlot/core';
import type { ImportSample } from '@backlot/conformance';
import { http as httpKind } from '@backlot/http';
import { kafka } from '@backlot/kafka';
import { mqtt } from '@backlot/mqtt';
import { nats as natsKind } from '@backlot/nats';
import { redis as redisKind } from '@backlot/redis';
import { stomp as stompKind } from '@backlot/stomp';
import { websocket } from '@backlot/websocket';
import { SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import { afterEach, describe, expect, it } from '@jest/globals';
import { connect as connectAmqp } from 'amqplib';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { connectAsync } from 'mqtt';
import { WebSocket } from 'ws';
import { convert, convertText } from './support/convert.js';
import { sample } from './support/samples.js';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Serves what is made of a document. */
async function serve(given: ImportSample): Promise<Host> {
  const { imported } = convert(given);
  const { protocols = {}, reactions = [] } = imported;
  const settings = Object.entries(protocols).map(([kind, block]): [string, Json] => {
    const registry = block['schema_registry'] as Json | undefined;
    return [
      kind,
      {
        host: '127.0.0.1',
        port: 0,
        ...block,
        ...(registry === undefined ? {} : { schema_registry: { port: 0, ...registry } }),
      },
    ];
  });
  const host = await createHost({
    protocols: [amqp, httpKind, kafka, mqtt, natsKind, redisKind, stompKind, websocket].filter(({ kind }) =>
      Object.hasOwn(protocols, kind),
    ),
    settings: Object.fromEntries(settings),
    reactions,
    seed: 1,
  });
  closers.push(() => host.stop(0));
  await host.start();
  return host;
}

/** The messages of a topic from its beginning, as many as are wanted. */
async function readTopic(broker: string, topic: string, count: number): Promise<Buffer[]> {
  const consumer = connectKafka(broker).consumer({ groupId: 'test' });
  closers.push(() => consumer.disconnect());
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  return new Promise((resolve, reject) => {
    const values: Buffer[] = [];
    consumer
      .run({
        eachMessage: async ({ message }) => {
          values.push(message.value ?? Buffer.alloc(0));
          if (values.length === count) resolve(values);
        },
      })
      .catch(reject);
  });
}

function connectKafka(broker: string): Kafka {
  return new Kafka({ brokers: [broker], clientId: 'test', logLevel: logLevel.NOTHING });
}

describe('AsyncAPI', () => {
  it('answers requests over WebSocket by what tells them apart, with their correlation id', async () => {
    const host = await serve(sample('asyncapi', 'asyncapi/kraken-websocket.yaml'));
    const client = new WebSocket(host.kind('websocket').url ?? '');
    closers.push(() => client.terminate());
    await once(client, 'open');
    const next = async (): Promise<unknown> => JSON.parse(String((await once(client, 'message'))[0]));
    client.send('{"event":"ping","reqid":42}');
    expect(await next()).toEqual({ event: 'pong', reqid: 42 });
    client.send('{"event":"subscribe","reqid":7}');
    expect(await next()).toMatchObject({ event: 'subscriptionStatus', reqid: 7 });
    host.state.setAll({ send: 'heartbeat' });
    expect(await next()).toEqual({ event: 'heartbeat' });
    // The same again: what is set anew is sent anew.
    host.state.setAll({ send: 'heartbeat' });
    expect(await next()).toEqual({ event: 'heartbeat' });
  });

  it.each(['asyncapi/streetlights-kafka.yaml', 'asyncapi/v2/streetlights-kafka.yaml'])(
    'sends what the application sends to topics of %s when the state says so',
    async (name) => {
      const host = await serve(sample('asyncapi', name));
      const broker = `127.0.0.1:${host.kind('kafka').address?.port}`;
      const admin = connectKafka(broker).admin();
      await admin.connect();
      closers.push(() => admin.disconnect());
      const dim = 'smartylighting.streetlights.1.0.action.streetlightId.dim';
      expect(await admin.listTopics()).toContain(dim);
      host.state.setAll({ send: 'dimLight' });
      const [value] = await readTopic(broker, dim, 1);
      const { percentage, sentAt } = JSON.parse(String(value)) as { percentage: number; sentAt: string };
      expect(percentage).toBeLessThanOrEqual(100);
      expect(new Date(sentAt).getFullYear()).toBe(2024);
      // What it receives is taken by a mock of all topics that the address stands for.
      const producer = connectKafka(broker).producer({ createPartitioner: Partitioners.DefaultPartitioner });
      await producer.connect();
      closers.push(() => producer.disconnect());
      await producer.send({
        topic: 'smartylighting.streetlights.1.0.event.7.lighting.measured',
        messages: [{ value: '{"lumens":3}' }],
      });
      expect(host.journal.list({ protocol: 'kafka' })[0]).toMatchObject({
        matched_id: 'receiveLightMeasurement',
      });
    },
  );

  it('encodes values of Avro by a registry that serializers of Confluent read', async () => {
    const avro = {
      type: 'record',
      name: 'UserSignedUp',
      namespace: 'com.example',
      fields: [
        { name: 'id', type: { type: 'string', logicalType: 'uuid' } },
        { name: 'plan', type: { type: 'enum', name: 'Plan', symbols: ['free', 'paid'] } },
        { name: 'invited', type: ['null', 'UserSignedUp'], default: null },
        { name: 'tags', type: { type: 'array', items: 'string' } },
      ],
    };
    const content = JSON.stringify({
      asyncapi: '2.6.0',
      info: { title: 'Users', version: '1' },
      servers: { main: { url: 'broker:9092', protocol: 'kafka' } },
      channels: {
        'users.signed-up': {
          subscribe: {
            operationId: 'signedUp',
            message: { schemaFormat: 'application/vnd.apache.avro;version=1.9.0', payload: avro },
          },
        },
      },
    });
    const host = await serve({ format: 'asyncapi', name: '', content });
    host.state.setAll({ send: 'signedUp' });
    const [value = Buffer.alloc(0)] = await readTopic(
      `127.0.0.1:${host.kind('kafka').address?.port}`,
      'users.signed-up',
      1,
    );
    const { schema_registry: url } = host.kind('kafka').status() as { schema_registry: string };
    const registry = new SchemaRegistry({ host: url });
    expect(await registry.decode(value)).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      plan: 'free',
      invited: null,
      tags: ['tags'],
    });
    expect(await registry.getLatestSchemaId('users.signed-up-value')).toBe(1);
  });

  it('makes queues of AMQP, and answers where a reply is described', async () => {
    const host = await serve(sample('asyncapi', 'asyncapi/rpc-server.yaml'));
    const client = await connectAmqp(`amqp://127.0.0.1:${host.kind('amqp').address?.port}`);
    closers.push(() => client.close());
    const channel = await client.createChannel();
    await channel.checkQueue('rpc_queue');
    const { queue } = await channel.assertQueue('queue', { exclusive: true });
    const received = new Promise<string>((resolve, reject) => {
      channel.consume(queue, (message) => resolve(String(message?.content)), { noAck: true }).catch(reject);
    });
    host.state.setAll({ send: 'sendSumResult' });
    expect(JSON.parse(await received)).toEqual({ result: 7 });
  });

  it('answers a request of MQTT in the channel of the reply, with parameters of its own', async () => {
    const content = JSON.stringify({
      asyncapi: '3.0.0',
      servers: { main: { host: 'broker', protocol: 'mqtt' } },
      channels: {
        ask: { address: 'lamps/{lamp}/ask', parameters: { lamp: {} }, messages: { ask: { payload: {} } } },
        told: {
          address: 'lamps/{lamp}/told',
          parameters: { lamp: {} },
          messages: { told: { payload: { type: 'object', properties: { on: { const: true } } } } },
        },
      },
      operations: {
        ask: {
          action: 'receive',
          channel: { $ref: '#/channels/ask' },
          reply: { channel: { $ref: '#/channels/told' } },
          bindings: { mqtt: { qos: 1 } },
        },
      },
    });
    const host = await serve({ format: 'asyncapi', name: '', content });
    const client = await connectAsync(`mqtt://127.0.0.1:${host.kind('mqtt').address?.port}`);
    closers.push(() => client.endAsync());
    await client.subscribeAsync('lamps/+/told');
    const received = new Promise<[string, Buffer]>((resolve) => {
      client.once('message', (...message) => resolve([message[0], message[1]]));
    });
    await client.publishAsync('lamps/7/ask', '{}');
    const [topic, payload] = await received;
    expect([topic, String(payload)]).toEqual(['lamps/7/told', '{"on":true}']);
  });

  it('goes by all protocols that the servers of a document speak', async () => {
    const message = (name: string): object => ({
      name,
      payload: { type: 'object', properties: { name: { const: name } }, required: ['name'] },
    });
    const content = JSON.stringify({
      asyncapi: '3.0.0',
      servers: Object.fromEntries(
        ['nats', 'stomp', 'redis', 'https', 'jms'].map((protocol) => [protocol, { host: 'x', protocol }]),
      ),
      channels: {
        ask: {
          address: '/orders/{id}',
          parameters: { id: { default: '7' } },
          messages: { ask: message('ask') },
        },
        price: {
          address: 'price.{id}',
          parameters: { id: {} },
          servers: [{ $ref: '#/servers/nats' }],
          messages: { ask: message('ask') },
        },
        told: { address: 'told', messages: { told: message('told') } },
      },
      operations: {
        ask: {
          action: 'receive',
          channel: { $ref: '#/channels/ask' },
          reply: { channel: { $ref: '#/channels/told' } },
        },
        price: {
          action: 'receive',
          channel: { $ref: '#/channels/price' },
          reply: { channel: { $ref: '#/channels/told' } },
        },
        tell: { action: 'send', channel: { $ref: '#/channels/told' } },
      },
    });
    const { report } = convertText(content);
    expect(report.taken).toEqual({ 'nats mocks': 1, 'stomp mocks': 1, 'http mocks': 2, reactions: 3 });
    expect(report.refused.map(({ message: text }) => text)).toEqual([
      'there is no counterpart of the protocol "jms"',
      '"/orders/{id}" is no subject in which parameters are words',
      'a message of Redis is not answered',
    ]);
    const host = await serve({ format: 'asyncapi', name: '', content });
    const open = async (
      kind: string,
      greeting: string,
    ): Promise<{ read(until: string): Promise<string> }> => {
      const socket = connectTcp(host.kind(kind).address?.port ?? 0, '127.0.0.1');
      closers.push(() => socket.destroy());
      let text = '';
      socket.on('data', (data) => (text += String(data)));
      socket.write(greeting);
      return {
        async read(until) {
          while (!text.includes(until)) await once(socket, 'data');
          return text;
        },
      };
    };
    const nats = await open(
      'nats',
      'CONNECT {"verbose":false}\r\nSUB inbox 1\r\nSUB told 2\r\nPUB price.7 inbox 14\r\n{"name":"ask"}\r\nPING\r\n',
    );
    await nats.read('PONG');
    expect(await nats.read('told"}')).toMatch(/MSG inbox 1 15\r\n\{"name":"told"\}/);
    const redis = await open('redis', 'SUBSCRIBE told\r\n');
    await redis.read('subscribe');
    const stomp = await open(
      'stomp',
      'CONNECT\naccept-version:1.2\n\n\0SUBSCRIBE\nid:1\ndestination:told\nreceipt:r\n\n\0',
    );
    await stomp.read('RECEIPT');
    for (const reaction of host.reactions.list()) host.state.setAll({ send: reaction.id });
    for (const client of [nats, redis, stomp])
      expect(await client.read('told"}')).toContain('{"name":"told"}');
    const http = await fetch(`${host.kind('http').url}/orders/8`, { method: 'POST', body: '{"name":"ask"}' });
    expect(await http.json()).toEqual({ name: 'told' });
    expect(await (await fetch(`${host.kind('http').url}/told`)).json()).toEqual({ name: 'told' });
  });

  it('says what it cannot take', () => {
    const server = (protocol: string): string =>
      JSON.stringify({
        asyncapi: '2.6.0',
        servers: { main: { url: 'x', protocol } },
        channels: { a: { publish: { message: { payload: { type: 'string' } } } } },
      });
    expect(() => convertText(server('jms'))).toThrow('there is no counterpart of the protocol "jms"');
    expect(() => convertText('{"asyncapi":"1.2.0"}')).toThrow('AsyncAPI 1.2.0 is not known; 2 and 3 are');
    const { report } = convert(sample('asyncapi', 'asyncapi/adeo-kafka-request-reply.yaml'));
    expect(report.refused.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('is not read, since it is no file beside this one'),
    );
    expect(report.approximated.map(({ message }) => message)).toContain(
      'the binding "replicas" of kafka is not used',
    );
  });
});
