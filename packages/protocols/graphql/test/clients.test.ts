import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually, itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { cacheExchange, Client, fetchExchange, subscriptionExchange, type OperationResult } from '@urql/core';
import { createClient, type Client as SocketClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { startGraphql, stopAll, type GraphqlHost } from './support/graphql-host.js';

const MOCKS = [
  {
    id: 'user',
    operation_type: 'query',
    operation_name: 'GetUser',
    variables: { id: '7' },
    response: { user: { __typename: 'User', id: '{{request.variables.id}}', name: 'Ann' } },
  },
  {
    id: 'missing',
    operation_type: 'query',
    operation_name: 'GetUser',
    response: { user: null },
    errors: [{ message: 'no user {{request.variables.id}}', path: ['user'] }],
  },
  {
    id: 'save',
    operation_type: 'mutation',
    operation_name: 'Save',
    response: { save: { __typename: 'User', id: '8' } },
  },
  {
    id: 'ticks',
    operation_type: 'subscription',
    operation_name: 'Ticks',
    stream: [{ data: '{"data":{"tick":1}}' }, { json: { data: { tick: '{{request.variables.next}}' } } }],
  },
];
const GET_USER = 'query GetUser($id: ID!) { user(id: $id) { id name } }';
const SAVE = 'mutation Save { save { id } }';
const TICKS = 'subscription Ticks($next: Int) { tick(next: $next) }';

type Sink = Parameters<SocketClient['subscribe']>[1];

const clients: SocketClient[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose();
  await stopAll();
});

function connect({ socketUrl }: GraphqlHost): SocketClient {
  const client = createClient({ url: socketUrl, webSocketImpl: WebSocket });
  clients.push(client);
  return client;
}

describe('the client of graphql-ws', () => {
  it('queries, mutates and subscribes', async () => {
    const started = await startGraphql(MOCKS);
    const client = connect(started);
    const query = client.iterate({ query: GET_USER, variables: { id: '7' } });
    expect((await query.next()).value).toEqual({
      data: { user: { __typename: 'User', id: '7', name: 'Ann' } },
    });
    expect((await query.next()).done).toBe(true);
    expect((await client.iterate({ query: SAVE }).next()).value).toMatchObject({
      data: { save: { id: '8' } },
    });
    const ticks = client.iterate({ query: TICKS, variables: { next: 2 } });
    expect((await ticks.next()).value).toEqual({ data: { tick: 1 } });
    expect((await ticks.next()).value).toEqual({ data: { tick: 2 } });
    started.host.streams.push({ protocol: 'graphql', mock_id: 'ticks' }, '{"data":{"tick":3}}');
    expect((await ticks.next()).value).toEqual({ data: { tick: 3 } });
    await ticks.return?.();
    await eventually(() => started.host.streams.list().length === 0);
  });

  it('sees errors and the normal end', async () => {
    const started = await startGraphql(MOCKS);
    const { host } = started;
    const client = connect(started);
    await expect(client.iterate({ query: 'query Unknown { a }' }).next()).rejects.toMatchObject([
      { message: 'no mock matched query Unknown' },
    ]);
    const closed = client.iterate({ query: TICKS, variables: { next: 2 } });
    for (let tick = 1; tick <= 2; tick += 1) await closed.next();
    host.streams.close({ protocol: 'graphql', mock_id: 'ticks' }, undefined);
    expect((await closed.next()).done).toBe(true);
    const failed = client.iterate({ query: TICKS, variables: { next: 2 } });
    for (let tick = 1; tick <= 2; tick += 1) await failed.next();
    host.streams.close({ protocol: 'graphql', mock_id: 'ticks' }, 'boom');
    await expect(failed.next()).rejects.toEqual([{ message: 'boom' }]);
  });

  it('connects over TLS', async () => {
    const { port } = await startGraphql(MOCKS, { tls: { self_signed: true } });
    class Trusting extends WebSocket {
      constructor(url: string, protocols: string) {
        super(url, protocols, { rejectUnauthorized: false });
      }
    }
    const client = createClient({ url: `wss://localhost:${port}/graphql`, webSocketImpl: Trusting });
    clients.push(client);
    const answer = await client.iterate({ query: GET_USER, variables: { id: '7' } }).next();
    expect(answer.value).toMatchObject({ data: { user: { name: 'Ann' } } });
  });
});

describe('urql', () => {
  function makeUrql(started: GraphqlHost, preferGetMethod: boolean): Client {
    const sockets = connect(started);
    return new Client({
      url: started.url,
      preferGetMethod,
      exchanges: [
        cacheExchange,
        fetchExchange,
        subscriptionExchange({
          forwardSubscription: ({ query = '', variables }) => ({
            subscribe: (sink) => ({
              unsubscribe: sockets.subscribe(
                { query, variables: variables as Record<string, unknown> },
                sink as Sink,
              ),
            }),
          }),
        }),
      ],
    });
  }

  it.each([false, true])('queries and mutates (GET preferred: %p)', async (preferGetMethod) => {
    const started = await startGraphql(MOCKS);
    const client = makeUrql(started, preferGetMethod);
    const found = await client.query(GET_USER, { id: '7' }).toPromise();
    expect(found.error).toBeUndefined();
    expect(found.data).toEqual({ user: { __typename: 'User', id: '7', name: 'Ann' } });
    const missing = await client.query(GET_USER, { id: '9' }).toPromise();
    expect(missing.data).toEqual({ user: null });
    expect(missing.error?.graphQLErrors[0]).toMatchObject({ message: 'no user 9', path: ['user'] });
    const saved = await client.mutation(SAVE, {}).toPromise();
    expect(saved.data).toEqual({ save: { __typename: 'User', id: '8' } });
    const unknown = await client.query('query Unknown { a }', {}).toPromise();
    expect(unknown.error?.message).toBe('[GraphQL] no mock matched query Unknown');
    started.host.faults.set('graphql', { status: 502 });
    const faulted = await client.mutation(SAVE, {}).toPromise();
    expect(faulted.error?.response).toMatchObject({ status: 502 });
  });

  it('subscribes', async () => {
    const started = await startGraphql(MOCKS);
    const client = makeUrql(started, false);
    const results: OperationResult[] = [];
    const { unsubscribe } = client
      .subscription(TICKS, { next: 2 })
      .subscribe((result) => results.push(result));
    await eventually(() => results.length === 2);
    started.host.streams.push({ protocol: 'graphql', mock_id: 'ticks' }, { data: { tick: 3 } });
    await eventually(() => results.length === 3);
    expect(results.map(({ data }) => data as unknown)).toEqual([{ tick: 1 }, { tick: 2 }, { tick: 3 }]);
    unsubscribe();
    await eventually(() => started.host.streams.list().length === 0);
  });
});

const PYTHON_CLIENT = `
import asyncio, json, sys, websockets

async def main():
    async with websockets.connect(sys.argv[1], subprotocols=["graphql-transport-ws"]) as socket:
        await socket.send(json.dumps({"type": "connection_init"}))
        print(await socket.recv())
        payload = {"query": "subscription Ticks { tick }", "variables": {"next": 2}}
        await socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
        for _ in range(2):
            print(await socket.recv())
        await socket.send(json.dumps({"id": "1", "type": "complete"}))

asyncio.run(main())
`;

describe('websockets for Python', () => {
  itWithTool('python3:websockets', 'subscribes', async () => {
    const { host, socketUrl } = await startGraphql(MOCKS);
    const { out, err } = await runTool(PYTHON, ['-c', PYTHON_CLIENT, socketUrl]);
    expect([err, out]).toEqual([
      '',
      '{"type":"connection_ack"}\n' +
        '{"id":"1","type":"next","payload":{"data":{"tick":1}}}\n' +
        '{"id":"1","type":"next","payload":{"data":{"tick":2}}}\n',
    ]);
    await eventually(() => host.streams.list().length === 0);
  });
});
