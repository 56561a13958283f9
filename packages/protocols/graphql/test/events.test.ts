import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { Client as Urql, fetchExchange } from '@urql/core';
import { createClient, type Client, type ClientOptions, type RequestParams } from 'graphql-sse';
import { post, startGraphql, stopAll, type GraphqlHost } from './support/graphql-host.js';
import { runModule } from './support/run-module.js';

const MOCKS = [
  { operation_name: 'GetUser', response: { user: { id: '{{request.variables.id}}', name: 'Ann' } } },
  {
    id: 'ticks',
    operation_type: 'subscription',
    operation_name: 'Ticks',
    stream: [{ json: { data: { tick: 1 } } }, { data: '{"data":\n{"tick":{{request.variables.next}}}}' }],
  },
  { id: 'news', operation_type: 'subscription', operation_name: 'News', response: { news: 'first' } },
];
const TICKS = { query: 'subscription Ticks($next: Int) { tick(next: $next) }', variables: { next: 2 } };

const clients: Client<boolean>[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.dispose();
  await stopAll();
});

function connect(url: string, more: Partial<ClientOptions<boolean>> = {}): Client<boolean> {
  const client = createClient({ url, retryAttempts: 0, ...more });
  clients.push(client);
  return client;
}

async function all(client: Client<boolean>, request: RequestParams): Promise<unknown[]> {
  const results: unknown[] = [];
  for await (const result of client.iterate(request)) results.push(result);
  return results;
}

function openStreams({ host }: GraphqlHost): number {
  return host.streams.list().length;
}

describe.each([
  ['distinct connections', false],
  ['a single connection', true],
])('the client of graphql-sse with %s', (_name, singleConnection) => {
  it('queries, subscribes, is pushed to and leaves', async () => {
    const started = await startGraphql(MOCKS);
    const client = connect(started.url, { singleConnection });
    expect(await all(client, { query: 'query GetUser { user { id } }', variables: { id: 7 } })).toEqual([
      { data: { user: { id: 7, name: 'Ann' } } },
    ]);
    const ticks = client.iterate(TICKS);
    const news = client.iterate({ query: 'subscription News { news }' });
    for (const tick of [1, 2]) expect((await ticks.next()).value).toEqual({ data: { tick } });
    expect((await news.next()).value).toEqual({ data: { news: 'first' } });
    started.host.streams.push({ protocol: 'graphql', mock_id: 'ticks' }, { data: { tick: 'é\n3' } });
    expect((await ticks.next()).value).toEqual({ data: { tick: 'é\n3' } });
    expect(openStreams(started)).toBe(2);
    await ticks.return?.();
    await eventually(() => openStreams(started) === 1);
    started.host.streams.close({ protocol: 'graphql', mock_id: 'news' }, undefined);
    expect((await news.next()).done).toBe(true);
    const entries = started.host.journal.list();
    expect(entries.map(({ path }) => path)).toEqual(['GetUser', 'Ticks', 'News']);
    expect(entries[2]?.response?.body).toBe('{"data":{"news":"first"}}');
  });

  it('sees errors, and the end of the server', async () => {
    const started = await startGraphql(MOCKS);
    const client = connect(started.url, { singleConnection });
    expect(await all(client, { query: 'subscription Unknown { a }' })).toMatchObject([
      { errors: [{ message: 'no mock matched subscription Unknown' }] },
    ]);
    expect(await all(client, { query: '{ a' })).toMatchObject(
      [{ errors: [{ message: /^Syntax Error/ }] }].map(() => ({
        errors: [{ message: expect.stringMatching(/^Syntax Error/) }],
      })),
    );
    const ticks = client.iterate(TICKS);
    await ticks.next();
    await ticks.next();
    started.host.streams.close({ protocol: 'graphql', mock_id: 'ticks' }, 'boom');
    expect((await ticks.next()).value).toEqual({ errors: [{ message: 'boom' }] });
    expect((await ticks.next()).done).toBe(true);
    started.host.faults.set('graphql', { status: 503 });
    await expect(all(client, TICKS)).rejects.toThrow('Server responded with 503');
    started.host.faults.clear('graphql');
    const last = client.iterate(TICKS);
    await last.next();
    const stopping = started.host.stop(2000);
    await last.next();
    // Distinct streams are completed; the end of the single one is an error that clients may try again after.
    if (singleConnection) await last.next().catch((thrown: unknown) => thrown);
    else expect((await last.next()).done).toBe(true);
    await stopping;
  });

  it('gets what was put off in parts', async () => {
    const { url } = await startGraphql(MOCKS);
    const client = connect(url, { singleConnection });
    const request = { query: 'query GetUser { user { id ... @defer { name } } }', variables: { id: 7 } };
    expect(await all(client, request)).toEqual([
      { data: { user: { id: 7 } }, pending: [{ id: '0', path: ['user'] }], hasNext: true },
      { incremental: [{ id: '0', data: { name: 'Ann' } }], completed: [{ id: '0' }], hasNext: false },
    ]);
  });
});

describe('an event stream for all operations', () => {
  const TOKEN = 'x-graphql-event-stream-token';

  it('is reserved, opened once, and ended operation by operation', async () => {
    const started = await startGraphql(MOCKS);
    const { url } = started;
    const reserved = await fetch(url, { method: 'PUT' });
    expect(reserved.status).toBe(201);
    const token = await reserved.text();
    expect(token).toMatch(/^[0-9a-f]{32}$/);
    const headers = { [TOKEN]: token };
    const early = await post(url, { ...TICKS, extensions: { operationId: '1' } }, { headers });
    expect(early).toMatchObject({ status: 400, text: expect.stringContaining('not open yet') });
    const accept = { accept: 'text/event-stream' };
    const leaving = new AbortController();
    const stream = await fetch(`${url}?token=${token}`, { headers: accept, signal: leaving.signal });
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect((await fetch(url, { headers: { ...headers, ...accept } })).status).toBe(409);
    const nameless = await post(url, TICKS, { headers });
    expect(nameless.text).toContain('needs extensions.operationId');
    const sent = { ...TICKS, extensions: { operationId: 'a"b' } };
    expect((await post(url, sent, { headers })).status).toBe(202);
    expect((await post(url, sent, { headers })).text).toContain('is open already');
    expect(openStreams(started)).toBe(1);
    const end = (id: string): Promise<Response> =>
      fetch(`${url}?operationId=${encodeURIComponent(id)}`, { method: 'DELETE', headers });
    expect((await end('a"b')).status).toBe(200);
    expect(openStreams(started)).toBe(0);
    expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(400);
    expect((await post(url, sent, { headers })).status).toBe(202);
    leaving.abort();
    await eventually(() => openStreams(started) === 0);
    expect((await post(url, sent, { headers })).status).toBe(404);
    // A token in the url may be something else's.
    const other = await post(`${url}?token=mine`, { query: 'query GetUser { user }' });
    expect(other.json.data).toBeDefined();
    expect(started.lines).toEqual([]);
  });

  it('is not kept for thousands that never open it', async () => {
    const { url } = await startGraphql(MOCKS);
    const first = await (await fetch(url, { method: 'PUT' })).text();
    for (let round = 0; round < 20; round += 1)
      await Promise.all(Array.from({ length: 50 }, async () => (await fetch(url, { method: 'PUT' })).text()));
    const opened = await fetch(url, { headers: { accept: 'text/event-stream', [TOKEN]: first } });
    expect(opened.status).toBe(404);
    await opened.text();
  });
});

describe('subscriptions over HTTP', () => {
  it('reach urql through fetch', async () => {
    const started = await startGraphql(MOCKS);
    const client = new Urql({
      url: started.url,
      exchanges: [fetchExchange],
      fetchSubscriptions: true,
      preferGetMethod: false,
    });
    const seen: unknown[] = [];
    const { unsubscribe } = client
      .subscription(TICKS.query, TICKS.variables)
      .subscribe(({ data }) => seen.push(data));
    await eventually(() => seen.length === 2);
    expect(seen).toEqual([{ tick: 1 }, { tick: 2 }]);
    unsubscribe();
    await eventually(() => openStreams(started) === 0);
  });

  it('reach Apollo Client in parts of HTTP, with results and errors', async () => {
    const { url, host } = await startGraphql(MOCKS);
    const running = runModule(`
      import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
      const client = new ApolloClient({ link: new HttpLink({ uri: ${JSON.stringify(url)} }), cache: new InMemoryCache() });
      const seen = [];
      await new Promise((resolve) => client.subscribe({ query: gql(${JSON.stringify(TICKS.query)}), variables: { next: 2 } }).subscribe({
        next: ({ data, error }) => { seen.push(data ?? error.message); if (error) resolve(); },
        error: (error) => { seen.push(error.message); resolve(); },
        complete: resolve,
      }));
      console.log(JSON.stringify(seen));
    `);
    await eventually(() => host.streams.list().length === 1);
    host.streams.push({ protocol: 'graphql', mock_id: 'ticks' }, { data: { tick: 3 } });
    host.streams.close({ protocol: 'graphql', mock_id: 'ticks' }, 'boom');
    expect(await running).toEqual([{ tick: 1 }, { tick: 2 }, { tick: 3 }, 'boom']);
  });
});
