import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { post, request, startGraphql, stopAll } from './support/graphql-host.js';
import { runModule } from './support/run-module.js';

const A = 'query A { a }';
const HASH = createHash('sha256').update(A).digest('hex');
const MOCKS = [
  { id: 'a', operation_name: 'A', response: { a: 1 } },
  { id: 'b', operation_name: 'B', response: { b: '{{request.variables.n}}' } },
  { id: 'slow', operation_name: 'Slow', delay: '1s', response: { slow: true } },
];
const persisted = (sha256Hash: string, version: unknown = 1): object => ({
  persistedQuery: { version, sha256Hash },
});
const folders: string[] = [];

afterEach(async () => {
  await stopAll();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function fileWith(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'backlot-graphql-'));
  folders.push(folder);
  writeFileSync(join(folder, 'documents.json'), content);
  return join(folder, 'documents.json');
}

describe('a list of operations', () => {
  it('is answered by a list, in its order, with an exchange for each', async () => {
    const { url, host } = await startGraphql(MOCKS);
    host.clock.freeze(true);
    const answer = post(url, [
      { query: 'query Slow { slow }' },
      { query: 'query B($n: Int) { b }', variables: { n: 2 } },
      { query: 'query Nobody { a }' },
      { query: '{' },
      { query: '{ __typename }' },
    ]);
    await eventually(() => host.kind('graphql').calls.of('slow').count === 1);
    await host.clock.advance(1000);
    const { status, text } = await answer;
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject([
      { data: { slow: true } },
      { data: { b: 2 } },
      { errors: [{ extensions: { code: 'NO_MOCK_MATCHED' } }] },
      { errors: [{ message: expect.stringContaining('Syntax Error') }] },
      { data: { __typename: 'Query' } },
    ]);
    expect(
      host.journal
        .list()
        .map((one) => one['path'])
        .sort(),
    ).toEqual(['B', 'Nobody', 'Slow']);
  });

  it('holds what a fault says in place of one, and is broken by one that breaks', async () => {
    const { url, host } = await startGraphql(MOCKS);
    host.faults.set('graphql', { status: 500, body: 'no', times: 1 });
    const both = [{ query: A }, { query: A }];
    expect(JSON.parse((await post(url, both)).text)).toEqual([
      { errors: [{ message: 'no', extensions: { status: 500 } }] },
      { data: { a: 1 } },
    ]);
    host.faults.set('graphql', { abort: true, times: 1 });
    await expect(post(url, both)).rejects.toThrow();
    expect((await post(url, both)).status).toBe(200);
  });
});

describe('persisted documents', () => {
  it('are registered by their hash, and asked for by it, until a reset', async () => {
    const { url, host } = await startGraphql(MOCKS);
    const ask = (body: object) => post(url, { extensions: persisted(HASH), ...body });
    const unknown = {
      errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
    };
    expect(await ask({})).toMatchObject({ status: 200, json: unknown });
    expect((await ask({ query: 'query A { b }' })).json.errors?.[0]?.message).toContain('another SHA-256');
    expect((await ask({ query: A })).json).toEqual({ data: { a: 1 } });
    expect((await ask({})).json).toEqual({ data: { a: 1 } });
    const search = new URLSearchParams({ extensions: JSON.stringify(persisted(HASH)) });
    expect((await request(`${url}?${search.toString()}`)).json).toEqual({ data: { a: 1 } });
    expect(host.journal.list().map((one) => one['body'])).toEqual([A, A, A]);
    host.reset();
    expect((await ask({})).json).toEqual(unknown);
    for (const bad of [persisted('abc'), persisted(HASH, 2), { persistedQuery: 7 }])
      expect((await post(url, { extensions: bad })).json.errors?.[0]?.message).toContain(
        'must have the version 1',
      );
  });

  it('keeps those that were used last', async () => {
    const { url } = await startGraphql([{ response: {} }]);
    const texts = Array.from({ length: 1100 }, (_, n) => `query N${n} { a }`);
    const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
    for (let at = 0; at < texts.length; at += 100)
      await post(
        url,
        texts.slice(at, at + 100).map((query) => ({ query, extensions: persisted(hashOf(query)) })),
      );
    const known = await post(
      url,
      [0, 99, 100, 1099].map((n) => ({ extensions: persisted(hashOf(texts[n] ?? '')) })),
    );
    expect((JSON.parse(known.text) as { data?: unknown }[]).map((one) => one.data !== undefined)).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it.each([
    ['a map', { user: A, [HASH]: A }],
    [
      'a manifest of Apollo',
      {
        format: 'apollo-persisted-query-manifest',
        version: 1,
        operations: ['user', HASH].map((id) => ({ id, name: 'A', type: 'query', body: A })),
      },
    ],
  ])('are those of %s, by their ids', async (_, content) => {
    const { url } = await startGraphql(MOCKS, { persisted_documents: fileWith(JSON.stringify(content)) });
    for (const body of [
      { documentId: 'user' },
      { documentId: `sha256:${HASH}` },
      { extensions: persisted(HASH) },
    ])
      expect((await post(url, body)).json).toEqual({ data: { a: 1 } });
    expect((await request(`${url}?documentId=user`)).json).toEqual({ data: { a: 1 } });
    expect((await post(url, { documentId: 'other' })).json.errors?.[0]?.message).toBe(
      'PersistedQueryNotFound',
    );
  });

  it.each([
    ['{', 'is not JSON'],
    ['[]', 'must hold an object'],
    ['{"a": "{"}', 'the document "a"'],
    ['{"a": 7}', 'it is no text'],
  ])('are refused at the start: %s', async (content, text) => {
    await expect(startGraphql([], { persisted_documents: fileWith(content) })).rejects.toThrow(text);
    await expect(startGraphql([], { persisted_documents: '/nowhere.json' })).rejects.toThrow('is not a file');
  });
});

describe('what no mock matches', () => {
  const sdl = 'type Query { a: Int! }';

  it('is an error with a schema too, where it is to be', async () => {
    const made = await startGraphql([], { sdl });
    expect((await post(made.url, { query: A })).json).toEqual({ data: { a: expect.any(Number) } });
    const strict = await startGraphql([], { sdl, unmatched: 'error' });
    expect((await post(strict.url, { query: A })).json.errors?.[0]?.message).toBe('no mock matched query A');
    expect((await post(strict.url, { query: '{ b }' })).json.errors?.[0]?.message).toContain(
      'Cannot query field',
    );
    expect(strict.host.journal.list()[0]).not.toHaveProperty('matched_id');
  });

  it('cannot be made without a schema', async () => {
    await expect(startGraphql([], { unmatched: 'made' })).rejects.toThrow('give schema or sdl as well');
  });
});

describe('Apollo Client', () => {
  it('batches, and persists its queries', async () => {
    const { url, host } = await startGraphql(MOCKS);
    const got = await runModule(`
      import { createHash } from 'node:crypto';
      import { ApolloClient, InMemoryCache, HttpLink, gql } from '@apollo/client';
      import { BatchHttpLink } from '@apollo/client/link/batch-http';
      import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
      const uri = ${JSON.stringify(url)};
      const sha256 = (text) => createHash('sha256').update(text).digest('hex');
      const bodies = [];
      const counted = (where, init) => { bodies.push(init.body ?? where); return fetch(where, init); };
      const make = (link) => new ApolloClient({ cache: new InMemoryCache(), link, defaultOptions: { query: { fetchPolicy: 'no-cache' } } });
      const batching = make(new BatchHttpLink({ uri, fetch: counted, batchInterval: 50 }));
      const both = await Promise.all([
        batching.query({ query: gql('query A { a }') }),
        batching.query({ query: gql('query B($n: Int) { b(n: $n) }'), variables: { n: 5 } }),
      ]);
      const batched = bodies.splice(0).length;
      const link = (useGET) => new PersistedQueryLink({ sha256, useGETForHashedQueries: useGET }).concat(new HttpLink({ uri, fetch: counted }));
      const persisted = [];
      for (const useGET of [false, true]) persisted.push(await make(link(useGET)).query({ query: gql('query A { a }') }));
      console.log(JSON.stringify({ both: both.map((one) => one.data), batched, persisted: persisted.map((one) => one.data), sent: bodies.map((body) => String(body).includes('"query"')) }));
    `);
    expect(got).toEqual({
      both: [{ a: 1 }, { b: 5 }],
      batched: 1,
      persisted: [{ a: 1 }, { a: 1 }],
      sent: [false, true, false],
    });
    expect(host.kind('graphql').calls.of('a').count).toBe(3);
  });
});
