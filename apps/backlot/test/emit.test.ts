import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { collectCleanups, eventually } from '@backlot/conformance';
import { createHost, type Host } from '@backlot/core';
import { graphql } from '@backlot/graphql';
import { grpc } from '@backlot/grpc';
import { http } from '@backlot/http';
import { nats } from '@backlot/nats';
import { redis } from '@backlot/redis';
import { websocket } from '@backlot/websocket';
import { dns } from '@backlot/dns';
import { ftp } from '@backlot/ftp';
import { ldap } from '@backlot/ldap';
import { memcached } from '@backlot/memcached';
import { sip } from '@backlot/sip';
import { Client, credentials } from '@grpc/grpc-js';
import { connect } from '@nats-io/transport-node';
import { Redis } from 'ioredis';
import { WebSocket } from 'ws';

// Mocks of several kinds push into open streams of several kinds, each with a client of its own.

const later = collectCleanups();

const EMIT = [
  { to: 'http/feed', data: { event: 'news', data: { by: '{{request.raw_body}}' } } },
  { to: 'websocket/feed', data: { json: { by: '{{request.raw_body}}' } } },
  { to: 'grpc/feed', data: { by: '{{request.raw_body}}' } },
  { to: 'graphql/feed', data: { data: { by: '{{request.raw_body}}' } } },
  { to: 'websocket/feed', data: 'later', delay: '1h' },
];

const SETTINGS = {
  http: {
    mocks: [
      {
        id: 'feed',
        request: { path: '/feed' },
        response: { headers: { 'Content-Type': 'text/event-stream' } },
        stream: { keep_open: true },
      },
      { request: { method: 'POST', path: '/news' }, response: { body: 'noted' }, emit: EMIT },
    ],
  },
  websocket: {
    mocks: [{ id: 'feed', path: '/feed', on_message: [{ respond: 'noted' }], emit: EMIT }],
  },
  grpc: {
    mocks: [
      { id: 'feed', method: 'test.News/Feed', keep_open: true },
      { method: 'test.News/Add', response: {}, emit: EMIT },
    ],
  },
  graphql: {
    mocks: [{ id: 'feed', operation_type: 'subscription', operation_name: 'Feed', stream: [] }],
  },
  redis: { mocks: [{ command: 'SET', response: { type: 'string', value: 'OK' }, emit: EMIT }] },
  nats: { mocks: [{ subject: 'news', response: { payload: 'noted' }, emit: EMIT }] },
};

async function start(): Promise<Host> {
  const host = await createHost({
    protocols: [http, websocket, grpc, graphql, redis, nats],
    settings: Object.fromEntries(
      Object.entries(SETTINGS).map(([kind, settings]) => [kind, { host: '127.0.0.1', port: 0, ...settings }]),
    ),
  });
  later(() => host.stop(100));
  await host.start();
  return host;
}

const textOf = (value: object): Buffer => Buffer.from(JSON.stringify(value));
const valueOf = (bytes: Buffer): Record<string, unknown> =>
  JSON.parse(bytes.toString()) as Record<string, unknown>;

test('mocks of five kinds push into streams of four', async () => {
  const host = await start();
  const port = (kind: string): number => host.kind(kind).address?.port ?? 0;
  const got: Record<string, string[]> = { http: [], websocket: [], grpc: [], graphql: [] };

  const abort = new AbortController();
  const response = await fetch(`http://127.0.0.1:${port('http')}/feed`, { signal: abort.signal });
  const reading = (async () => {
    for await (const chunk of response.body ?? []) got['http']?.push(Buffer.from(chunk).toString());
  })().catch(() => undefined);
  later(() => {
    abort.abort();
    return reading;
  });

  const socket = new WebSocket(`ws://127.0.0.1:${port('websocket')}/feed`);
  later(() => socket.terminate());
  socket.on('message', (data: Buffer) => void got['websocket']?.push(data.toString()));
  await once(socket, 'open');

  const client = new Client(`127.0.0.1:${port('grpc')}`, credentials.createInsecure());
  later(() => client.close());
  const call = client.makeServerStreamRequest('/test.News/Feed', textOf, valueOf, {});
  call.on('data', (value: object) => void got['grpc']?.push(JSON.stringify(value)));
  call.on('error', () => undefined);

  const subscriber = new WebSocket(
    `ws://127.0.0.1:${port('graphql')}${new URL(host.kind('graphql').url ?? '').pathname}`,
    'graphql-transport-ws',
  );
  later(() => subscriber.terminate());
  subscriber.on('message', (data: Buffer) => {
    const { type, payload } = valueOf(data);
    if (type === 'next') got['graphql']?.push(JSON.stringify(payload));
    if (type === 'connection_ack') {
      const query = 'subscription Feed { by }';
      subscriber.send(textOf({ id: '1', type: 'subscribe', payload: { query, operationName: 'Feed' } }));
    }
  });
  await once(subscriber, 'open');
  subscriber.send(textOf({ type: 'connection_init' }));
  await eventually(() => host.streams.list().length === 4);
  expect(
    host.streams
      .list()
      .map(({ protocol }) => protocol)
      .sort(),
  ).toEqual(['graphql', 'grpc', 'http', 'websocket']);

  const expected: string[] = [];
  const seen = async (by: string): Promise<void> => {
    expected.push(by);
    const { length } = expected;
    await eventually(() => Object.values(got).every((list) => list.join('').split('"by"').length > length));
  };
  const noted = await fetch(`http://127.0.0.1:${port('http')}/news`, { method: 'POST', body: 'http' });
  expect(await noted.text()).toBe('noted');
  await seen('http');
  socket.send('websocket');
  await seen('websocket');
  await new Promise((resolve) =>
    client.makeUnaryRequest('/test.News/Add', () => Buffer.from('grpc'), valueOf, {}, resolve),
  );
  await seen('grpc');
  const store = new Redis({ port: port('redis'), host: '127.0.0.1', lazyConnect: true });
  later(() => store.disconnect());
  await store.set('a', 'b');
  await seen(String(host.journal.list().findLast((entry) => entry['protocol'] === 'redis')?.['body'] ?? ''));
  const messages = await connect({ servers: `127.0.0.1:${port('nats')}` });
  later(() => messages.close());
  expect((await messages.request('news', 'nats')).string()).toBe('noted');
  await seen('nats');

  const by = expected.map((name) => JSON.stringify({ by: name }));
  expect(got['http']?.join('')).toBe(by.map((data) => `event: news\ndata: ${data}\n\n`).join(''));
  expect(got['websocket']?.filter((text) => text !== 'noted')).toEqual(by);
  expect(got['grpc']).toEqual(by);
  expect(got['graphql']).toEqual(by.map((data) => `{"data":${data}}`));

  await host.clock.advance(3_600_000);
  await eventually(() => got['websocket']?.filter((text) => text === 'later').length === 5);
});

test('kinds that send nothing by themselves say so, by hand and in reactions', async () => {
  const protocols = [dns, ftp, ldap, memcached, sip];
  const host = await createHost({ protocols, host: '127.0.0.1' });
  later(() => host.stop(0));
  await host.start();
  for (const { kind } of protocols) {
    await expect(host.emit(kind, { to: 'x' })).rejects.toMatchObject({
      code: 'not_found',
      message: `${kind} sends nothing by itself`,
    });
    await expect(
      host.reactions.create({ on: { every: '1s' }, do: [{ [kind]: { to: 'x' } }] }),
    ).rejects.toMatchObject({
      details: [{ path: `/do/0/${kind}`, message: expect.stringContaining('it can only send a webhook') }],
    });
  }
});
