import { afterEach, describe, expect, it } from '@jest/globals';
import { problemsOf } from '@backlot/conformance';
import { post, startGraphql, stopAll } from './support/graphql-host.js';

afterEach(stopAll);

/** What an operation is answered with, as JSON. */
async function ask(url: string, query: string, variables?: object): Promise<unknown> {
  return (await post(url, { query, variables })).json;
}

describe('a mock', () => {
  it('is found by the type and by a pattern for the name', async () => {
    const { url } = await startGraphql([
      { operation_type: 'mutation', operation_name: 'Save*', response: { is: 'save' } },
      { operation_name: 're:^(Get|List)User', response: { is: 'read' } },
      { operation_name: { any_of: ['A', 'B'] }, response: { is: 'a or b' } },
    ]);
    expect(await ask(url, 'mutation SaveUser { a }')).toEqual({ data: { is: 'save' } });
    expect(await ask(url, 'query SaveUser { a }')).toMatchObject({ errors: [{}] });
    expect(await ask(url, 'query ListUsers { a }')).toEqual({ data: { is: 'read' } });
    expect(await ask(url, 'mutation GetUser { a }')).toEqual({ data: { is: 'read' } });
    expect(await ask(url, 'query B { a }')).toEqual({ data: { is: 'a or b' } });
    expect(await ask(url, '{ a }')).toMatchObject({
      errors: [{ message: 'no mock matched the query without a name' }],
    });
  });

  it('is found by places in the variables', async () => {
    const { url, host } = await startGraphql([
      { id: 'first', operation_name: 'Q', variables: { 'input.tags.0': 'x' }, response: { is: 'first tag' } },
      { id: 'number', operation_name: 'Q', variables: { n: '7' }, response: { is: 'seven' } },
      {
        id: 'flag',
        operation_name: 'Q',
        variables: { flag: 'true', n: { absent: true } },
        response: { is: 'flag' },
      },
      { id: 'list', operation_name: 'Q', variables: { 'input.tags': '[]' }, response: { is: 'empty' } },
      {
        id: 'own',
        operation_name: 'Q',
        variables: { __proto__x: 'p', 'a\\.b': '*' },
        response: { is: 'dots' },
      },
      { id: 'null', operation_name: 'Q', variables: { n: 'null' }, response: { is: 'null' } },
    ]);
    const is = async (variables?: object): Promise<unknown> =>
      ((await ask(url, 'query Q { a }', variables)) as { data?: { is: string } }).data?.is;
    expect(await is({ input: { tags: ['x', 'y'] } })).toBe('first tag');
    expect(await is({ n: 7 })).toBe('seven');
    expect(await is({ n: '7' })).toBe('seven');
    expect(await is({ flag: true })).toBe('flag');
    expect(await is({ flag: true, n: 1 })).toBeUndefined();
    expect(await is({ input: { tags: [] } })).toBe('empty');
    expect(await is({ __proto__x: 'p', 'a.b': 1 })).toBe('dots');
    expect(await is({ n: null })).toBe('null');
    expect(await is()).toBeUndefined();
    expect(host.journal.list({ unmatched: true })[0]?.['near_misses']).toContainEqual({
      mock_id: 'flag',
      reason: 'variable n: got "1", want absent',
    });
  });

  it('is found by nested values, by any element, and by what an element is like', async () => {
    const { url, host } = await startGraphql([
      {
        id: 'nested',
        operation_name: 'Q',
        variables: { input: { user: { name: 'a*' }, n: 5 } },
        response: { is: 'nested' },
      },
      { id: 'any', operation_name: 'Q', variables: { 'ids[*]': '7' }, response: { is: 'any' } },
      {
        id: 'price',
        operation_name: 'Q',
        variables: { items: { some: { json_path: { path: '$.price', is: { gt: 5 } } } } },
        response: { is: 'price' },
      },
      {
        id: 'last',
        operation_name: 'Q',
        variables: { 'ids.-1': '9', ids: { length: 2 } },
        response: { is: 'last' },
      },
    ]);
    const is = async (variables: object): Promise<unknown> =>
      ((await ask(url, 'query Q { a }', variables)) as { data?: { is: string } }).data?.is;
    expect(await is({ input: { user: { name: 'ann', age: 3 }, n: 5 } })).toBe('nested');
    expect(await is({ input: { user: { name: 'bob' }, n: 5 } })).toBeUndefined();
    expect(host.journal.list({ unmatched: true })[0]?.['near_misses']).toContainEqual({
      mock_id: 'nested',
      reason: 'variable input: at user.name got "bob", want "a*"',
    });
    expect(await is({ ids: [1, 7] })).toBe('any');
    expect(await is({ items: [{ price: 1 }, { price: 6 }] })).toBe('price');
    expect(await is({ items: [{ price: 1 }] })).toBeUndefined();
    expect(await is({ ids: ['8', '9'] })).toBe('last');
    expect(await is({ ids: ['8', '8', '9'] })).toBeUndefined();
  });

  it('names the mocks first that fail by a variable alone', async () => {
    const { url, host } = await startGraphql([
      { id: 'alike', operation_name: 'GetUsers' },
      { id: 'alike too', operation_name: 'GetUse' },
      { id: 'other', operation_name: 'User' },
      { id: 'seven', operation_name: 'GetUser', variables: { id: '7' } },
      { id: 'pattern', operation_name: 'Get*', variables: { id: '8' } },
    ]);
    const answer = await ask(url, 'query GetUser { a }', { id: 9 });
    const nearest = [
      { mock_id: 'seven', reason: 'variable id: got "9", want "7"' },
      { mock_id: 'pattern', reason: 'variable id: got "9", want "8"' },
      { mock_id: 'alike', reason: 'operation_name: got "GetUser", want "GetUsers"' },
    ];
    expect(answer).toMatchObject({ errors: [{ extensions: { near_misses: nearest } }] });
    expect(host.journal.list({ unmatched: true })[0]?.['near_misses']).toEqual(nearest);
  });

  it('is no longer found once it is gone, and others are', async () => {
    const { url, host } = await startGraphql();
    const { mocks } = host.kind('graphql');
    for (let n = 0; n < 50; n += 1) {
      mocks.create({ id: `a${n}`, operation_name: `A${n}`, response: { n } });
      mocks.create({ id: `b${n}`, operation_name: 'B', variables: { n: String(n) }, response: { n } });
    }
    mocks.create({ id: 'rest', response: { n: 'rest' } });
    mocks.create({
      id: 'early',
      operation_name: 'B',
      priority: 1,
      variables: { n: '7' },
      response: { n: 'early' },
    });
    const n = async (query: string, variables?: object): Promise<unknown> =>
      ((await ask(url, query, variables)) as { data: { n: unknown } }).data.n;
    expect(await n('query A9 { n }')).toBe(9);
    expect(await n('query B { n }', { n: 49 })).toBe(49);
    expect(await n('query B { n }', { n: 7 })).toBe('early');
    for (const id of ['a9', 'b49', 'early']) mocks.remove(id);
    expect(await n('query A9 { n }')).toBe('rest');
    expect(await n('query B { n }', { n: 49 })).toBe('rest');
    expect(await n('query B { n }', { n: 7 })).toBe(7);
    mocks.create({ id: 'a9', operation_name: 'A9', response: { n: 'again' } });
    // It was made after the one for everything, which comes first.
    expect(await n('query A9 { n }')).toBe('rest');
    mocks.remove('rest');
    expect(await n('query A9 { n }')).toBe('again');
  });
});

describe('a response', () => {
  it('has what expressions for the name and for variables have captured', async () => {
    const { url } = await startGraphql([
      {
        operation_name: 'Find',
        variables: {
          id: 're:^user-(?<id>\\d+)$',
          input: { tags: [{ any_of: ['re:^(?<tag>x)$', 're:^red-(?<tag>\\w+)'] }] },
        },
        response: { got: '{{request.params.id}} {{request.params.tag}}' },
      },
      { operation_name: 're:^Get(?<what>[A-Z]\\w*)$', response: { got: '{{request.params.what}}' } },
    ]);
    expect((await post(url, { query: 'query GetUser { got }' })).json).toEqual({ data: { got: 'User' } });
    const variables = { id: 'user-7', input: { tags: ['blue', 'red-dark'] } };
    const query = 'query Find($id: ID, $input: I) { got }';
    expect((await post(url, { query, variables })).json).toEqual({ data: { got: '7 dark' } });
  });

  it('has its texts rendered, with the types of values', async () => {
    const { url } = await startGraphql([
      {
        response: {
          n: '{{request.variables.n}}',
          text: 'n is {{request.variables.n}} & "{{request.variables.text}}"',
          object: '{{request.variables.object}}',
          missing: '{{request.variables.missing}}',
          document: '{{request.body}}',
          of: '{{request.operation_type}} {{request.operation_name}} {{request.transport}} {{request.headers.x-a}}',
          extension: '{{request.extensions.hash}}',
          list: [1, { a: null, b: '{{upper request.variables.text}}' }],
          __proto__x: '{{request.method}} {{request.path}}',
        },
      },
    ]);
    const variables = { n: 7, text: '<"ü">', object: { a: [true] } };
    const { json } = await post(
      url,
      { query: 'query Q { n }', variables, extensions: { hash: 'h' } },
      { headers: { 'X-A': 'yes' } },
    );
    expect(json.data).toEqual({
      n: 7,
      text: 'n is 7 & "<"ü">"',
      object: { a: [true] },
      missing: '',
      document: 'query Q { n }',
      of: 'query Q http yes',
      extension: 'h',
      list: [1, { a: null, b: '<"Ü">' }],
      __proto__x: 'query Q',
    });
  });

  it('is the data, or the whole result when it has no other keys than those of one', async () => {
    const { url } = await startGraphql([
      { operation_name: 'A', response: { data: { a: 1 } } },
      { operation_name: 'B', response: { data: null, errors: [{ message: 'no {{request.path}}' }] } },
      { operation_name: 'C', response: { data: { c: 1 }, extensions: { cost: 2 } } },
      { operation_name: 'D', response: { data: 1, more: 2 } },
      { operation_name: 'E', response: { extensions: 1 } },
      { operation_name: 'F', response: { data: { data: 1 } } },
      { operation_name: 'G', response: { data: { g: null } }, errors: [{ message: 'g', path: ['g', 0] }] },
      {
        operation_name: 'H',
        response: { h: 1 },
        errors: [{ message: 'h', code: 7, locations: [{ line: 1, column: 2 }] }],
      },
      { operation_name: 'I', errors: [{ message: '{{request.path}}' }] },
      { operation_name: 'J' },
      { operation_name: 'K', response: {} },
      { operation_name: 'L', response: { l: 1 }, errors: [] },
    ]);
    const answer = (name: string): Promise<unknown> => ask(url, `query ${name} { a }`);
    expect(await answer('A')).toEqual({ data: { a: 1 } });
    expect(await answer('B')).toEqual({ data: null, errors: [{ message: 'no B' }] });
    expect(await answer('C')).toEqual({ data: { c: 1 }, extensions: { cost: 2 } });
    expect(await answer('D')).toEqual({ data: { data: 1, more: 2 } });
    expect(await answer('E')).toEqual({ data: { extensions: 1 } });
    expect(await answer('F')).toEqual({ data: { data: 1 } });
    expect(await answer('G')).toEqual({ data: { g: null }, errors: [{ message: 'g', path: ['g', 0] }] });
    expect(await answer('H')).toEqual({
      data: { h: 1 },
      errors: [{ message: 'h', code: 7, locations: [{ line: 1, column: 2 }] }],
    });
    expect(await answer('I')).toEqual({ errors: [{ message: 'I' }] });
    expect(await answer('J')).toEqual({ data: {} });
    expect(await answer('K')).toEqual({ data: {} });
    expect(await answer('L')).toEqual({ data: { l: 1 } });
  });

  it('may be patched by a scenario', async () => {
    const { url, host } = await startGraphql([{ id: 'a', operation_name: 'A', response: { a: 1 } }]);
    host.scenarios.create({ id: 's', patches: [{ mock_id: 'a', body: { a: 2 } }] });
    host.scenarios.activate('s');
    expect(await ask(url, 'query A { a }')).toEqual({ data: { a: 2 } });
  });

  it('that cannot be made is a 500 with an error, and the server goes on', async () => {
    const { url, lines } = await startGraphql([
      {
        operation_name: 'Big',
        response: { a: '{{#request.variables.list}}{{request.variables.text}}{{/request.variables.list}}' },
      },
      { operation_name: 'A', response: { a: 1 } },
    ]);
    const variables = { list: Array.from({ length: 2000 }, () => 1), text: 'x'.repeat(10_000) };
    const answer = await post(url, { query: 'query Big { a }', variables });
    expect(answer.status).toBe(500);
    expect(answer.json.errors?.[0]?.message).toMatch(/16 MiB/);
    expect(lines).toHaveLength(1);
    expect(await ask(url, 'query A { a }')).toEqual({ data: { a: 1 } });
  });
});

describe('a mock that is wrong', () => {
  it.each([
    [{ operation_type: 'Query' }, /^\/operation_type /],
    [{ operation_name: 're:[' }, /^\/operation_name /],
    [{ variables: { a: 're:[' } }, /^\/variables\/a /],
    [{ variables: { a: { length: 1, x: 2 } } }, /^\/variables\/a /],
    [{ response: [] }, /^\/response /],
    [{ response: { a: '{{#b}}' } }, /^\/response/],
    [{ errors: [{ path: ['a'] }] }, /^\/errors\/0/],
    [{ response: { errors: [] } }, /^\/response\/errors must be a list/],
    [{ response: { data: 1, errors: ['a'] } }, /^\/response\/errors must be a list/],
    [
      { response: { errors: [{ message: 'a' }] }, errors: [{ message: 'b' }] },
      /^\/errors errors are given twice/,
    ],
    [{ operation_type: 'mutation', stream: [] }, /^\/stream a mutation has one answer/],
    [{ stream: [], response: {} }, /^\/response a mock with a stream has no response/],
    [{ stream: [], errors: [{ message: 'a' }] }, /^\/errors a mock with a stream has no errors/],
    [{ stream: [{ json: 7 }] }, /^\/stream\/0\/json "7" is not a JSON object/],
    [{ stream: [{ data: '{}', json: {} }] }, /^\/stream\/0\/json data and json cannot stand together/],
    [{ stream: [{ delay: '1s' }] }, /^\/stream\/0\/data "" is not a JSON object/],
    [{ stream: [{ data: '7' }] }, /^\/stream\/0\/data "7" is not a JSON object/],
    [{ stream: [{ data: '{}', delay: '-1s' }] }, /^\/stream\/0\/delay /],
    [{ stream: [{ delay: '1s' }] }, /^\/stream\/0/],
    [{ operationName: 'A' }, /operationName/],
  ])('such as %j is refused', async (mock, problem) => {
    const { host } = await startGraphql();
    const { mocks } = host.kind('graphql');
    expect(problemsOf(() => mocks.create(mock)).join('\n')).toMatch(problem);
    expect(mocks.list()).toEqual([]);
  });
});
