import { once } from 'node:events';
import { request } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { WebSocket } from 'ws';
import { startGraphql, stopAll } from './support/graphql-host.js';
import { closeSockets, openSocket, RawSocket } from './support/raw-socket.js';

afterEach(async () => {
  closeSockets();
  await stopAll();
});

const subscribe = (id: string, query: string, more: object = {}): object => ({
  id,
  type: 'subscribe',
  payload: { query, ...more },
});
const TICKS = { id: 'ticks', operation_type: 'subscription', operation_name: 'Ticks' };

describe('the handshake', () => {
  it('agrees on graphql-transport-ws among several', async () => {
    const { socketUrl } = await startGraphql();
    const socket = await new RawSocket(socketUrl, ['other', 'graphql-transport-ws']).opened();
    expect(socket.socket.protocol).toBe('graphql-transport-ws');
  });

  it.each([
    ['graphql-ws', '/graphql', 400, 'subprotocol "graphql-ws" is not supported; use graphql-transport-ws'],
    ['graphql-transport-ws', '/other', 404, 'nothing is served at /other; GraphQL is at /graphql'],
  ])('with the subprotocol %s at %s is refused', async (protocol, path, status, error) => {
    const { port } = await startGraphql();
    const asked = request({
      port,
      host: '127.0.0.1',
      path,
      headers: {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': Buffer.alloc(16).toString('base64'),
        'Sec-WebSocket-Protocol': protocol,
      },
    }).end();
    const [response] = (await once(asked, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
    let text = '';
    for await (const part of response) text += String(part);
    expect([response.statusCode, JSON.parse(text)]).toEqual([status, { error }]);
  });

  it('without a subprotocol is closed with 4406', async () => {
    const { socketUrl } = await startGraphql();
    const socket = new RawSocket(socketUrl, []);
    expect(await socket.closed).toEqual({ code: 4406, reason: 'Subprotocol not acceptable' });
  });

  it('must begin with connection_init in time, or is closed with 4408', async () => {
    const { socketUrl } = await startGraphql([], { init_timeout: '20ms' });
    const socket = new RawSocket(socketUrl);
    expect(await socket.closed).toEqual({ code: 4408, reason: 'Connection initialisation timeout' });
  });

  it('shows its payload and its headers to templates', async () => {
    const { socketUrl } = await startGraphql([
      {
        response: {
          token: '{{request.connection_params.token}}',
          over: '{{request.transport}}',
          agent: '{{request.headers.upgrade}}',
        },
      },
    ]);
    const socket = await openSocket(socketUrl, { token: 'secret' });
    expect(await socket.send(subscribe('1', '{ a }')).next()).toMatchObject({
      payload: { data: { token: 'secret', over: 'websocket', agent: 'websocket' } },
    });
  });
});

describe('a client that breaks the rules', () => {
  it.each([
    ['no JSON', 4400, 'Invalid message received', ['no json']],
    ['a list', 4400, 'Invalid message received', [[]]],
    ['an unknown type', 4400, 'Invalid message received', [{ type: 'unknown' }]],
    ['a message of the server', 4400, 'Invalid message received', [{ type: 'connection_ack' }]],
    [
      'a subscribe without a query',
      4400,
      'Invalid message received',
      [{ type: 'subscribe', id: '1', payload: {} }],
    ],
    [
      'a deep message',
      4400,
      'Invalid message received',
      [`{"type":"ping","payload":{"a":${'['.repeat(100_000)}`],
    ],
    ['a subscribe before connection_init', 4401, 'Unauthorized', [subscribe('1', '{ a }')]],
    [
      'a second connection_init',
      4429,
      'Too many initialisation requests',
      [{ type: 'connection_init' }, { type: 'connection_init' }],
    ],
    [
      'an id that is taken',
      4409,
      'Subscriber for 1 already exists',
      [{ type: 'connection_init' }, subscribe('1', 'subscription Ticks { a }'), subscribe('1', '{ b }')],
    ],
  ])('with %s is closed with %i', async (_name, code, reason, messages) => {
    const { socketUrl, lines } = await startGraphql([{ ...TICKS, stream: [] }]);
    const socket = await new RawSocket(socketUrl).opened();
    socket.send(...messages);
    expect(await socket.closed).toEqual({ code, reason });
    expect(lines).toEqual([]);
  });

  it('with a message that is too large is closed with 1009', async () => {
    const { socketUrl } = await startGraphql([], { max_body_bytes: 1000 });
    const socket = await openSocket(socketUrl);
    socket.send(subscribe('1', `{ ${'a '.repeat(1000)} }`));
    expect((await socket.closed).code).toBe(1009);
  });

  it('with too many operations is told so', async () => {
    const { socketUrl } = await startGraphql([{ ...TICKS, stream: [] }]);
    const socket = await openSocket(socketUrl);
    for (let id = 0; id <= 1000; id += 1) socket.send(subscribe(String(id), 'subscription Ticks { a }'));
    expect(await socket.next()).toEqual({
      id: '1000',
      type: 'error',
      payload: [{ message: '1000 operations are open already; complete one first' }],
    });
  });
});

describe('over a socket', () => {
  it('pings are answered with their payload', async () => {
    const { socketUrl } = await startGraphql();
    const socket = await new RawSocket(socketUrl).opened();
    expect(await socket.send({ type: 'ping' }).next()).toEqual({ type: 'pong' });
    expect(await socket.send({ type: 'pong' }, { type: 'ping', payload: { a: 1 } }).next()).toEqual({
      type: 'pong',
      payload: { a: 1 },
    });
  });

  it('queries and mutations are answered with one result', async () => {
    const { socketUrl, host } = await startGraphql([
      { operation_name: 'A', response: { a: '{{request.variables.a}}' } },
      { operation_type: 'mutation', errors: [{ message: 'no' }] },
    ]);
    const socket = await openSocket(socketUrl);
    socket.send(
      subscribe('1', 'query A { a }', { variables: { a: 1 } }),
      subscribe('2', 'mutation B { a }'),
      subscribe('3', '{ __typename }'),
      subscribe('4', 'query A { a } query B { b }', { operationName: 'A', variables: null, extensions: {} }),
    );
    const messages: string[] = [];
    while (messages.length < 8) messages.push(await socket.text());
    expect(messages.sort()).toEqual(
      [
        '{"id":"1","type":"next","payload":{"data":{"a":1}}}',
        '{"id":"1","type":"complete"}',
        '{"id":"2","type":"next","payload":{"errors":[{"message":"no"}]}}',
        '{"id":"2","type":"complete"}',
        '{"id":"3","type":"next","payload":{"data":{"__typename":"Query"}}}',
        '{"id":"3","type":"complete"}',
        '{"id":"4","type":"next","payload":{"data":{"a":""}}}',
        '{"id":"4","type":"complete"}',
      ].sort(),
    );
    expect(host.streams.list()).toEqual([]);
    expect(host.journal.list().map(({ method, path }) => `${String(method)} ${String(path)}`)).toEqual([
      'query A',
      'mutation B',
      'query A',
    ]);
  });

  it('what is wrong with an operation is an error with a list', async () => {
    const { socketUrl } = await startGraphql([{ id: 'a', operation_name: 'A' }]);
    const socket = await openSocket(socketUrl);
    expect(await socket.send(subscribe('1', 'query B { a }')).next()).toEqual({
      id: '1',
      type: 'error',
      payload: [
        {
          message: 'no mock matched query B',
          extensions: {
            code: 'NO_MOCK_MATCHED',
            near_misses: [{ mock_id: 'a', reason: 'operation_name: got "B", want "A"' }],
          },
        },
      ],
    });
    expect(await socket.send(subscribe('1', '{')).next()).toEqual({
      id: '1',
      type: 'error',
      payload: [
        { message: 'Syntax Error: Expected Name, found <EOF>.', locations: [{ line: 1, column: 2 }] },
      ],
    });
    expect(await socket.send(subscribe('1', '{ a }', { operationName: 'C' })).next()).toMatchObject({
      payload: [{ message: 'no mock matched query C' }],
    });
    expect(await socket.send(subscribe('1', 'query A { a } query B { b }')).next()).toMatchObject({
      type: 'error',
      payload: [{ message: expect.stringMatching('the document has 2 operations') }],
    });
  });

  it('an operation that is completed while it waits is given up', async () => {
    const { socketUrl, host } = await startGraphql([{ id: 'slow', operation_name: 'A', delay: '1h' }]);
    const socket = await openSocket(socketUrl);
    socket.send(subscribe('1', 'query A { a }'));
    await eventually(() => host.kind('graphql').calls.of('slow').count === 1);
    socket.send({ id: '1', type: 'complete' });
    await eventually(() => host.journal.list()[0]?.['aborted'] === true);
    expect(await socket.send({ type: 'ping' }).next()).toEqual({ type: 'pong' });
  });

  it('an id may be used again as soon as it was completed', async () => {
    const { socketUrl } = await startGraphql([{ ...TICKS, stream: [{ data: '{"data":{"n":1}}' }] }]);
    const socket = await openSocket(socketUrl);
    socket.send(subscribe('1', 'subscription Ticks { n }'));
    for (let count = 0; count < 20; count += 1)
      socket.send({ id: '1', type: 'complete' }, subscribe('1', 'subscription Ticks { n }'));
    socket.send({ type: 'ping' });
    const messages: string[] = [];
    while (messages.at(-1) !== '{"type":"pong"}') messages.push(await socket.text());
    expect(messages).toHaveLength(22);
    expect(new Set(messages.slice(0, -1))).toEqual(
      new Set(['{"id":"1","type":"next","payload":{"data":{"n":1}}}']),
    );
  });

  it('ids are texts of whatever kind', async () => {
    const { socketUrl } = await startGraphql([{ response: { a: 1 } }]);
    const socket = await openSocket(socketUrl);
    for (const id of ['__proto__', 'constructor', '"\n\u2028']) {
      expect(await socket.send(subscribe(id, '{ a }')).next()).toEqual({
        id,
        type: 'next',
        payload: { data: { a: 1 } },
      });
      expect(await socket.next()).toEqual({ id, type: 'complete' });
    }
  });

  it('an orderly stop ends subscriptions and says goodbye', async () => {
    const { socketUrl, host } = await startGraphql([{ ...TICKS, stream: [] }]);
    const socket = await openSocket(socketUrl);
    socket.send(subscribe('1', 'subscription Ticks { n }'));
    await eventually(() => host.streams.list().length === 1);
    const stopped = host.stop(1000);
    expect(await socket.next()).toEqual({ id: '1', type: 'complete' });
    expect((await socket.closed).code).toBe(1001);
    await stopped;
    expect(socket.socket.readyState).toBe(WebSocket.CLOSED);
  });
});
