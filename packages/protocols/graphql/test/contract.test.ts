import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from '@jest/globals';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { post, startGraphql, stopAll } from './support/graphql-host.js';
import { SHOP } from './support/shop-schema.js';

const folder = mkdtempSync(join(tmpdir(), 'backlot-'));
const file = join(folder, 'shop.graphql');
writeFileSync(file, SHOP);

afterEach(stopAll);
afterAll(() => rmSync(folder, { recursive: true }));

const ann = { id: '1', name: 'Ann', email: 'ann@example.com', joinedAt: 'now', friends: [], role: 'ADMIN' };

it('refuses operations that the schema does not have, and counts its fields', async () => {
  const { url, host } = await startGraphql([{ operation_name: 'Me', response: { me: ann } }], {
    contract: { file },
  });
  const client = new ApolloClient({ link: new HttpLink({ uri: url }), cache: new InMemoryCache() });
  const { data } = await client.query({
    query: gql`
      query Me {
        me {
          ...Named
        }
      }
      fragment Named on Person {
        id
        name
      }
    `,
    fetchPolicy: 'no-cache',
  });
  expect(data).toMatchObject({ me: { name: 'Ann' } });
  const refused = await post(url, { query: 'query Me { me { nme } }' });
  expect(refused.json.errors?.[0]?.message).toMatch(/Cannot query field "nme" on type "Person"/);
  const strict = await post(
    url,
    { query: 'query P($id: ID!) { person(id: $id) { id } }', variables: { id: {} } },
    { headers: { accept: 'application/graphql-response+json' } },
  );
  expect(strict.status).toBe(400);
  const noted = host.journal.list().map(({ contract }) => contract);
  expect(noted).toEqual([
    { operation: 'Query.me' },
    {
      violations: [
        { in: 'request', path: '/document', message: expect.stringContaining('Cannot query field "nme"') },
      ],
    },
    { violations: [{ in: 'request', path: '/variables/id', message: expect.stringContaining('ID') }] },
  ]);
  const coverage = host.kind('graphql').contract?.coverage();
  expect(coverage?.list.filter(({ requests }) => requests > 0).map(({ name }) => name)).toEqual([
    'Person.id',
    'Person.name',
    'Query.me',
  ]);
  expect(coverage).toMatchObject({ operations: { touched: 3 }, violations: { requests: 2 }, unknown: 2 });
});

it('refuses mocks with the place that is wrong', async () => {
  const start = (mock: object): Promise<unknown> => startGraphql([mock], { contract: { file } });
  await expect(start({ id: 'm', response: { me: { ...ann, role: 'BOSS' } } })).rejects.toThrow(
    /\/response: mock "m" answers what the contract does not allow: \/data\/me\/role must be one of "ADMIN", "CUSTOMER"/,
  );
  await expect(start({ id: 'm', response: { data: { products: [{ id: null }] } } })).resolves.toBeDefined();
  await expect(start({ id: 'm', response: { person: { name: null } } })).rejects.toThrow(
    /\/data\/person\/name must not be null; it is of the type String!/,
  );
  await expect(
    start({ id: 's', operation_type: 'subscription', stream: [{ json: { data: { renamed: [] } } }] }),
  ).rejects.toThrow(/\/stream\/0: mock "s" .* \/data\/renamed must be an object of the type Person/);
});

it('checks answers by what is asked for', async () => {
  const { url, host } = await startGraphql(
    [
      { id: 'me', operation_name: 'Me', response: { me: { id: '1', who: '{{request.variables.who}}' } } },
      { id: 'found', operation_name: 'Found', response: { search: [{ id: '7' }] } },
    ],
    { contract: { file } },
  );
  const me = (query: string, who: unknown): ReturnType<typeof post> =>
    post(url, { query, variables: { who } });
  expect((await me('query Me($who: String) { me { id who: name } }', 'Ann')).json).toMatchObject({
    errors: [{ message: expect.stringContaining('Variable "$who" is never used') }],
  });
  const used = 'query Me($who: ID!) { me { id who: name } person(id: $who) { id } }';
  const missing = await me(used, '7');
  expect(missing.status).toBe(500);
  expect(missing.json.errors).toEqual([
    {
      message: 'mock "me" answers what the contract does not allow: /data/person must be there',
      extensions: { code: 'CONTRACT_VIOLATION' },
    },
  ]);
  expect((await me('query Me { me { id } }', 'Ann')).json).toMatchObject({ data: { me: { id: '1' } } });
  const found = 'query Found { search(filter: { text: "a" }) { __typename ... on Book { id } } }';
  expect((await post(url, { query: found })).json.errors?.[0]?.message).toMatch(
    /\/data\/search\/0\/__typename must be one of "Book", "Lamp", "Person"/,
  );
  expect(host.kind('graphql').contract?.coverage().violations).toEqual({ requests: 1, answers: 2 });
});

it('holds subscriptions, and operations over a WebSocket', async () => {
  const renamed = (name: unknown): object => ({ json: { data: { renamed: { id: '1', name } } } });
  const { socketUrl, host } = await startGraphql(
    [
      {
        id: 'events',
        operation_type: 'subscription',
        stream: [
          renamed('Ann'),
          { data: '{"data": {"renamed": {"id": "1", "name": {{request.variables.name}}}}}' },
        ],
      },
    ],
    { contract: { file } },
  );
  const client = createClient({ url: socketUrl, webSocketImpl: WebSocket });
  const outcome = async (query: string): Promise<unknown[]> => {
    const got: unknown[] = [];
    await new Promise<void>((resolve) => {
      client.subscribe(
        { query },
        {
          next: ({ data }) => got.push(data),
          error: (errors) => {
            got.push((errors as readonly { message: string }[])[0]?.message);
            resolve();
          },
          complete: resolve,
        },
      );
    });
    return got;
  };
  expect(await outcome('subscription { renamed { id name } }')).toEqual([
    { renamed: { id: '1', name: 'Ann' } },
    'mock "events" answers what the contract does not allow: /data/renamed/name must not be null; it is of the type String!',
  ]);
  expect(await outcome('subscription { renamed { nme } }')).toEqual([
    expect.stringContaining('Cannot query field "nme"'),
  ]);
  expect(await outcome('subscription { renamed { id name role } }')).toEqual([
    'mock "events" answers what the contract does not allow: /data/renamed/role must be there',
  ]);
  expect(host.kind('graphql').contract?.coverage().violations.requests).toBe(1);
  await client.dispose();
});

it('notes with mode warn, and goes on', async () => {
  const { url, host, lines } = await startGraphql([{ id: 'me', response: { me: { id: null } } }], {
    contract: { file, mode: 'warn' },
  });
  expect(lines.join()).toContain(
    'mock "me" answers what the contract does not allow: /data/me/id must not be null',
  );
  expect((await post(url, { query: '{ me { id nme } }' })).json).toEqual({ data: { me: { id: null } } });
  expect((await post(url, { query: '{ me { id } }' })).json).toEqual({ data: { me: { id: null } } });
  expect(host.kind('graphql').contract?.coverage().violations).toEqual({ requests: 1, answers: 1 });
});

it('says what is wrong with a file', async () => {
  const wrong = join(folder, 'wrong.graphql');
  writeFileSync(wrong, 'type Query { a: Nothing }');
  await expect(startGraphql([], { contract: { file: wrong } })).rejects.toThrow(
    /wrong\.graphql" is no schema that can be used: .*Nothing/,
  );
});

it('does not check an answer that is too long, or selects too much, and says so', async () => {
  const products = Array.from({ length: 3000 }, (_, index) => ({ __typename: 'Lamp', id: index, name: 'x' }));
  const { url, host } = await startGraphql(
    [
      { operation_name: 'Few', response: { products: products.slice(0, 100) } },
      { operation_name: 'Long', response: { products: [{ ...products[0], name: 'x'.repeat(256 * 1024) }] } },
      { operation_name: 'Many', response: { products: [...products, { __typename: 'Lamp' }] } },
    ],
    { contract: { file } },
  );
  // Each of so many objects is held to each of so many fields.
  const aliases = Array.from({ length: 18 }, (_, index) => `t${index}: __typename`).join(' ');
  const ask = async (name: string): Promise<unknown> =>
    (await post(url, { query: `query ${name} { products { __typename id name ${aliases} } }` })).json.errors
      ?.length;
  expect(await ask('Few')).toBeUndefined();
  expect(await ask('Long')).toBeUndefined();
  expect(await ask('Many')).toBeUndefined();
  const roles = Array.from({ length: 10_001 }, () => 'NOBODY');
  const find = (given: readonly string[]) =>
    post(url, {
      query: 'query Find($f: Filter!) { search(filter: $f) { __typename } }',
      variables: { f: { text: 'x', roles: given } },
    });
  expect((await find(roles.slice(1, 10))).json.errors?.[0]?.message).toMatch('"NOBODY"');
  await find(roles);
  expect(host.journal.list().map(({ contract }) => contract?.unchecked)).toEqual([
    ...[undefined, ['answer'], ['answer'], undefined, ['request']],
  ]);
});
