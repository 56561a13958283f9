import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { buildClientSchema, getIntrospectionQuery, printSchema, validateSchema } from 'graphql';
import { post, request, startGraphql, stopAll } from './support/graphql-host.js';

afterEach(stopAll);

const USER = {
  id: 'user',
  operation_type: 'query',
  operation_name: 'GetUser',
  response: { user: { id: '{{request.variables.id}}', name: 'Ann' } },
};
const QUERY = 'query GetUser($id: ID) { user(id: $id) { id name } }';

describe('a POST request', () => {
  it('of application/json is answered with the data of the mock', async () => {
    const { url } = await startGraphql([USER]);
    const answer = await post(url, { query: QUERY, variables: { id: 7 } });
    expect(answer.status).toBe(200);
    expect(answer.type).toBe('application/json; charset=utf-8');
    expect(answer.text).toBe('{"data":{"user":{"id":7,"name":"Ann"}}}');
  });

  it('of application/graphql is the document, and the url may hold the rest', async () => {
    const { url } = await startGraphql([USER]);
    const headers = { 'content-type': 'application/graphql; charset=UTF-8' };
    const answer = await request(`${url}?variables=${encodeURIComponent('{"id":"a"}')}`, {
      method: 'POST',
      body: QUERY,
      headers,
    });
    expect(answer.json.data).toEqual({ user: { id: 'a', name: 'Ann' } });
    const empty = await request(url, { method: 'POST', body: ' ', headers });
    expect(empty.status).toBe(400);
    expect(empty.json.errors?.[0]?.message).toBe('the body is empty; it must be a GraphQL document');
  });

  it.each([
    ['{"query": ', 'the body is not JSON'],
    ['', 'the body is empty; it must be JSON'],
    ['{}', 'the request has no query; give the GraphQL document as "query"'],
    ['7', 'the body is a number; it must be an object with "query"'],
    ['null', 'the body is null; it must be an object with "query"'],
    ['[]', 'the body is a list of 0; it must have 1 to 100 requests'],
    [
      JSON.stringify(Array(101).fill({ query: '{ a }' })),
      'the body is a list of 101; it must have 1 to 100 requests',
    ],
    ['[{"query": "{ a }"}, 1]', 'the body is a number; it must be an object with "query"'],
    ['{"documentId": 7}', 'documentId is a number; it must be a text'],
    ['{"query": 7}', 'query is a number; it must be a text'],
    ['{"query": "{ a }", "variables": []}', 'variables is a list; it must be an object'],
    ['{"query": "{ a }", "operationName": {}}', 'operationName is an object; it must be a text'],
    [`{"query": "{ a }", "variables": ${'['.repeat(300)}${']'.repeat(300)}}`, 'the body is nested too deep'],
    [`{"query": "{ a }", "variables": {"a": [${'1,'.repeat(300_000)}1]}}`, 'more than 250,000 values'],
    // Not gone through to the end, where it would be found to be nested too deep.
    [
      `{"query": "{ a }", "variables": [${'1,'.repeat(300_000)}${'['.repeat(300)}${']'.repeat(300)}]}`,
      'more than 250,000 values',
    ],
  ])('with the body %p is refused with 400', async (body, message) => {
    const { url, host } = await startGraphql([{ response: { a: 1 } }]);
    const answer = await post(url, body);
    expect(answer.status).toBe(400);
    expect(answer.json.errors?.[0]?.message).toMatch(message);
    expect(answer.json.data).toBeUndefined();
    expect(host.journal.list()).toEqual([]);
  });

  it.each([
    [{ 'content-type': 'text/plain' }, 'content-type "text/plain" is not supported'],
    [{ 'content-type': 'application/json; charset=latin1' }, 'the body must be UTF-8'],
    [{ 'content-encoding': 'zstd' }, 'content-encoding "zstd" is not supported'],
  ])('with the headers %p is refused with 415', async (headers, message) => {
    const { url } = await startGraphql();
    const answer = await post(url, { query: '{ a }' }, { headers });
    expect(answer.status).toBe(415);
    expect(answer.json.errors?.[0]?.message).toMatch(message);
  });

  it('may be encoded, and is refused with 400 when it does not decode', async () => {
    const { url } = await startGraphql([USER]);
    const ask = (body: Buffer): ReturnType<typeof request> =>
      request(url, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      });
    expect((await ask(gzipSync(JSON.stringify({ query: QUERY })))).json.data).toBeDefined();
    const broken = await ask(Buffer.from('{"query": "{ a }"}'));
    expect([broken.status, broken.json.errors?.[0]?.message]).toEqual([
      400,
      'the request body is not valid gzip: incorrect header check',
    ]);
  });

  it('without a content type is refused with 415', async () => {
    const { url } = await startGraphql();
    const answer = await request(url, { method: 'POST', body: Buffer.from('{"query":"{ a }"}') });
    expect(answer.status).toBe(415);
    expect(answer.json.errors?.[0]?.message).toMatch('needs a content-type');
  });

  it('that is not UTF-8 is refused', async () => {
    const { url } = await startGraphql();
    const body = Buffer.from('{"query":"{ caf\u00e9 }"}', 'latin1');
    const answer = await request(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.json.errors?.[0]?.message).toBe('the body is not UTF-8');
  });

  it('that is too large is refused with 413, and the next one is answered', async () => {
    const { url } = await startGraphql([USER], { max_body_bytes: 1000 });
    const answer = await post(url, { query: `{ ${'a '.repeat(1000)} }` });
    expect(answer.status).toBe(413);
    expect(answer.json.errors?.[0]?.message).toBe(
      'the request body is larger than 1000 bytes, the limit of max_body_bytes',
    );
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(new Uint8Array(600));
        controller.close();
      },
    });
    const chunked = await post(url, '', { body: stream, duplex: 'half' });
    expect(chunked.status).toBe(400);
    expect((await post(url, { query: QUERY })).status).toBe(200);
  });
});

describe('a GET request', () => {
  it('takes query, variables and operationName from the url', async () => {
    const { url } = await startGraphql([USER]);
    const parameters = new URLSearchParams({
      query: `${QUERY} query Other { other }`,
      variables: '{"id": "x y"}',
      operationName: 'GetUser',
    });
    const answer = await request(`${url}?${parameters.toString()}`);
    expect(answer.json.data).toEqual({ user: { id: 'x y', name: 'Ann' } });
  });

  it.each([
    ['', 400, 'the request has no query'],
    ['query=%7Ba%7D&variables=%7B', 400, 'variables is not JSON'],
    ['query=%7Ba%7D&variables=7', 400, 'variables is a number'],
    ['query=%7Ba%7D&query=%7Bb%7D', 400, 'query is given 2 times in the url; give it once'],
    ['query=mutation+A+%7Ba%7D', 405, 'a mutation cannot be sent with GET; use POST'],
  ])('with ?%s is refused with %i', async (search, status, message) => {
    const { url } = await startGraphql([{ response: { a: 1 } }]);
    const answer = await request(`${url}?${search}`);
    expect(answer.status).toBe(status);
    expect(answer.json.errors?.[0]?.message).toMatch(message);
    expect(answer.headers.get('allow')).toBe(status === 405 ? 'POST' : null);
  });
});

describe('other requests', () => {
  it('have their own statuses', async () => {
    const { url, port } = await startGraphql();
    const put = await request(url, { method: 'PATCH', body: 'x' });
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, POST']);
    const options = await request(url, { method: 'OPTIONS' });
    expect(options.status).toBe(405);
    expect(options.headers.get('access-control-allow-origin')).toBeNull();
    const elsewhere = await post(`http://127.0.0.1:${port}/api`, { query: '{ a }' });
    expect(elsewhere.status).toBe(404);
    expect(elsewhere.json.errors?.[0]?.message).toBe('nothing is served at /api; GraphQL is at /graphql');
  });

  it('are served at the configured path, which the status shows', async () => {
    const { host, port } = await startGraphql([USER], { path: '/v1/query' });
    expect(host.kind('graphql').url).toBe(`http://127.0.0.1:${port}/v1/query`);
    expect(host.kind('graphql').variables).toMatchObject({
      GRAPHQL_URL: `http://127.0.0.1:${port}/v1/query`,
    });
    const answer = await post(`http://127.0.0.1:${port}/v1/query`, { query: QUERY });
    expect(answer.status).toBe(200);
    expect(host.kind('graphql').status()['path']).toBe('/v1/query');
    await expect(startGraphql([], { path: 'v1' })).rejects.toThrow();
    await expect(startGraphql([], { init_timeout: 'soon' })).rejects.toThrow(/soon/);
  });

  it('of other origins are let in with cors', async () => {
    const { url } = await startGraphql([USER], { cors: true });
    const origin = 'https://example.com';
    const preflight = await request(url, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toBe('content-type');
    expect(preflight.headers.get('access-control-allow-methods')).toBe('POST');
    for (const query of [QUERY, '{', '{ __typename }']) {
      const answer = await post(url, { query }, { headers: { origin } });
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    }
  });
});

describe('the media type of answers', () => {
  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['text/html', 'application/json'],
    ['application/graphql-response+json', 'application/graphql-response+json'],
    ['application/graphql-response+json, application/json', 'application/graphql-response+json'],
    ['application/json, application/graphql-response+json;q=0.9', 'application/json'],
    ['application/graphql-response+json;q=0', 'application/json'],
    ['APPLICATION/GRAPHQL-RESPONSE+JSON', 'application/graphql-response+json'],
  ])('for accept: %p is %s', async (accept, type) => {
    const { url } = await startGraphql([USER]);
    const answer = await post(url, { query: QUERY }, accept === undefined ? {} : { headers: { accept } });
    expect(answer.type).toBe(`${type}; charset=utf-8`);
    expect(answer.status).toBe(200);
  });

  it('decides whether a document that does not parse is 200 or 400', async () => {
    const { url } = await startGraphql([USER]);
    const old = await post(url, { query: 'query GetUser {' });
    expect(old.status).toBe(200);
    expect(old.json.errors).toEqual([
      { message: 'Syntax Error: Expected Name, found <EOF>.', locations: [{ line: 1, column: 16 }] },
    ]);
    const accept = 'application/graphql-response+json';
    const current = await post(url, { query: 'query GetUser {' }, { headers: { accept } });
    expect([current.status, current.json]).toEqual([400, old.json]);
  });
});

describe('which operation is meant', () => {
  it('is said by operationName, or there is one only', async () => {
    const { url } = await startGraphql([
      { operation_name: 'A', response: { is: 'A' } },
      { operation_name: 'B', response: { is: 'B' } },
      { operation_name: { absent: true }, response: { is: 'nameless' } },
    ]);
    const ask = async (query: string, operationName?: string | null): Promise<unknown> => {
      const { json } = await post(url, { query, operationName });
      return (json.data as { is: string } | undefined)?.is ?? json.errors?.[0]?.message;
    };
    expect(await ask('query A { a } query B { b }', 'B')).toBe('B');
    expect(await ask('query A { a }', null)).toBe('A');
    expect(await ask('query A { a }', '')).toBe('A');
    expect(await ask('{ a }')).toBe('nameless');
    expect(await ask('{ a }', 'B')).toBe('B');
    expect(await ask('query A { a } query B { b }')).toMatch('the document has 2 operations');
    expect(await ask('query A { a } query B { b }', 'C')).toBe(
      'unknown operation "C"; the document has A, B',
    );
    expect(await ask('fragment F on T { a }')).toBe('the document holds no operation');
    expect(await ask('query constructor { a }')).toBe('no mock matched query constructor');
  });

  it('that no mock matches is answered with 200, its name and near misses', async () => {
    const { url } = await startGraphql([USER]);
    const answer = await post(url, { query: 'mutation GetUser { a }' });
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        errors: [
          {
            message: 'no mock matched mutation GetUser',
            extensions: {
              code: 'NO_MOCK_MATCHED',
              near_misses: [{ mock_id: 'user', reason: 'operation_type: got "mutation", want "query"' }],
            },
          },
        ],
      },
    ]);
  });
});

describe('questions about the schema', () => {
  const everything = { id: 'everything', response: { anything: true } };

  it('have an answer of which a client makes an empty schema', async () => {
    const { url, host } = await startGraphql([everything]);
    const query = getIntrospectionQuery({
      oneOf: true,
      inputValueDeprecation: true,
      schemaDescription: true,
    });
    const { json } = await post(url, { query });
    const schema = buildClientSchema(json.data as Parameters<typeof buildClientSchema>[0]);
    expect(printSchema(schema)).toBe('type Query');
    for (const name of ['Int', 'Float', 'String', 'Boolean', 'ID', '__Schema', '__Type'])
      expect(schema.getType(name)?.name).toBe(name);
    expect(schema.getDirectives().map(({ name }) => name)).toEqual(
      expect.arrayContaining(['include', 'skip', 'deprecated', 'specifiedBy', 'oneOf']),
    );
    // Why tools that validate refuse it.
    expect(validateSchema(schema).map(({ message }) => message)).toEqual([
      'Type Query must define one or more fields.',
    ]);
    expect(host.journal.list()).toEqual([]);
  });

  it('are answered by a mock that names the operation', async () => {
    const { url, host } = await startGraphql([everything]);
    host.kind('graphql').mocks.create({
      id: 'own',
      operation_name: 'IntrospectionQuery',
      response: { __schema: { types: [] } },
    });
    const { json } = await post(url, { query: getIntrospectionQuery() });
    expect(json.data).toEqual({ __schema: { types: [] } });
    expect(host.journal.list().map((entry) => entry['matched_id'])).toEqual(['own']);
  });

  it('name types, aliases and fragments', async () => {
    const { url } = await startGraphql([everything]);
    const ask = async (query: string, variables?: object): Promise<unknown> =>
      (await post(url, { query, variables })).json.data;
    expect(await ask('{ __typename }')).toEqual({ __typename: 'Query' });
    expect(await ask('mutation { kind: __typename }')).toEqual({ kind: 'Mutation' });
    expect(await ask('{ ...F } fragment F on Query { __typename ...F }')).toEqual({ __typename: 'Query' });
    expect(await ask('{ ... on Query { __typename } }')).toEqual({ __typename: 'Query' });
    expect(await ask('{ a: __type(name: "ID") { name } b: __type(name: "No") { name } }')).toMatchObject({
      a: { name: 'ID', kind: 'SCALAR' },
      b: null,
    });
    expect(await ask('query($n: String!) { __type(name: $n) { name } }', { n: 'Query' })).toMatchObject({
      __type: { name: 'Query', fields: [] },
    });
    expect(await ask('query($n: String!) { __type(name: $n) { name } }')).toEqual({ __type: null });
    // With anything else beside them the operation is one for mocks.
    expect(await ask('{ __typename user }')).toEqual({ anything: true });
    expect(await ask('{ ...Missing }')).toEqual({ anything: true });
  });
});

describe('the journal', () => {
  it('shows type, name, document, variables and answer', async () => {
    const { url, host } = await startGraphql([USER]);
    await post(url, { query: QUERY, variables: { id: 7 } }, { headers: { 'x-trace': 'abc' } });
    const [entry] = host.journal.list();
    expect(entry).toMatchObject({
      protocol: 'graphql',
      method: 'query',
      path: 'GetUser',
      status: 200,
      body: QUERY,
      query: { variables: '{"id":7}' },
      headers: { 'x-trace': 'abc' },
      matched_id: 'user',
      response: { status: 200, body: '{"data":{"user":{"id":7,"name":"Ann"}}}' },
    });
    const explained = host.kind('graphql').explain(entry);
    expect(explained).toMatchObject({ outcome: 'matched', mock_id: 'user' });
  });

  it('shows a client that has left before its answer', async () => {
    const { url, host } = await startGraphql([{ ...USER, delay: '1h' }]);
    const leaving = new AbortController();
    const answer = post(url, { query: QUERY }, { signal: leaving.signal });
    await eventually(() => host.kind('graphql').calls.of('user').count === 1);
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await eventually(() => host.journal.list()[0]?.['aborted'] === true);
  });
});

describe('explain', () => {
  it('takes fields as people write them, and says what is wrong with others', async () => {
    const { host } = await startGraphql([{ id: 'a', operation_name: 'A', variables: { id: '7' } }]);
    const { explain } = host.kind('graphql');
    const ask = (entry: unknown): unknown => explain.call(host.kind('graphql'), entry);
    expect(ask({ method: 'query', path: 'A', variables: { id: 7 } })).toMatchObject({ mock_id: 'a' });
    expect(ask({ body: 'query A($id: ID) { a }', query: { variables: '{"id":"7"}' } })).toMatchObject({
      mock_id: 'a',
    });
    expect(ask({ path: 'A' })).toMatchObject({
      outcome: 'unmatched',
      others: [{ mock_id: 'a', reason: 'variable id: absent, want "7"' }],
    });
    expect(() => ask({ method: 'GET' })).toThrow(
      'method is "GET"; it must be query, mutation or subscription',
    );
    expect(() => ask({ body: '{' })).toThrow(/Syntax Error/);
    expect(() => ask({ variables: [] })).toThrow('variables must be an object');
    expect(() => ask({ query: { variables: '{' } })).toThrow('"{" is not JSON');
    expect(() => ask({ path: 7 })).toThrow('path is 7; it must be a text');
  });
});
