import { afterEach, describe, expect, it } from '@jest/globals';
import type { Json } from '@backlot/core';
import { eventually } from '@backlot/conformance';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { cacheExchange, Client, fetchExchange } from '@urql/core';
import { createClient, type Client as SocketClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { post, request, startGraphql, stopAll, type GraphqlHost } from './support/graphql-host.js';
import { startRealGraphql, type RealGraphql } from './support/real-graphql.js';

const reals: RealGraphql[] = [];
const clients: SocketClient[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose();
  await stopAll();
  for (const real of reals.splice(0)) await real.stop();
});

async function startReal(): Promise<RealGraphql> {
  const real = await startRealGraphql();
  reals.push(real);
  return real;
}

const recorder = (
  { url }: Pick<RealGraphql, 'url'>,
  mode: string,
  mocks: readonly object[] = [],
  config: object = {},
): Promise<GraphqlHost> => startGraphql(mocks, { upstream: { url, mode }, ...config });

const recordedBy = ({ host }: GraphqlHost): readonly Json[] => host.kind('graphql').mocks.list();

const replay = (recording: GraphqlHost): Promise<GraphqlHost> =>
  startGraphql(structuredClone(recordedBy(recording)), { upstream: { mode: 'replay' } });

function socketTo({ socketUrl }: GraphqlHost, connectionParams: Record<string, unknown> = {}): SocketClient {
  const client = createClient({
    url: socketUrl,
    webSocketImpl: WebSocket,
    connectionParams,
    retryAttempts: 0,
  });
  clients.push(client);
  return client;
}

const GET_USER = 'query GetUser($id: ID!) { user(id: $id) { id name token } }';
const RENAME = 'mutation Rename($id: ID!, $name: String!) { rename(id: $id, name: $name) { id name } }';
const COUNT = 'subscription Count($to: Int!) { count(to: $to) }';

/** What unmodified clients do; gives what they see. */
async function work(started: GraphqlHost): Promise<unknown[]> {
  const apollo = new ApolloClient({
    link: new HttpLink({ uri: started.url }),
    cache: new InMemoryCache(),
    defaultOptions: { query: { fetchPolicy: 'no-cache' } },
  });
  const urql = new Client({
    url: started.url,
    preferGetMethod: true,
    exchanges: [cacheExchange, fetchExchange],
  });
  const sockets = socketTo(started);
  const query = gql(GET_USER);
  const seen = [
    (await apollo.query({ query, variables: { id: '7' } })).data,
    (await apollo.query({ query, variables: { id: '8' } })).data,
    (await apollo.mutate({ mutation: gql(RENAME), variables: { id: '7', name: 'Bob' } })).data,
    (await apollo.query({ query, variables: { id: '7' } })).data,
    (await apollo.query({ query: gql('{ fails hello }'), errorPolicy: 'all' })).error?.message,
    (await urql.query('{ hello(name: "Ann") }', {}).toPromise()).data,
    (await urql.query('{ hello(name: "Bob") }', {}).toPromise()).data,
    (await sockets.iterate({ query: GET_USER, variables: { id: '7' } }).next()).value,
  ];
  const visit = '{ visits }';
  for (let times = 0; times < 3; times += 1) seen.push((await post(started.url, { query: visit })).json.data);
  const batch = await post(started.url, [
    { query: 'query   Greet { hello(name: "batch") } # a comment' },
    { query: 'query Greet { hello(name: "other") }' },
  ]);
  seen.push(JSON.parse(batch.text));
  apollo.stop();
  return seen;
}

describe('an upstream of GraphQL', () => {
  it('is recorded by the clients of Apollo, urql and graphql-ws, and replayed without it', async () => {
    const real = await startReal();
    const recording = await recorder(real, 'record_new');
    const seen = await work(recording);
    expect(seen).toEqual([
      { user: expect.objectContaining({ name: 'Ann', token: 'sk_live_0123456789abcdef' }) },
      { user: null },
      { rename: expect.objectContaining({ name: 'Bob' }) },
      { user: expect.objectContaining({ name: 'Bob' }) },
      'it fails',
      { hello: 'hello {{Ann}}' },
      { hello: 'hello {{Bob}}' },
      { data: { user: expect.objectContaining({ name: 'Bob' }) } },
      { visits: 1 },
      { visits: 2 },
      { visits: 3 },
      [{ data: { hello: 'hello {{batch}}' } }, { data: { hello: 'hello {{other}}' } }],
    ]);
    expect(recording.lines).toEqual([]);
    const stored = JSON.stringify([recordedBy(recording), recording.host.journal.list()]);
    expect(stored).not.toContain('sk_live');
    expect(recording.host.journal.list().filter(({ upstream }) => upstream?.answered !== true)).toEqual([]);
    expect(recordedBy(recording).filter(({ id }) => String(id).startsWith('recorded:query-greet'))).toEqual([
      {
        id: 'recorded:query-greet',
        operation_type: 'query',
        operation_name: 'Greet',
        document: 'query Greet{hello(name:"batch")}',
        variables: { $: { absent: true } },
        response: { data: { hello: 'hello {{raw "{{"}}batch}}' } },
      },
      expect.objectContaining({ document: 'query Greet{hello(name:"other")}' }),
    ]);
    await real.stop();
    const replayed = await replay(recording);
    const redacted = JSON.parse(
      JSON.stringify(seen).replaceAll('sk_live_0123456789abcdef', 'REDACTED'),
    ) as unknown;
    expect(await work(replayed)).toEqual(redacted);
    expect(replayed.host.journal.list({ unmatched: true })).toEqual([]);
    await post(replayed.url, { query: GET_USER, variables: { id: '9' } });
    await post(replayed.url, { query: GET_USER, variables: { id: '7', more: 1 } });
    await post(replayed.url, {
      query: 'query GetUser($id: ID!) { user(id: $id) { id } }',
      variables: { id: '7' },
    });
    expect(replayed.host.journal.list({ unmatched: true })).toHaveLength(3);
  });

  it('passes subscriptions by WebSocket and as events, and what is no operation', async () => {
    const real = await startReal();
    const recording = await recorder(real, 'record_all');
    const sockets = socketTo(recording, { user: 'ann', password: 'hunter2' });
    const counts: unknown[] = [];
    for await (const { data } of sockets.iterate({ query: COUNT, variables: { to: 3 } })) counts.push(data);
    expect(counts).toEqual([{ count: 1 }, { count: 2 }, { count: 3 }]);
    expect(real.params).toEqual([{ user: 'ann', password: 'hunter2' }]);
    await expect(sockets.iterate({ query: 'subscription { wrong }' }).next()).rejects.toMatchObject([
      { message: expect.stringContaining('wrong') },
    ]);
    expect(recordedBy(recording)).toEqual([]);
    await eventually(() => recording.host.journal.list().length === 2);
    expect(recording.host.journal.list()[0]).toMatchObject({
      method: 'subscription',
      path: 'Count',
      upstream: { answered: true },
      response: { body: '{"data":{"count":1}}\n{"data":{"count":2}}\n{"data":{"count":3}}' },
    });
    expect(JSON.stringify(recording.host.journal.list())).not.toContain('hunter2');
    const origin = recording.url.replace('/graphql', '');
    expect((await request(`${origin}/health?deep=1`)).text).toBe('nothing at /health?deep=1');
    const wrong = await post(recording.url, { query: '{ not' });
    expect([wrong.status, wrong.text]).toEqual([200, expect.stringContaining('Syntax Error')]);
    const invalid = await post(
      recording.url,
      { query: '{ nothing }' },
      { headers: { accept: 'application/graphql-response+json' } },
    );
    expect(invalid.status).toBe(400);
    expect(recording.lines.at(-1)).toContain('is not recorded: it has the status 400, and mocks have 200');
    const nobody = socketTo(recording, { user: 'nobody' });
    await expect(nobody.iterate({ query: COUNT, variables: { to: 1 } }).next()).rejects.toMatchObject({
      code: 4403,
    });
  });

  it('keeps no secrets, and makes patterns of what is another each time', async () => {
    const real = await startReal();
    const recording = await recorder(real, 'record_new');
    const login = (url: string, password: string, id: string): Promise<unknown> =>
      post(
        url,
        {
          query: 'mutation Login($input: Login!) { login(input: $input) }',
          variables: { input: { user: 'ann', password }, requestId: id },
        },
        { headers: { authorization: 'Bearer hunter2hunter2' } },
      ).then(({ text }) => text);
    const inline = (url: string, password: string): Promise<unknown> =>
      post(url, { query: `mutation { login(input: {user: "ann", password: "${password}"}) }` }).then(
        ({ text }) => text,
      );
    const [id, other] = ['0f8fad5b-d9cb-469f-a165-70867728950e', '7c9e6679-7425-40de-944b-e07fc1f90ae7'];
    expect(await login(recording.url, 'hunter2', id)).toBe('{"data":{"login":"welcome ann"}}');
    expect(await inline(recording.url, 'hunter2')).toBe('{"data":{"login":"welcome ann"}}');
    const stored = JSON.stringify([recordedBy(recording), recording.host.journal.list()]);
    expect(stored).not.toContain('hunter2');
    expect(recording.host.journal.list().map(({ upstream }) => upstream?.patterns)).toEqual([
      ['variable input /password: secret', 'variable requestId: uuid'],
      ['document: secret'],
    ]);
    const replayed = await replay(recording);
    expect(await login(replayed.url, 'another', other)).toBe('{"data":{"login":"welcome ann"}}');
    expect(await inline(replayed.url, 'another')).toBe('{"data":{"login":"welcome ann"}}');
    expect(await inline(replayed.url, 'x"}), other: login(input: {user: "bob", password: "y')).toContain(
      'NO_MOCK',
    );
  });

  it('is asked for what no mock answers, and compared with mocks', async () => {
    const real = await startReal();
    const mocks = [
      {
        id: 'ann',
        operation_name: 'GetUser',
        variables: { id: '7' },
        response: { user: { id: '7', name: 'Zoe', token: 'REDACTED' } },
      },
      { id: 'hello', document: '{ hello }', response: { hello: 'hello {{raw "{{"}}you}}' } },
    ];
    const spy = await recorder(real, 'spy', mocks);
    const ask = async ({ url }: GraphqlHost, id: string): Promise<unknown> =>
      (await post(url, { query: GET_USER, variables: { id } })).json.data;
    expect(await ask(spy, '7')).toMatchObject({ user: { name: 'Zoe' } });
    expect(await ask(spy, '8')).toEqual({ user: null });
    const diff = await recorder(real, 'diff', mocks);
    expect(await ask(diff, '7')).toMatchObject({ user: { name: 'Zoe' } });
    await post(diff.url, { query: 'query { hello }' });
    await post(diff.url, { query: '{ # short\n hello }' });
    const sockets = socketTo(diff);
    expect((await sockets.iterate({ query: GET_USER, variables: { id: '7' } }).next()).value).toMatchObject({
      data: { user: { name: 'Zoe' } },
    });
    const difference = 'answer /data/user/name: the mock has "Zoe", the upstream "Ann"';
    expect(diff.host.journal.list().map(({ upstream }) => upstream)).toEqual([
      { differences: [difference] },
      { answered: true },
      { differences: [] },
      { differences: [difference] },
    ]);
    await real.stop();
    expect(await post(spy.url, { query: '{ visits }' })).toMatchObject({
      status: 502,
      text: expect.stringContaining('the upstream gave no answer'),
    });
    expect(await ask(spy, '7')).toMatchObject({ user: { name: 'Zoe' } });
  });

  it('asks for documents whose hash alone is known', async () => {
    const real = await startReal();
    const recording = await recorder(real, 'record_new');
    const query = '{ hello }';
    const sha256Hash = '6e9ed2a3d7a4a5ad2d6ac5a8d1d3b2c0'.padEnd(64, '0');
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    expect((await post(recording.url, { extensions })).text).toContain('PersistedQueryNotFound');
    expect(real.requests).toEqual([]);
    expect((await post(recording.url, { query })).json.data).toEqual({ hello: 'hello {{you}}' });
  });
});
