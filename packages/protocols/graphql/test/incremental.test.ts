import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { post, startGraphql, stopAll } from './support/graphql-host.js';
import { merge, readParts, type Payload } from './support/read-parts.js';
import { runModule } from './support/run-module.js';

const SDL = `
type Query { me: Person people: [Person] strict: [Person!] any: [Node] }
interface Node { id: ID! }
type Person implements Node { id: ID! name: String email: String! boss: Person tags: [String] inner: [[Int]] address: Address! }
type Address { city: String! street: String }
type Robot implements Node { id: ID! model: String }
type Mutation { save: Person }
`;
const ANN = {
  __typename: 'Person',
  id: '1',
  name: 'Ann',
  email: 'ann@example.com',
  tags: ['a', 'b', 'c'],
  inner: [[1, 2], [3]],
  address: { city: 'Rome', street: null },
};
const BOB = { ...ANN, id: '2', name: 'Bob', email: 'bob@example.com', boss: ANN };
const DATA = {
  me: BOB,
  people: [ANN, BOB, null],
  strict: [ANN, { ...BOB, email: null }, ANN],
  any: [ANN, { __typename: 'Robot', id: '9', model: 'R2' }],
  save: ANN,
};
const NEW = 'multipart/mixed;incrementalSpec=v0.2, application/json';
const OLD = 'multipart/mixed;deferSpec=20220824, application/json';

afterEach(stopAll);

/** Operations of which parts are put off in all ways that the proposal has. */
const OPERATIONS = [
  '{ me { id ... @defer(label: "more") { name email } } }',
  '{ me { id ...More @defer } } fragment More on Person { name boss { name ... @defer { email } } }',
  '{ me { id name ... @defer { name } } }',
  '{ me { ... @defer { id ... @defer(label: "in") { name } } } }',
  '{ me { ... @defer { ... @defer(label: "in") { name } } } }',
  '{ ... @defer(label: "a") { me { id address { city } } } ... @defer(label: "b") { me { id name address { city street } } } }',
  '{ me { id } ... @defer { me { email address { city } } } }',
  '{ me { address { city } ... @defer { address { street } } } }',
  '{ people { id ... @defer { name } } }',
  '{ people @stream(initialCount: 1, label: "all") { id name } }',
  '{ people @stream { id ... @defer(label: "rest") { email } } }',
  '{ me { tags @stream(initialCount: 2) inner @stream } }',
  '{ me { id ... @defer { tags @stream(initialCount: 1) } } }',
  '{ any { __typename id ... on Person @defer { name } ... on Robot @defer { model } } }',
  '{ strict @stream(initialCount: 1) { id email } }',
  '{ strict { id ... @defer { email } } }',
  'query Q($no: Boolean = false) { me { id ... @defer(if: $no) { name } tags @stream(if: $no) } }',
  '{ people @stream(initialCount: 5) { id } }',
  '{ me { id ... @defer @skip(if: true) { name } ... @defer @include(if: true) { email } } }',
];

describe('an answer in parts', () => {
  it('is what graphql-js 17 answers, for operations of all kinds', async () => {
    const { url } = await startGraphql([{ response: DATA }], { sdl: SDL });
    const reference = (await runModule(`
      import { buildSchema, experimentalExecuteIncrementally, parse, specifiedDirectives, GraphQLDeferDirective, GraphQLStreamDirective, GraphQLSchema } from 'graphql-17';
      const built = buildSchema(${JSON.stringify(SDL)});
      const schema = new GraphQLSchema({ ...built.toConfig(), directives: [...specifiedDirectives, GraphQLDeferDirective, GraphQLStreamDirective] });
      const results = [];
      for (const text of ${JSON.stringify(OPERATIONS)}) {
        const result = await experimentalExecuteIncrementally({ schema, document: parse(text), rootValue: ${JSON.stringify(DATA)} });
        const payloads = 'initialResult' in result ? [result.initialResult] : [result];
        for await (const each of result.subsequentResults ?? []) payloads.push(each);
        results.push(payloads);
      }
      console.log(JSON.stringify(results));
    `)) as Payload[][];
    for (const [index, query] of OPERATIONS.entries()) {
      const answer = await post(url, { query }, { headers: { accept: NEW } });
      const isParted = answer.type === 'multipart/mixed; boundary="-"; incrementalSpec=v0.2';
      const payloads: Payload[] = isParted ? readParts(answer.text) : [answer.json];
      const expected = reference[index] ?? [];
      expect({ query, isParted, ...withoutMessages(merge(payloads)) }).toEqual({
        query,
        isParted: expected.length > 1,
        ...withoutMessages(merge(expected)),
      });
      expect({ query, first: payloads[0]?.data }).toEqual({ query, first: expected[0]?.data });
      if (isParted)
        expect(payloads.map(({ hasNext }) => hasNext)).toEqual(
          payloads.map((_, at) => at < payloads.length - 1),
        );
    }
    expect(reference).toHaveLength(OPERATIONS.length);
  });

  it('is split by the document where there is no schema', async () => {
    const { url } = await startGraphql([{ response: DATA }]);
    for (const query of OPERATIONS.filter((text) => !text.includes('strict'))) {
      const headers = { accept: NEW };
      const { text, json, type } = await post(url, { query }, { headers });
      const payloads = type?.startsWith('multipart') === true ? readParts(text) : [json];
      // Nothing is lost and nothing is added.
      expect(merge(payloads)).toMatchObject({ data: DATA, errors: [], failed: [] });
    }
    const { text } = await post(url, { query: OPERATIONS[0] }, { headers: { accept: NEW } });
    const [first, second] = readParts(text);
    expect(first).toMatchObject({ pending: [{ id: '0', path: ['me'], label: 'more' }], hasNext: true });
    expect(first?.data).toMatchObject({ me: { id: '2' } });
    expect(first?.data).not.toHaveProperty('me.email');
    expect(second).toEqual({
      incremental: [{ id: '0', data: { name: 'Bob', email: 'bob@example.com' } }],
      completed: [{ id: '0' }],
      hasNext: false,
    });
  });

  it('has whole fragments with path and label for clients of the older form', async () => {
    const { url } = await startGraphql([{ response: DATA }], { sdl: SDL });
    const old = async (query: string): Promise<Payload[]> => {
      const { text, type } = await post(url, { query }, { headers: { accept: OLD } });
      expect(type).toBe('multipart/mixed; boundary="-"; deferSpec=20220824');
      return readParts(text);
    };
    expect(await old('{ me { id name ... @defer(label: "x") { name email } } }')).toEqual([
      { data: { me: { id: '2', name: 'Bob' } }, hasNext: true },
      {
        incremental: [{ data: { name: 'Bob', email: 'bob@example.com' }, path: ['me'], label: 'x' }],
        hasNext: false,
      },
    ]);
    expect(await old('{ people @stream(initialCount: 2) { id } }')).toEqual([
      { data: { people: [{ id: '1' }, { id: '2' }] }, hasNext: true },
      { incremental: [{ items: [null], path: ['people', 2] }], hasNext: false },
    ]);
    const failed = await old('{ strict { id ... @defer { email } } }');
    expect(failed.flatMap(({ incremental = [] }) => incremental)).toContainEqual({
      data: null,
      path: ['strict', 1],
      errors: [expect.objectContaining({ path: ['strict', 1, 'email'] })],
    });
  });

  it('brings the errors of a mock with the part that they are of', async () => {
    const errors = [
      { message: 'no name', path: ['me', 'name'] },
      { message: 'slow', path: ['me'] },
      { message: 'no place' },
    ];
    for (const config of [{}, { sdl: SDL }]) {
      const { url } = await startGraphql([{ response: { me: { id: '1', name: null } }, errors }], config);
      const query = '{ me { id ... @defer { name } } }';
      const { text } = await post(url, { query }, { headers: { accept: NEW } });
      const [first, second] = readParts(text);
      expect(first?.errors).toEqual(errors.slice(1));
      expect(second?.incremental).toEqual([{ id: '0', data: { name: null }, errors: errors.slice(0, 1) }]);
      await stopAll();
    }
  });

  it('is one whole answer for whoever takes no parts, and in a list', async () => {
    const { url } = await startGraphql([{ response: { me: ANN } }], { sdl: SDL });
    const query = '{ me { id ... @defer { name } tags @stream } }';
    const whole = { data: { me: { id: '1', name: 'Ann', tags: ['a', 'b', 'c'] } } };
    expect((await post(url, { query })).json).toEqual(whole);
    expect(JSON.parse((await post(url, [{ query }], { headers: { accept: NEW } })).text)).toEqual([whole]);
    const refused = await post(
      url,
      { query },
      { headers: { accept: 'multipart/mixed;q=0, application/json' } },
    );
    expect(refused.json).toEqual(whole);
  });

  it('comes as long after as the mock says, by the clock of the host', async () => {
    const { url, host } = await startGraphql([{ id: 'slow', response: { me: ANN }, deferred_delay: '1h' }]);
    host.clock.freeze(true);
    const query = '{ me { id ... @defer { name } ... @defer { email } } }';
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ query }),
      headers: { 'content-type': 'application/json', accept: NEW },
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const readUntil = async (count: number): Promise<Payload[]> => {
      while (readParts(text).length < count) text += (await reader?.read())?.value ?? '';
      return readParts(text);
    };
    expect(await readUntil(1)).toHaveLength(1);
    await host.clock.advance(3_600_000);
    expect((await readUntil(2))[1]?.incremental).toMatchObject([{ data: { name: 'Ann' } }]);
    expect(host.journal.list()[0]?.response?.status).toBe(200);
    await host.clock.advance(3_600_000);
    expect((await readUntil(3))[2]).toMatchObject({ hasNext: false });
    expect((await reader?.read())?.value ?? '').toBe(text.endsWith('--\r\n') ? '' : '--\r\n');
  });

  it('is given up when the client leaves', async () => {
    const { url, host } = await startGraphql([{ response: { me: ANN }, deferred_delay: '1h' }]);
    host.clock.freeze(true);
    const leaving = new AbortController();
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ query: '{ me { id ... @defer { name } } }' }),
      headers: { 'content-type': 'application/json', accept: NEW },
      signal: leaving.signal,
    });
    expect(response.status).toBe(200);
    expect(host.journal.list()).toHaveLength(1);
    expect(host.journal.list()[0]?.aborted).not.toBe(true);
    leaving.abort();
    await eventually(() => host.journal.list()[0]?.aborted === true);
  });

  it('is cut by a fault in its midst', async () => {
    const { url, host } = await startGraphql([{ response: { me: ANN } }]);
    host.faults.set('graphql', { broken: 'truncated' });
    const request = post(url, { query: '{ me { id ... @defer { name } } }' }, { headers: { accept: NEW } });
    await expect(request).rejects.toThrow();
  });

  it('is refused where the document cannot be', async () => {
    const { url } = await startGraphql([], { sdl: SDL });
    const messages = async (query: string): Promise<unknown> =>
      (await post(url, { query }, { headers: { accept: NEW } })).json.errors?.map(({ message }) => message);
    expect(await messages('mutation { ... @defer { save { id } } }')).toEqual([
      'Defer directive cannot be used on root mutation type "Mutation".',
    ]);
    expect(await messages('{ me { name @stream } }')).toEqual([
      'Directive "@stream" cannot be used on non-list field "name".',
    ]);
    expect(
      await messages('{ me { ... @defer(label: "a") { id } ... @defer(label: "a") { name } } }'),
    ).toEqual(['The label "a" of @defer and @stream is used twice.']);
    expect(await messages('query Q($l: String) { me { ... @defer(label: $l) { id } } }')).toEqual([
      'Argument "label" of @defer and @stream must be a static string.',
    ]);
  });

  it('has an end however the fragments lead to each other', async () => {
    const { url } = await startGraphql([{ response: { a: Array.from({ length: 400 }, () => ({ b: 1 })) } }]);
    const round =
      'query { a { ...F @defer } } fragment F on A { b ...G @defer } fragment G on A { b ...F @defer }';
    const first = await post(url, { query: round }, { headers: { accept: NEW } });
    expect(readParts(first.text).at(-1)?.hasNext).toBe(false);
    const many = `{ a { ${'... @defer { b } '.repeat(2400)} } }`;
    const { json } = await post(url, { query: many }, { headers: { accept: NEW } });
    expect(json.errors?.[0]?.message).toMatch(/have more than 300000 fields/);
  });
});

/** Errors by their places: the words differ from version to version. */
function withoutMessages(merged: object): object {
  return JSON.parse(
    JSON.stringify(merged, (key, value: unknown) =>
      key === 'message' || key === 'locations' ? undefined : value,
    ).replaceAll(/\\"(?:message|locations)\\":(?:\\"(?:[^"\\]|\\\\.)*\\"|\[[^\]]*\]),?/g, ''),
  ) as object;
}

describe('Apollo Client', () => {
  it.each(['Defer20220824Handler', 'GraphQL17Alpha9Handler'])(
    'with its %s sees the parts as they come',
    async (handler) => {
      for (const config of [{}, { sdl: SDL }]) {
        const { url } = await startGraphql(
          [{ operation_name: 'Q', response: DATA, deferred_delay: '20ms' }],
          config,
        );
        const seen = await runModule(`
        import { ApolloClient, gql, HttpLink, InMemoryCache, NetworkStatus } from '@apollo/client';
        import { ${handler} } from '@apollo/client/incremental';
        const client = new ApolloClient({
          link: new HttpLink({ uri: ${JSON.stringify(url)} }),
          cache: new InMemoryCache(),
          incrementalHandler: new ${handler}(),
        });
        const query = gql('query Q { me { __typename id ... @defer(label: "rest") { name address { city } } } people @stream(initialCount: 1) { __typename id } }');
        const seen = [];
        await new Promise((resolve, reject) => client.watchQuery({ query, fetchPolicy: 'network-only' }).subscribe({
          next: ({ data, networkStatus }) => {
            seen.push({ networkStatus, name: data?.me?.name ?? null, count: data?.people?.length ?? 0 });
            if (networkStatus === NetworkStatus.ready) resolve();
          },
          error: reject,
        }));
        console.log(JSON.stringify(seen));
      `);
        expect(seen).toEqual([
          { networkStatus: 1, name: null, count: 0 },
          { networkStatus: 9, name: null, count: 1 },
          { networkStatus: 9, name: 'Bob', count: 1 },
          { networkStatus: 9, name: 'Bob', count: 2 },
          { networkStatus: 7, name: 'Bob', count: 3 },
        ]);
        await stopAll();
      }
    },
  );
});
