import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import net from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { addSpaces, eventually, itWithTool, runTool } from '@backlot/conformance';
import { checkSettings, createHost, type Host } from '@backlot/core';
import { graphql } from '@backlot/graphql';
import { grpc } from '@backlot/grpc';
import { http as httpKind } from '@backlot/http';
import { websocket } from '@backlot/websocket';
import {
  credentials,
  loadPackageDefinition,
  Metadata,
  type Client,
  type ClientDuplexStream,
} from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import { HubConnectionBuilder, LogLevel } from '@microsoft/signalr';
import { createClient } from 'graphql-ws';
import { io } from 'socket.io-client';
import { WebSocket, type ClientOptions } from 'ws';

const hosts: Host[] = [];
const sockets: WebSocket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await Promise.all(hosts.splice(0).map((host) => host.stop(200)));
});

interface Shared {
  readonly host: Host;
  readonly port: number;
  readonly url: string;
}

const MOCKS = {
  http: [
    { id: 'hello', request: { path: '/hello' }, response: { body: 'hello {{request.raw_body}}' } },
    { id: 'taken', request: { path: '/taken' }, response: { body: 'taken by http' } },
    { id: 'late', request: { path: '/late' }, response: { body: 'late', delay: '1h' } },
  ],
  websocket: [
    {
      id: 'chat',
      path: '/chat/{room}',
      on_connect: { send: 'welcome to {{request.params.room}}' },
      on_message: [{ respond: 'you said {{request.body}}' }],
    },
    { id: 'shadowed', path: '/taken', on_connect: { send: 'never' } },
    { id: 'slow', path: '/slow', on_message: [{ respond: 'done', delay: '1h' }] },
  ],
};

/** A host whose WebSocket shares the port of HTTP; the order of the protocols does not matter. */
async function start(settings: Readonly<Record<string, object>> = {}, reverse = false): Promise<Shared> {
  const protocols = [httpKind, websocket];
  const host = await createHost({
    protocols: reverse ? protocols.reverse() : protocols,
    settings: {
      http: { host: '127.0.0.1', mocks: MOCKS.http, ...settings['http'] },
      websocket: { share: 'http', mocks: MOCKS.websocket, ...settings['websocket'] },
    },
    seed: 1,
  });
  hosts.push(host);
  await host.start();
  const port = host.kind('http').address?.port ?? 0;
  return { host, port, url: `ws://127.0.0.1:${port}` };
}

async function connect(
  url: string,
  subprotocols: string[] = [],
  options: ClientOptions = {},
): Promise<WebSocket> {
  const socket = new WebSocket(url, subprotocols, options);
  sockets.push(socket);
  socket.on('error', () => undefined);
  await Promise.race([
    once(socket, 'open'),
    once(socket, 'error').then(([error]) => Promise.reject(error as Error)),
  ]);
  return socket;
}

const next = async (socket: WebSocket): Promise<string> => {
  const [data] = (await once(socket, 'message')) as [Buffer];
  return data.toString();
};

/** Sends bytes on a connection of its own, and gives what comes until it closes or the condition holds. */
function exchange(port: number, text: string, isEnough: (received: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = net.connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString();
      if (isEnough(received)) socket.destroy();
    });
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });
}

describe.each([[false], [true]])('WebSocket on the port of HTTP (the other order: %s)', (reverse) => {
  it('takes upgrades that no HTTP mock takes, and leaves requests alone', async () => {
    const { host, port, url } = await start({}, reverse);
    const socket = new WebSocket(`${url}/chat/tea`);
    sockets.push(socket);
    expect(await next(socket)).toBe('welcome to tea');
    socket.send('hi');
    expect(await next(socket)).toBe('you said hi');
    expect(await (await fetch(`http://127.0.0.1:${port}/hello`)).text()).toBe('hello ');
    expect((await fetch(`http://127.0.0.1:${port}/chat/tea`)).status).toBe(404);
    await expect(connect(`${url}/taken`)).rejects.toThrow('Unexpected server response: 200');
    await expect(connect(`${url}/nothing`)).rejects.toThrow('Unexpected server response: 404');
    expect(
      host.journal
        .list()
        .map(({ protocol, method, path }) => `${String(protocol)} ${String(method)} ${String(path)}`),
    ).toEqual([
      'websocket CONNECT /chat/tea',
      'websocket MESSAGE /chat/tea',
      'http GET /hello',
      'http GET /chat/tea',
      'http GET /taken',
      'websocket CONNECT /nothing',
    ]);
    const { address, url: shown, variables } = host.kind('websocket');
    expect([address?.port, shown, variables['WEBSOCKET_PORT']]).toEqual([port, url, String(port)]);
    await eventually(() => host.kind('websocket').status()['connections'] === 1);
    expect(host.kind('websocket').status()).toMatchObject({
      ...{ state: 'running', port, shares: 'http', connections: 1, tls: false },
    });
    expect(host.kind('http').status()).not.toHaveProperty('shares');
  });
});

describe('a shared port', () => {
  it('has the TLS of HTTP', async () => {
    const { host, port } = await start({ http: { tls: { self_signed: true } } });
    expect(host.kind('websocket').url).toBe(`wss://127.0.0.1:${port}`);
    const socket = new WebSocket(`wss://127.0.0.1:${port}/chat/tea`, { rejectUnauthorized: false });
    sockets.push(socket);
    expect(await next(socket)).toBe('welcome to tea');
  });

  it('serves other upgrades as requests, with their bodies, and the connection goes on', async () => {
    const { port } = await start();
    const upgrade =
      'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
    const request = `POST /hello HTTP/1.1\r\nHost: a\r\n${upgrade}Content-Length: 5\r\n\r\nworld`;
    const answers = (text: string): number => text.split('HTTP/1.1 200').length - 1;
    const text = await exchange(
      port,
      request + request + request,
      (received) => answers(received) === 3 && received.endsWith('world'),
    );
    expect(answers(text)).toBe(3);
    expect(text.split('hello world').length - 1).toBe(3);
    const chunked = `POST /hello HTTP/1.1\r\nHost: a\r\n${upgrade}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`;
    expect(await exchange(port, chunked, (received) => received.endsWith('abc'))).toMatch(/hello abc$/);
  });

  it('upgrades behind a request only once that is answered', async () => {
    const { host, port } = await start();
    host.clock.freeze(true);
    const upgrade =
      'GET /chat/tea HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';
    const answer = exchange(port, `GET /late HTTP/1.1\r\nHost: a\r\n\r\n${upgrade}`, (text) =>
      text.includes('welcome to tea'),
    );
    await host.kind('http').calls.wait('late', 1, 60_000);
    expect(host.kind('websocket').status()).toMatchObject({ connections: 0 });
    await host.clock.advance(3_600_000);
    expect(await answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*lateHTTP\/1\.1 101 [\s\S]*welcome to tea$/);
  });

  it('keeps the faults of each kind its own', async () => {
    const { host, port, url } = await start();
    host.faults.set('http', { status: 500 });
    expect((await fetch(`http://127.0.0.1:${port}/hello`)).status).toBe(500);
    const socket = await connect(`${url}/slow`);
    host.faults.clear('http');
    host.faults.set('websocket', { status: 429 });
    await expect(connect(`${url}/slow`)).rejects.toThrow('Unexpected server response: 429');
    expect((await fetch(`http://127.0.0.1:${port}/hello`)).status).toBe(200);
    host.faults.set('websocket', { phase: 'connect' });
    await expect(connect(`${url}/slow`)).rejects.toThrow(/ECONNRESET|socket hang up/);
    expect((await fetch(`http://127.0.0.1:${port}/hello`)).status).toBe(200);
    expect(socket.readyState).toBe(WebSocket.OPEN);
  });

  it('is left with a goodbye when the host stops', async () => {
    const { host, url } = await start();
    const socket = await connect(`${url}/slow`);
    const closed = once(socket, 'close');
    await host.stop(2000);
    expect((await closed)[0]).toBe(1001);
    expect(host.kind('websocket').address).toBeUndefined();
  });

  it('lets a client go, and counts it no more', async () => {
    const { host, url } = await start();
    const socket = await connect(`${url}/slow`);
    socket.close();
    await eventually(() => host.kind('websocket').status()['connections'] === 0);
  });

  it('answers clients of node:http that are refused an upgrade', async () => {
    const { port } = await start();
    const request = http.get({
      port,
      host: '127.0.0.1',
      path: '/hello',
      headers: { Connection: 'Upgrade', Upgrade: 'foo' },
    });
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    expect(response.statusCode).toBe(200);
    response.resume();
    await once(response, 'end');
    request.destroy();
  });

  itWithTool('curl', 'is what curl --http2 asks in the clear', async () => {
    const { port } = await start();
    const { out } = await runTool('curl', ['-sS', '--http2', '-d', 'curl', `http://127.0.0.1:${port}/hello`]);
    expect(out).toBe('hello curl');
  });

  it.each<[object, object, string]>([
    [{}, { share: 'smtp' }, '/settings/websocket/share must be "http", got "smtp"'],
    [{}, { share: 'websocket' }, '/settings/websocket/share must be "http", got "websocket"'],
    [
      { enabled: false },
      { share: 'http' },
      '/settings/websocket/share http is not enabled; enable it, or leave share out',
    ],
    [
      {},
      { share: 'http', port: 1 },
      '/settings/websocket/port cannot stand beside share: it is that of http',
    ],
    [{}, { share: 'http', tls: {} }, '/settings/websocket/tls cannot stand beside share: it is that of http'],
  ])('is checked: %j, %j', (httpSettings, settings, problem) => {
    const options = {
      protocols: [httpKind, websocket, graphql],
      settings: { http: httpSettings, websocket: settings },
    };
    expect(checkSettings(options as never).map(({ path, message }) => `${path} ${message}`)).toEqual([
      problem,
    ]);
  });
});

describe('GraphQL on the port of HTTP', () => {
  const GRAPHQL = [
    { id: 'user', operation_name: 'User', response: { user: { name: '{{request.variables.name}}' } } },
    { id: 'late', operation_name: 'Late', response: { late: true }, delay: '1h' },
    {
      id: 'ticks',
      operation_type: 'subscription',
      stream: [{ data: '{"data":{"tick":1}}' }, { data: '{"data":{"tick":2}}' }],
    },
  ];
  const query = JSON.stringify({ query: 'query User { user { name } }', variables: { name: 'Ann' } });
  const ANSWER = '{"data":{"user":{"name":"Ann"}}}';

  async function startAll(
    order: readonly number[] = [0, 1, 2],
    settings: Readonly<Record<string, object>> = {},
  ): Promise<Shared> {
    const all = [httpKind, websocket, graphql];
    const host = await createHost({
      protocols: order.map((index) => all[index]),
      settings: {
        http: {
          host: '127.0.0.1',
          mocks: [...MOCKS.http, { id: 'mine', request: { path: '/graphql', headers: { 'X-Mine': '1' } } }],
          ...settings['http'],
        },
        websocket: { share: 'http', mocks: [{ path: '/*', on_connect: { send: 'websocket' } }] },
        graphql: { share: 'http', mocks: GRAPHQL, ...settings['graphql'] },
      },
      seed: 1,
    } as never);
    hosts.push(host);
    await host.start();
    const port = host.kind('http').address?.port ?? 0;
    return { host, port, url: `http://127.0.0.1:${port}` };
  }

  const post = (url: string, headers: object = {}, body: string | Uint8Array = query): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: body as never,
    });

  for (const version of ['--http1.1', '--http2-prior-knowledge'])
    itWithTool('curl', `sends what comes one after another, by curl ${version}`, async () => {
      const { url, host } = await startAll();
      const ask = (accept: string, text: string): Promise<{ readonly out: string }> =>
        runTool('curl', [
          ...['-sN', version, `${url}/graphql`, '-H', `Accept: ${accept}`],
          ...['-H', 'Content-Type: application/json', '-d', JSON.stringify({ query: text })],
        ]);
      const ticks = ask('text/event-stream', 'subscription { tick }');
      await eventually(() => host.streams.list().length === 1);
      host.streams.close({ protocol: 'graphql', mock_id: 'ticks' }, undefined);
      const next = (tick: number): string => `event: next\ndata: {"data":{"tick":${tick}}}\n\n`;
      expect((await ticks).out).toBe(`:\n\n${next(1)}${next(2)}event: complete\ndata:\n\n`);
      const parts = await ask('multipart/mixed', 'query User { user { ... @defer { name } } }');
      expect(parts.out).toContain('"incremental":[{"id":"0","data":{"name":""}}]');
    });

  it.each([[[0, 1, 2]], [[2, 1, 0]], [[1, 2, 0]]])('takes its path, in the order %j', async (order) => {
    const { host, port, url } = await startAll(order);
    expect(await (await post(`${url}/graphql`)).text()).toBe(ANSWER);
    expect((await post(`${url}/graphql`, { 'X-Mine': '1' })).headers.get('content-type')).toBeNull();
    expect((await post(`${url}/other`)).status).toBe(404);
    const get = await fetch(`${url}/graphql?query=${encodeURIComponent('query User { user { name } }')}`);
    expect(get.status).toBe(200);
    expect((await fetch(`${url}/graphql`, { method: 'DELETE' })).status).toBe(405);
    expect(host.kind('graphql').url).toBe(`${url}/graphql`);
    expect(host.kind('graphql').status()).toMatchObject({ port, shares: 'http', path: '/graphql' });
    const client = createClient({ url: `ws://127.0.0.1:${port}/graphql`, webSocketImpl: WebSocket });
    const ticks: unknown[] = [];
    for await (const result of client.iterate({ query: 'subscription { tick }' })) {
      ticks.push(result.data);
      if (ticks.length === 2) break;
    }
    expect(ticks).toEqual([{ tick: 1 }, { tick: 2 }]);
    await client.dispose();
    // Other subprotocols, and none, are those of WebSocket.
    for (const subprotocols of [[], ['chat']]) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, subprotocols);
      sockets.push(socket);
      expect(await next(socket)).toBe('websocket');
    }
    expect(new Set(host.journal.list().map(({ protocol }) => protocol))).toEqual(
      new Set(['graphql', 'http', 'websocket']),
    );
  });

  it('takes compressed bodies once decoded, and refuses large ones', async () => {
    const { url } = await startAll();
    const { gzipSync } = await import('node:zlib');
    const zipped = await post(`${url}/graphql`, { 'Content-Encoding': 'gzip' }, gzipSync(query));
    expect(await zipped.text()).toBe(ANSWER);
    const strict = await startAll([0, 1, 2], { graphql: { max_body_bytes: 10 } });
    expect((await post(`${strict.url}/graphql`)).status).toBe(413);
    const raw = await startAll([0, 1, 2], { http: { decode: false } });
    expect((await post(`${raw.url}/graphql`, { 'Content-Encoding': 'gzip' }, gzipSync(query))).status).toBe(
      415,
    );
  });

  it('answers over HTTP/2, with its own faults', async () => {
    const { host, url } = await startAll();
    const session = http2.connect(url);
    session.on('error', () => undefined);
    const call = (): Promise<{ status: number; text: string; rst: number | undefined }> =>
      new Promise((resolve) => {
        const stream = session.request({
          ':method': 'POST',
          ':path': '/graphql',
          'content-type': 'application/json',
        });
        let text = '';
        let status = 0;
        stream.on('error', () => undefined);
        stream.on('response', (headers) => (status = headers[':status'] ?? 0));
        stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
        stream.on('close', () => resolve({ status, text, rst: stream.rstCode }));
        stream.end(query);
      });
    expect(await call()).toEqual({ status: 200, text: ANSWER, rst: 0 });
    host.faults.set('http', {});
    expect(await call()).toEqual({ status: 200, text: ANSWER, rst: 0 });
    host.faults.clear('http');
    host.faults.set('graphql', { status: 500 });
    expect(await call()).toMatchObject({ status: 500, text: '{"error":"fault injected"}' });
    host.faults.set('graphql', { broken: 'truncated' });
    expect(await call()).toMatchObject({ status: 200, text: ANSWER.slice(0, ANSWER.length / 2) });
    host.faults.set('graphql', { abort: true });
    expect(await call()).toMatchObject({ status: 0, rst: http2.constants.NGHTTP2_INTERNAL_ERROR });
    host.faults.clear('graphql');
    expect((await fetch(`${url}/hello`)).status).toBe(200);
    expect(await call()).toMatchObject({ status: 200 });
    session.destroy();
  });

  it('gives up what waits when the client leaves, and says goodbye at a stop', async () => {
    const { host, port, url } = await startAll();
    const leaving = new AbortController();
    const answer = fetch(`${url}/graphql?query=${encodeURIComponent('query Late { late }')}`, {
      signal: leaving.signal,
    }).catch(() => 'left');
    await host.kind('graphql').calls.wait('late', 1, 60_000);
    leaving.abort();
    expect(await answer).toBe('left');
    await eventually(() => host.journal.list().some((entry) => entry['aborted'] === true));
    const closed = new Promise((resolve) => {
      const client = createClient({
        url: `ws://127.0.0.1:${port}/graphql`,
        webSocketImpl: WebSocket,
        retryAttempts: 0,
        lazy: false,
        onNonLazyError: () => undefined,
        on: {
          connected: () => void host.stop(2000),
          closed: (event) => resolve((event as { code: number }).code),
        },
      });
      void client;
    });
    expect(await closed).toBe(1001);
  });
});

describe('dialects of WebSocket on the port of HTTP', () => {
  const DIALECTS = [
    { dialect: 'socket.io', on_message: [{ event: 'ping', ack: ['pong'] }] },
    { path: '/hub', dialect: 'signalr', on_message: [{ target: 'Add', result: 3 }] },
  ];

  it.each([undefined, ['polling'], ['websocket']])('take socket.io over %s', async (transports) => {
    const { host, port } = await start({ websocket: { mocks: DIALECTS } });
    const socket = io(`http://127.0.0.1:${port}`, { forceNew: true, ...(transports && { transports }) });
    expect(await socket.emitWithAck('ping')).toBe('pong');
    const gone = new Promise((resolve) => socket.once('disconnect', resolve));
    socket.disconnect();
    await gone;
    await eventually(() => host.streams.list().length === 0);
    const [entry] = host.journal.list({ protocol: 'http' });
    expect(entry).toBeUndefined();
  });

  it('take SignalR, and leave to mocks of HTTP what is theirs', async () => {
    const { port } = await start({ websocket: { mocks: DIALECTS } });
    const base = `http://127.0.0.1:${port}`;
    const hub = new HubConnectionBuilder().withUrl(`${base}/hub`).configureLogging(LogLevel.None).build();
    await hub.start();
    expect(await hub.invoke('Add', 1, 2)).toBe(3);
    await hub.stop();
    expect(await (await fetch(`${base}/hello`)).text()).toBe('hello ');
    expect((await fetch(`${base}/other/negotiate`, { method: 'POST' })).status).toBe(404);
  });
});

describe('a space that a request on the port of HTTP names', () => {
  it('answers GraphQL, over HTTP and WebSocket', async () => {
    const own = (name: string): object[] => [
      { id: 'who', operation_name: 'Who', response: { who: name } },
      {
        ...{ id: 'ticks', operation_type: 'subscription', operation_name: 'Ticks' },
        stream: [{ json: { data: { tick: name } } }],
      },
    ];
    const host = await createHost({
      protocols: [httpKind, graphql],
      settings: { http: { host: '127.0.0.1' }, graphql: { share: 'http', mocks: own('main') } },
      seed: 1,
    });
    hosts.push(host);
    await host.start();
    const { t1 } = await addSpaces({ host, kind: host.kind('graphql') });
    for (const mock of own('one')) t1.mocks.replace((mock as { id: string }).id, mock);
    const address = `127.0.0.1:${host.kind('http').address?.port ?? 0}/graphql`;
    for (const [headers, name] of [
      [{}, 'main'],
      [{ 'Backlot-Space': 't1' }, 'one'],
    ] as const) {
      const asked = await fetch(`http://${address}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query: 'query Who { who }' }),
      });
      expect(await asked.json()).toEqual({ data: { who: name } });
      class WithHeaders extends WebSocket {
        constructor(url: string, protocols: string[]) {
          super(url, protocols, { headers });
        }
      }
      const client = createClient({ url: `ws://${address}`, webSocketImpl: WithHeaders });
      const { value } = await client.iterate({ query: 'subscription Ticks { tick }' }).next();
      expect(value).toEqual({ data: { tick: name } });
      await client.dispose();
    }
  });
});

const TALK_TYPES = {
  nested: {
    talk: {
      nested: {
        Word: { fields: { text: { type: 'string', id: 1 } } },
        Talk: {
          methods: {
            Say: { requestType: 'Word', responseType: 'Word' },
            Chat: { requestType: 'Word', requestStream: true, responseType: 'Word', responseStream: true },
          },
        },
      },
    },
  },
};

const TALK_PROTO = `syntax = "proto3"; package talk; message Word { string text = 1; }
  service Talk { rpc Say(Word) returns (Word); rpc Chat(stream Word) returns (stream Word); }`;

interface Word {
  readonly text: string;
}

/** A client of grpc-js with everything at its default. */
type TalkClient = Client & {
  Say(word: Word, metadata: Metadata, callback: (error: Error | null, word?: Word) => void): unknown;
  Chat(): ClientDuplexStream<Word, Word>;
};

describe('gRPC on the port of HTTP', () => {
  const clients: Client[] = [];
  afterEach(() => clients.splice(0).forEach((client) => client.close()));

  async function startTalk(): Promise<{
    readonly host: Host;
    readonly port: number;
    readonly talk: TalkClient;
  }> {
    const host = await createHost({
      protocols: [grpc, httpKind],
      settings: {
        http: {
          host: '127.0.0.1',
          mocks: [
            ...MOCKS.http,
            { id: 'first', request: { headers: { 'x-for': 'http' } }, response: { status: 503 } },
          ],
        },
        grpc: {
          share: 'http',
          sources: [{ name: 'talk.proto', content: TALK_PROTO }],
          mocks: [
            { id: 'say', method: 'Say', match: { text: 'hi' }, response: { text: 'main' } },
            {
              id: 'chat',
              method: 'Chat',
              trailers: { 'x-late': 'yes' },
              on_message: [
                { match: { text: 'bye' }, respond: { text: 'see you' }, close: true },
                { respond: { text: '{{request.body.text}}' } },
              ],
            },
          ],
        },
      },
      seed: 1,
    });
    hosts.push(host);
    await host.start();
    const port = host.kind('http').address?.port ?? 0;
    const { talk } = loadPackageDefinition(
      fromJSON(TALK_TYPES as unknown as Parameters<typeof fromJSON>[0]),
    ) as unknown as {
      talk: { Talk: new (...args: unknown[]) => TalkClient };
    };
    const client = new talk.Talk(`127.0.0.1:${port}`, credentials.createInsecure());
    clients.push(client);
    return { host, port, talk: client };
  }

  const say = (
    talk: TalkClient,
    text: string,
    metadata: Readonly<Record<string, string>> = {},
  ): Promise<string> =>
    new Promise((resolve) => {
      const sent = new Metadata();
      for (const [name, value] of Object.entries(metadata)) sent.set(name, value);
      talk.Say({ text }, sent, (error, word) => resolve(error === null ? (word?.text ?? '') : error.message));
    });

  it('takes the calls that no HTTP mock takes, while they go on, and ends them with trailers', async () => {
    const { host, port, talk } = await startTalk();
    expect(await say(talk, 'hi')).toBe('main');
    expect(await say(talk, 'ho')).toBe('12 UNIMPLEMENTED: method /talk.Talk/Say not mocked');
    expect(await say(talk, 'hi', { 'x-for': 'http' })).toMatch(/^14 UNAVAILABLE: .*503/);
    expect(await (await fetch(`http://127.0.0.1:${port}/hello`)).text()).toBe('hello ');

    const chat = talk.Chat();
    const answers = chat[Symbol.asyncIterator]() as AsyncIterator<Word>;
    const status = once(chat, 'status');
    chat.write({ text: 'one' });
    expect(await answers.next()).toMatchObject({ value: { text: 'one' } });
    chat.write({ text: 'bye' });
    expect(await answers.next()).toMatchObject({ value: { text: 'see you' } });
    expect(await answers.next()).toMatchObject({ done: true });
    const [{ code, metadata }] = (await status) as [{ code: number; metadata: Metadata }];
    expect([code, metadata.get('x-late')]).toEqual([0, ['yes']]);
    expect(host.journal.list().map(({ protocol, path, matched_id: id }) => [protocol, path, id])).toEqual([
      ['grpc', '/talk.Talk/Say', 'say'],
      ['grpc', '/talk.Talk/Say', undefined],
      ['http', '/talk.Talk/Say', 'first'],
      ['http', '/hello', 'hello'],
      ['grpc', '/talk.Talk/Chat', 'chat'],
    ]);
  });

  it('is that of the space which a call names', async () => {
    const { host, talk } = await startTalk();
    const { t1 } = await addSpaces({ host, kind: host.kind('grpc') });
    t1.mocks.replace('say', { method: 'Say', response: { text: 'one' } });
    expect(await say(talk, 'hi', { 'backlot-space': 't1' })).toBe('one');
    expect(await say(talk, 'hi')).toBe('main');
  });

  it('leaves calls that are under way when the host stops with their status', async () => {
    const { host, talk } = await startTalk();
    const chat = talk.Chat();
    const error = once(chat, 'error');
    chat.write({ text: 'one' });
    await once(chat, 'data');
    await host.stop(200);
    const [{ code }] = (await error) as [{ code: number }];
    expect(code).toBe(14);
  });
});
