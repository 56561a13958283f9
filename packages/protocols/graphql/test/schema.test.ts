import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  buildClientSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  buildSchema,
  printSchema,
  type IntrospectionQuery,
} from 'graphql';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { post, startGraphql, stopAll } from './support/graphql-host.js';
import { runModule } from './support/run-module.js';
import { SHOP } from './support/shop-schema.js';

afterEach(stopAll);

async function ask(url: string, query: string, variables?: object): Promise<Record<string, unknown>> {
  const { json } = await post(url, { query, variables });
  return json;
}

/** What every schema has beside its own. */
const INCREMENTAL = `
directive @defer(if: Boolean! = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
directive @stream(if: Boolean! = true, label: String, initialCount: Int! = 0) on FIELD
`;

describe('introspection', () => {
  it('gives the schema to tools that build it, and to GraphQL Code Generator by its url', async () => {
    const { url, host } = await startGraphql([], { sdl: SHOP });
    const { data } = (await ask(url, getIntrospectionQuery())) as { data: IntrospectionQuery };
    const built = buildClientSchema(data);
    const sorted = (schema: typeof built): string => printSchema(lexicographicSortSchema(schema));
    expect(sorted(built)).toBe(sorted(buildSchema(`${SHOP}${INCREMENTAL}`)));
    const made = await runModule(`
      import { generate } from '@graphql-codegen/cli';
      const files = await generate({
        schema: ${JSON.stringify(url)},
        documents: 'query Shop($filter: Filter!) { me { name role } search(filter: $filter) { ... on Book { pages author { email } } } }',
        generates: { 'made/': { preset: 'client' } },
        silent: true,
      }, false);
      console.log(JSON.stringify(files.map(({ content }) => content).join('')));
    `);
    expect(made).toContain('export type ShopQueryVariables = Exact<{\n  filter: Filter;\n}>;');
    expect(made).toContain(
      'export type ShopQuery = { me: { name: string, role: Role } | null, search: Array<',
    );
    expect(made).toContain('| { pages: number, author: { email: string } }');
    // What asks about the schema is no exchange, as without a schema.
    expect(host.journal.list()).toEqual([]);
  });

  it('answers what is selected, also over a WebSocket', async () => {
    const { url, socketUrl } = await startGraphql([], { sdl: SHOP });
    const query = '{ kind: __typename __type(name: "Role") { name enumValues { name } } }';
    const expected = {
      data: {
        kind: 'Query',
        __type: { name: 'Role', enumValues: [{ name: 'ADMIN' }, { name: 'CUSTOMER' }] },
      },
    };
    expect(await ask(url, query)).toEqual(expected);
    const client = createClient({ url: socketUrl, webSocketImpl: WebSocket });
    expect((await client.iterate({ query }).next()).value).toEqual(expected);
    await client.dispose();
  });
});

describe('Apollo Client', () => {
  const PERSON = `query GetPerson($id: ID!) { person(id: $id) { ...Names role friends { id } } }
    fragment Names on Person { id full: name }`;

  /** Asks with a client that has an empty cache, and gives data, or the errors. */
  function apollo(url: string, query: string, variables: object): Promise<unknown> {
    return runModule(`
      import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client';
      const client = new ApolloClient({ link: new HttpLink({ uri: ${JSON.stringify(url)} }), cache: new InMemoryCache() });
      const given = { query: gql(${JSON.stringify(query)}), variables: ${JSON.stringify(variables)} };
      const result = await client.query(given).catch((thrown) => {
        if (!CombinedGraphQLErrors.is(thrown)) throw thrown;
        return { data: thrown.errors };
      });
      console.log(JSON.stringify(result.data));
    `);
  }

  it('is given what the mock says, completed by the schema', async () => {
    const { url } = await startGraphql(
      [
        {
          operation_name: 'GetPerson',
          variables: { id: '7' },
          response: { person: { id: '{{request.variables.id}}', name: 'Ann', secret: true } },
        },
      ],
      { sdl: SHOP },
    );
    const friend = { __typename: 'Person', id: expect.any(String) };
    expect(await apollo(url, PERSON, { id: 7 })).toEqual({
      person: {
        __typename: 'Person',
        id: '7',
        full: 'Ann',
        role: expect.stringMatching(/^(ADMIN|CUSTOMER)$/),
        friends: [friend, friend],
      },
    });
  });

  it('is told what does not fit the schema', async () => {
    const { url } = await startGraphql([], { sdl: SHOP });
    expect(await apollo(url, '{ me { nme } }', {})).toMatchObject([
      {
        message: 'Cannot query field "nme" on type "Person". Did you mean "name"?',
        locations: [{ line: 3, column: 5 }],
        extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
      },
    ]);
    expect(await apollo(url, PERSON, {})).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});

describe('answers by the schema', () => {
  const MADE =
    '{ me { id name email joinedAt } products { __typename id price ... on Book { pages } ... on Lamp { watts } } }';

  it('makes what no mock says, the same for the same seed', async () => {
    const first = await startGraphql([], { sdl: SHOP });
    const again = await startGraphql([], { sdl: SHOP });
    const other = await startGraphql([], { sdl: SHOP }, { seed: 2 });
    const answer = await ask(first.url, MADE);
    expect(answer).toMatchObject({
      data: {
        me: { email: expect.stringContaining('@'), joinedAt: expect.stringMatching(/^202\d-\d\d-\d\dT/) },
        products: [{ price: expect.any(Number) }, { price: expect.any(Number) }],
      },
    });
    expect(await ask(first.url, MADE)).toEqual(answer);
    expect(await ask(again.url, MADE)).toEqual(answer);
    expect(await ask(other.url, MADE)).not.toEqual(answer);
    expect(first.host.journal.list({ unmatched: true })).toEqual([]);
  });

  it('makes one object the same wherever it is met', async () => {
    const { url } = await startGraphql([], { sdl: SHOP });
    const { data } = (await ask(
      url,
      '{ a: person(id: 5) { id name } b: person(id: 5) { id name } c: person(id: 6) { id } }',
    )) as {
      data: Record<string, { id: string }>;
    };
    expect(data['a']).toEqual(data['b']);
    expect(data).toMatchObject({ a: { id: '5' }, c: { id: '6' } });
  });

  it('coerces variables, with their defaults, before mocks see them', async () => {
    const { url } = await startGraphql(
      [
        {
          operation_name: 'Find',
          response: { search: [{ __typename: 'Person', name: '{{request.variables.f.limit}}' }] },
        },
      ],
      { sdl: SHOP },
    );
    const query = 'query Find($f: Filter!) { search(filter: $f) { ... on Person { name } } }';
    expect(await ask(url, query, { f: { text: 'a', roles: 'ADMIN' } })).toEqual({
      data: { search: [{ name: '5' }] },
    });
    expect(await ask(url, query, { f: { text: 'a', roles: ['NOBODY'] } })).toMatchObject({
      errors: [{ message: expect.stringContaining('"NOBODY"'), extensions: { code: 'BAD_USER_INPUT' } }],
    });
  });

  it('says where the data of a mock does not fit, and keeps its errors', async () => {
    const { url } = await startGraphql(
      [
        { operation_name: 'Wrong', response: { me: { name: { first: 'Ann' } } } },
        { operation_name: 'Failed', response: {}, errors: [{ message: 'gone', path: ['me'] }] },
        { operation_name: 'Down', errors: [{ message: 'down' }] },
        { operation_name: 'ByAlias', response: { a: { name: 'Ann' }, b: null } },
      ],
      { sdl: SHOP },
    );
    expect(await ask(url, 'query Wrong { me { name } }')).toMatchObject({
      data: { me: null },
      errors: [{ message: expect.stringContaining('String cannot represent value'), path: ['me', 'name'] }],
    });
    expect(await ask(url, 'query Failed { me { name } }')).toEqual({
      data: { me: null },
      errors: [{ message: 'gone', path: ['me'] }],
    });
    expect(await ask(url, 'query Down { me { name } }')).toEqual({ errors: [{ message: 'down' }] });
    expect(await ask(url, 'query ByAlias { a: person(id: 1) { name } b: person(id: 2) { name } }')).toEqual({
      data: { a: { name: 'Ann' }, b: null },
    });
  });

  it('takes values by type from the configuration', async () => {
    const types = {
      DateTime: '2026-01-01T00:00:00Z',
      Person: { name: 'Ann' },
      Product: { price: 9.5 },
      Role: 'ADMIN',
    };
    const { url } = await startGraphql([], { sdl: SHOP, types });
    expect(await ask(url, '{ me { name joinedAt role } products { price } }')).toEqual({
      data: {
        me: { name: 'Ann', joinedAt: '2026-01-01T00:00:00Z', role: 'ADMIN' },
        products: [{ price: 9.5 }, { price: 9.5 }],
      },
    });
  });

  it('applies faults to what it makes', async () => {
    const started = await startGraphql([], { sdl: SHOP });
    started.host.faults.set('graphql', { status: 503 });
    expect((await post(started.url, { query: '{ me { name } }' })).status).toBe(503);
  });

  it('completes the results of subscriptions, and refuses those that no mock has', async () => {
    const { socketUrl } = await startGraphql(
      [{ operation_name: 'Names', stream: [{ data: '{"data":{"renamed":{"id":"1","name":"Ann"}}}' }] }],
      { sdl: SHOP },
    );
    const client = createClient({ url: socketUrl, webSocketImpl: WebSocket });
    const names = client.iterate({ query: 'subscription Names { changed: renamed { id full: name role } }' });
    expect((await names.next()).value).toMatchObject({ data: { changed: { id: '1', full: 'Ann' } } });
    await names.return?.();
    const none = client.iterate({ query: 'subscription Others { renamed { id } }' });
    await expect(none.next()).rejects.toMatchObject([{ extensions: { code: 'NO_MOCK_MATCHED' } }]);
    const wrong = client.iterate({ query: 'subscription { renamd { id } }' });
    await expect(wrong.next()).rejects.toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
    expect((await client.iterate({ query: '{ person(id: 3) { id } }' }).next()).value).toEqual({
      data: { person: { id: '3' } },
    });
    await client.dispose();
  });
});

describe('the schema', () => {
  it('is read from files, which together are one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'backlot-'));
    try {
      const files = ['type Query { a: Int! }', 'extend type Query { b: Int! }'].map((text, index) => {
        const file = join(folder, `${index}.graphql`);
        writeFileSync(file, text);
        return file;
      });
      const { url } = await startGraphql([{ response: { a: 1, b: 2 } }], { schema: files });
      expect(await ask(url, '{ a b }')).toEqual({ data: { a: 1, b: 2 } });
    } finally {
    }
  });

  it.each([
    [{ sdl: 'type Query { a: Nope }' }, 'Unknown type "Nope"'],
    [{ sdl: 'type Query {' }, 'sdl:1:13: Syntax Error'],
    [{ sdl: 'type A { a: Int }' }, 'Query root type must be provided'],
    [{ schema: '/nowhere/a.graphql' }, '"/nowhere/a.graphql" is not there'],
    [{ types: { A: 1 } }, 'types are of a schema'],
    [{ sdl: 'type Query { a: Int }', types: { Nope: 1 } }, 'the schema has no type "Nope"'],
    [{ sdl: 'type Query { a: Int }', types: { Query: { b: 1 } } }, 'Query has no field "b"'],
    [{ sdl: 'type Query { a: Int }', types: { Int: 'x' } }, 'Int cannot represent'],
  ])('is refused with a reason: %j', async (config, reason) => {
    await expect(startGraphql([], config)).rejects.toThrow(reason);
  });
});
