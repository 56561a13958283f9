import { createServer, type AddressInfo } from 'node:net';
import { amqp } from '@backlot/amqp';
import { itWithTool, runTool } from '@backlot/conformance';
import { createHost, type Host } from '@backlot/core';
import { http } from '@backlot/http';
import { kafka } from '@backlot/kafka';
import { mqtt } from '@backlot/mqtt';
import { nats } from '@backlot/nats';
import { afterEach, describe, expect, it } from '@jest/globals';
import { connect as connectAmqp } from 'amqplib';
import { CloudEvent, HTTP, Kafka as KafkaBinding, MQTT as MqttBinding, type CloudEventV1 } from 'cloudevents';
import { Kafka, logLevel } from 'kafkajs';
import { connectAsync } from 'mqtt';
import { convertText } from './support/convert.js';
import { packageFile } from './support/packages.js';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Serves what is made of a file, by the kinds that are named. */
async function serve(text: string, kinds: readonly string[]): Promise<Host> {
  const { imported } = convertText(text);
  const { protocols = {}, reactions = [] } = imported;
  const host = await createHost({
    protocols: [amqp, http, kafka, mqtt, nats].filter(({ kind }) => kinds.includes(kind)),
    settings: Object.fromEntries(
      kinds.map((kind) => [kind, { host: '127.0.0.1', port: 0, ...protocols[kind] }]),
    ),
    reactions: reactions.filter(({ do: actions }) =>
      actions.every((action) => Object.keys(action).every((name) => kinds.includes(name))),
    ),
    seed: 1,
  });
  closers.push(() => host.stop(0));
  await host.start();
  return host;
}

const EVENT = new CloudEvent({
  id: 'A234-1234-1234',
  source: '/shop/orders',
  type: 'com.example.order.placed',
  subject: '42',
  time: '2024-05-01T12:00:00.000Z',
  datacontenttype: 'application/json',
  partitionkey: 'customer-7',
  data: { order: 42, note: "it's {{urgent}}" },
});

/** A request as the SDK makes it, as it goes over a connection. */
function requestOf({ headers, body }: ReturnType<typeof HTTP.binary>, path = '/events'): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
  return `POST ${path} HTTP/1.1\r\nHost: shop.example.com\r\n${lines.join('\r\n')}\r\n\r\n${String(body)}`;
}

function known(event: unknown): Record<string, unknown> {
  const { id, source, type, subject, partitionkey, data } = event as CloudEventV1<unknown>;
  return { id, source, type, subject, partitionkey, data };
}

async function firstRecord(broker: string, topic: string): Promise<unknown> {
  const consumer = new Kafka({ brokers: [broker], logLevel: logLevel.NOTHING }).consumer({ groupId: 'test' });
  closers.push(() => consumer.disconnect());
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  return new Promise((resolve, reject) => {
    consumer
      .run({
        eachMessage: async ({ message }) => {
          const headers = Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]);
          resolve(
            KafkaBinding.toEvent({
              headers: Object.fromEntries(headers) as Record<string, string>,
              key: String(message.key),
              value: String(message.value),
              body: String(message.value),
              timestamp: undefined,
            } as never),
          );
        },
      })
      .catch(reject);
  });
}

/** The event that the page of a package of Knative has curl send, as words of its command. */
function publishedCommand(url: string): readonly string[] {
  const page = packageFile('faas-js-runtime/README.md');
  const [, command = ''] =
    /```console\n\$ (curl (?:(?!```)[^])*Ce-specversion(?:(?!```)[^])*)```/.exec(page) ?? [];
  const words = command.replaceAll('\\\n', ' ').match(/(?:'[^']*'|[^\s'])+/g) ?? [];
  return words.slice(1).map((word) => word.replaceAll("'", '').replace('http://localhost:8080', url));
}

/** What a client sends, as it goes over a connection. */
async function requestBytesOf(send: (url: string) => Promise<unknown>): Promise<string> {
  let text = '';
  const server = createServer((socket) => {
    socket.on('data', (data) => {
      text += String(data);
      if (text.endsWith('}')) socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n');
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  await send(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await new Promise((resolve) => void server.close(resolve));
  return text;
}

describe('CloudEvents', () => {
  itWithTool('curl', 'takes the event of a page of Knative, as curl sends it', async () => {
    const sent = await requestBytesOf((url) => runTool('curl', ['-s', ...publishedCommand(url)]));
    expect(sent).toMatch(/^Ce-type: dev\.knative\.example\r$/m);
    const host = await serve(sent, ['kafka', 'http']);
    const status = ['-s', '-o', '/dev/null', '-w', '%{http_code}'];
    const taken = await runTool('curl', [...status, ...publishedCommand(host.kind('http').url ?? '')]);
    expect(taken.out).toBe('202');
    host.state.setAll({ send: 'dev.knative.example' });
    const broker = `127.0.0.1:${host.kind('kafka').address?.port}`;
    expect(known(await firstRecord(broker, 'dev.knative.example'))).toMatchObject({
      ...{ id: '1', source: 'cloud-event-example', type: 'dev.knative.example' },
      data: { hello: 'world' },
    });
  });

  it.each([
    ['structured', String(HTTP.structured(EVENT).body)],
    ['binary', requestOf(HTTP.binary(EVENT))],
  ])('sends an event by Kafka in %s mode, which the SDK reads as the same', async (_mode, text) => {
    const host = await serve(text, ['kafka']);
    host.state.setAll({ send: EVENT.type });
    const broker = `127.0.0.1:${host.kind('kafka').address?.port}`;
    expect(known(await firstRecord(broker, EVENT.type))).toEqual(known(EVENT));
  });

  it('sends an event of a list by MQTT, which the SDK reads as the same', async () => {
    const second = EVENT.cloneWith({ id: 'second', data: 'plain', datacontenttype: 'text/plain' });
    const host = await serve(JSON.stringify([EVENT, second]), ['mqtt']);
    const client = await connectAsync(`mqtt://127.0.0.1:${host.kind('mqtt').address?.port}`, {
      protocolVersion: 5,
    });
    closers.push(() => client.endAsync());
    await client.subscribeAsync(EVENT.type);
    const arrives = new Promise((resolve) => {
      client.once('message', (...given) => void resolve(given));
    });
    host.state.setAll({ send: `${EVENT.type}-2` });
    const [topic, payload, packet] = (await arrives) as [
      string,
      Buffer,
      { properties: Record<string, unknown> },
    ];
    expect(topic).toBe(EVENT.type);
    const read = MqttBinding.toEvent({
      headers: { 'content-type': packet.properties['contentType'] },
      payload: String(payload),
      body: String(payload),
      PUBLISH: { 'Content Type': packet.properties['contentType'] },
      'User Properties': {},
    } as never);
    expect(known(read)).toEqual(known(second));
  });

  it('puts an event into a queue of AMQP, with its attributes as headers', async () => {
    const host = await serve(requestOf(HTTP.binary(EVENT)), ['amqp']);
    const connection = await connectAmqp(`amqp://127.0.0.1:${host.kind('amqp').address?.port}`);
    closers.push(() => connection.close());
    const channel = await connection.createChannel();
    const arrives = new Promise((resolve) => {
      void channel.consume(EVENT.type, (message) => {
        resolve([
          JSON.parse(String(message?.content)),
          message?.properties.contentType,
          message?.properties.headers?.['cloudEvents:id'],
        ]);
      });
    });
    host.state.setAll({ send: EVENT.type });
    expect(await arrives).toEqual([EVENT.data, 'application/json', EVENT.id]);
  });

  it.each([
    ['structured', HTTP.structured(EVENT)],
    ['binary', HTTP.binary(EVENT)],
  ])('takes requests like the one of the file, in %s mode', async (_mode, message) => {
    const host = await serve(requestOf(message), ['http']);
    const { url = '' } = host.kind('http');
    const next = EVENT.cloneWith({ id: 'next', data: { order: 43 } });
    const send = (event: CloudEvent<unknown>): Promise<Response> => {
      const { headers, body } = (_mode === 'binary' ? HTTP.binary : HTTP.structured)(event);
      return fetch(`${url}/events`, { method: 'POST', headers: headers as never, body: String(body) });
    };
    expect((await send(next)).status).toBe(202);
    expect((await send(next.cloneWith({ type: 'com.example.order.lost' }))).status).toBe(404);
  });

  it('says what it leaves out, and how events are sent', () => {
    const { imported, report } = convertText(
      JSON.stringify([
        EVENT,
        { specversion: '1.0', type: 'a b', source: '/x', id: '1', data: 1 },
        { specversion: '1.0', type: 'c', source: '/x' },
        { specversion: '2.0', type: 'd', source: '/x', id: '2' },
        5,
      ]),
    );
    expect(report.refused.map(({ place, message }) => `${place}: ${message}`)).toEqual([
      '/2: an event is left out: "id" must be a text that is not empty',
      '/3: an event is left out: the version "2.0" is not known; 1.0 is',
      '/4: an event is left out: it is no object',
      '/1: "a b" can be no address of kafka',
      '/1: "a b" can be no address of nats',
    ]);
    expect(report.taken).toEqual({ 'kafka topics': 1, 'amqp queues': 2, reactions: 6 });
    expect(imported.reactions?.[0]).toMatchObject({
      id: `${EVENT.type}-kafka`,
      on: { state: { key: 'send', value: EVENT.type } },
    });
  });
});
