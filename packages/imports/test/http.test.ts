import { createHost, checkImport, type Host } from '@backlot/core';
import { http } from '@backlot/http';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ImportSample } from '@backlot/conformance';
import { convert, convertText, mocksOf } from './support/convert.js';
import { HAR } from './support/har.js';
import { RECORDED } from './support/recorded.js';
import { folderSample, sample } from './support/samples.js';

const hosts: Host[] = [];

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop(0);
});

/** Serves what is made of a sample, and gives the url. */
async function serve(given: ImportSample): Promise<string> {
  const { imported } = convert(given);
  const { protocols = {}, state = {}, collections = {} } = imported;
  const host = await createHost({
    protocols: [http],
    settings: { http: { port: 0, ...protocols['http'] } },
    state,
    collections,
    seed: 1,
  });
  hosts.push(host);
  expect((await checkImport(host, imported)).refused).toEqual([]);
  await host.start();
  return host.kind('http').url ?? '';
}

async function ask(
  url: string,
  options: RequestInit = {},
): Promise<{ status: number; body: unknown; type: string | null }> {
  const response = await fetch(url, options);
  const text = await response.text();
  const type = response.headers.get('content-type');
  return { status: response.status, body: type?.includes('json') === true ? JSON.parse(text) : text, type };
}

describe('OpenAPI', () => {
  it('answers the operations of a document below the path of its server', async () => {
    const url = await serve(sample('openapi', 'openapi/petstore.yaml'));
    expect(await ask(`${url}/v1/pets`)).toEqual({
      status: 200,
      type: 'application/json',
      body: [{ id: expect.any(Number), name: 'name', tag: 'tag' }],
    });
    expect(await ask(`${url}/v1/pets`, { method: 'POST' })).toMatchObject({ status: 201, body: '' });
    expect(await ask(`${url}/v1/pets`, { method: 'POST', headers: { Prefer: 'code=500' } })).toMatchObject({
      status: 500,
      body: { code: expect.any(Number), message: 'message' },
    });
    expect((await ask(`${url}/pets`)).status).toBe(404);
  });

  it('answers named examples, and those of other statuses by Prefer', async () => {
    const url = await serve(sample('openapi', 'openapi/api-with-examples.yaml'));
    const first = await ask(`${url}/`);
    expect(first).toMatchObject({ status: 200, body: { versions: [{ id: 'v2.0' }, { id: 'v3.0' }] } });
    expect(await ask(`${url}/`, { headers: { Prefer: 'code=300' } })).toMatchObject({ status: 300 });
  });

  it('makes of circular schemas what is valid, asks fixed paths first, and says what it cannot carry over', () => {
    const { imported, report } = convertText(
      JSON.stringify({
        openapi: '3.1.0',
        servers: [
          { url: 'https://{host}/v{n}/', variables: { host: { default: 'a' }, n: { default: '2' } } },
          { url: '/w' },
        ],
        paths: {
          '/trees/{tree-id}': {
            get: { operationId: 'tree', responses: { '2XX': { $ref: '#/components/responses/Tree' } } },
          },
          '/trees/first': { get: { responses: { 204: { description: 'none' } } } },
          '/{a}{b}': { get: { responses: { 200: {} } } },
          '/lost': {
            get: {
              responses: { 200: { content: { 'application/json': { schema: { $ref: '#/nowhere' } } } } },
            },
          },
        },
        webhooks: { made: {} },
        components: {
          securitySchemes: { key: { type: 'apiKey' } },
          responses: {
            Tree: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Tree' } } } },
          },
          schemas: {
            Tree: {
              type: 'object',
              required: ['name', 'children'],
              properties: {
                name: { type: 'string', pattern: '^[A-Z]{2}-\\d{3}$' },
                kind: { enum: ['oak', 'elm'] },
                children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
                parent: { $ref: '#/components/schemas/Tree' },
              },
            },
          },
        },
      }),
    );
    const mocks = mocksOf({ imported });
    expect(mocks.map(({ id }) => id)).toEqual(['get-trees-first', 'tree', 'get-lost']);
    expect(mocks[1]).toMatchObject({
      request: { method: 'GET', path: '/v2/trees/{tree-id}' },
      response: {
        status: 200,
        json: { name: expect.stringMatching(/^[A-Z]{2}-\d{3}$/), kind: 'oak', children: [] },
      },
    });
    expect(report.refused.map(({ message }) => message)).toEqual([
      'webhooks are sent by nobody: nothing in the document says when',
      'there is nothing at "#/nowhere"',
      '"/{a}{b}" is no path that can be matched',
    ]);
    expect(report.approximated.map(({ message }) => message)).toEqual([
      'credentials are not asked for: every request is answered',
      'mocks are below the path of the first server, "/v2", and not below "/w"',
      'bodies without an example are made from their schemas',
      'no value was found that the schema allows; the body is empty',
    ]);
  });

  it('sends callbacks to the url that the request names', () => {
    const [mock] = mocksOf(convert(sample('openapi', 'openapi/callback.yaml')));
    expect(mock?.['webhooks']).toMatchObject([{ url: '{{request.query.callbackUrl}}/data', method: 'POST' }]);
  });
});

describe('HAR', () => {
  it('answers what was recorded, in its order where that differs', async () => {
    const url = await serve({ format: 'har', name: '', content: JSON.stringify(HAR) });
    expect(await ask(`${url}/api/items?page=1`)).toMatchObject({ status: 200, body: { items: [1, 2] } });
    expect(await ask(`${url}/api/items`)).toMatchObject({ body: { items: [] } });
    expect(await ask(`${url}/api/status`)).toMatchObject({ body: { state: 'starting' } });
    // Braces of the recording are no template here.
    expect(await ask(`${url}/api/status`)).toMatchObject({ body: { state: '{{up}}' } });
    const created = await fetch(`${url}/api/items`, { method: 'POST', body: '{ "name": "mug" }' });
    expect([created.status, created.headers.getSetCookie()]).toEqual([201, ['a=1', 'b=2']]);
    expect((await ask(`${url}/api/items`, { method: 'POST', body: '{"name":"pot"}' })).status).toBe(404);
    const pixel = await fetch(`${url}/pixel.gif`);
    expect(Buffer.from(await pixel.arrayBuffer()).toString('base64')).toBe('R0lGODlhAQABAAAAACw=');
  });
});

describe('WireMock', () => {
  it('goes through the states of a scenario', async () => {
    const url = await serve(sample('wiremock', 'wiremock/several.json'));
    expect(await ask(`${url}/todo/items`)).toMatchObject({ body: '<items><item>Buy milk</item></items>' });
    const body = 'Cancel newspaper subscription';
    expect(await ask(`${url}/todo/items`, { method: 'POST', body })).toMatchObject({ status: 201 });
    expect(await ask(`${url}/todo/items`)).toMatchObject({ status: 200, body: '' });
    expect((await ask(`${url}/todo/items`, { method: 'POST', body })).status).toBe(404);
  });

  it('reads a folder with the bodies beside the mappings', async () => {
    const url = await serve(folderSample('wiremock', 'wiremock/folder'));
    const answer = await ask(`${url}/api/mytest`);
    expect(answer).toMatchObject({ status: 200, type: 'application/json' });
    expect((await ask(`${url}/api/mytest/more`)).status).toBe(404);
  });

  it('translates templates, matchers, delays and faults, and says what has no counterpart', async () => {
    const stub = {
      mappings: [
        {
          name: 'order',
          priority: 1,
          request: {
            method: 'POST',
            urlPathTemplate: '/orders/{id}',
            headers: { 'X-Team': { equalTo: 'A*', caseInsensitive: true } },
            queryParameters: { page: { matches: '[0-9]+' } },
            bodyPatterns: [
              { equalToJson: '{"n": 2}', ignoreExtraElements: true },
              { matchesJsonPath: { expression: '$.items[?(@.sku)].sku', contains: 'T' } },
            ],
          },
          response: {
            status: 201,
            headers: { 'Content-Type': 'text/plain' },
            body: "{{request.path.id}} {{jsonPath request.body '$.n'}} {{upper request.query.page}} {{#if request.query.page}}yes{{else}}no{{/if}} {{#each (parseJson request.body 'x')}}{{/each}}",
            transformers: ['response-template'],
            fixedDelayMilliseconds: 1,
          },
        },
        { request: { urlPath: '/broken' }, response: { fault: 'EMPTY_RESPONSE' } },
        { request: { urlPath: '/plain' }, response: { body: '{{request.path}}' } },
        { request: { urlPath: '/on' }, response: { proxyBaseUrl: 'http://other' } },
      ],
    };
    const content = JSON.stringify(stub);
    const url = await serve({ format: 'wiremock', name: '', content });
    const options = {
      method: 'POST',
      headers: { 'X-Team': 'a*' },
      body: JSON.stringify({ n: 2, more: 1, items: [{ sku: 'T1' }] }),
    };
    expect(await ask(`${url}/orders/7?page=3`, options)).toMatchObject({
      status: 201,
      body: "7 2 3 yes {{#each (parseJson request.body 'x')}}{{/each}}",
    });
    expect((await ask(`${url}/orders/7?page=x`, options)).status).toBe(404);
    await expect(fetch(`${url}/broken`)).rejects.toThrow();
    expect((await ask(`${url}/plain`)).body).toBe('{{request.path}}');
    const { report } = convertText(content);
    expect(report.refused.map(({ message }) => message)).toEqual([
      "the template {{#each (parseJson request.body 'x')}} has no counterpart; it is sent as it is written",
      'a stub that passes requests on to another server is left out',
    ]);
  });
});

describe('Postman', () => {
  it('keeps path parameters and examples', async () => {
    const url = await serve(sample('postman', 'postman/multiple-path-variables.json'));
    const { status } = await ask(`${url}/api/path_with_multiple_pathvars/1/2/3`);
    expect(status).toBe(200);
    expect((await ask(`${url}/api/path_with_multiple_pathvars/1/2`)).status).toBe(404);
  });

  it('answers further examples of a request by the headers of its mock servers', async () => {
    const request = { method: 'GET', url: '{{baseUrl}}/users/:id' };
    const example = (name: string, code: number, body: string): object => ({
      name,
      code,
      originalRequest: request,
      header: [{ key: 'Content-Type', value: 'application/json' }],
      body,
    });
    const collection = {
      info: { schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
      item: [
        {
          name: 'user',
          request,
          response: [example('found', 200, '{"id":"7"}'), example('none', 404, '{}')],
        },
      ],
    };
    const url = await serve({ format: 'postman', name: '', content: JSON.stringify(collection) });
    expect(await ask(`${url}/users/7`)).toMatchObject({ status: 200, body: { id: '7' } });
    expect(await ask(`${url}/users/7`, { headers: { 'x-mock-response-code': '404' } })).toMatchObject({
      status: 404,
      body: {},
    });
  });
});

describe('curl', () => {
  it('matches what a command sends', async () => {
    const content = `curl -X PUT 'http://api.test/a%20b?q=1' -H 'Content-Type: application/json' -d '{"n": 1}'\ncurl api.test/login -u ann:x -d "user=ann&role=b*"`;
    const url = await serve({ format: 'curl', name: '', content });
    expect(
      (
        await ask(`${url}/a%20b?q=1`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: '{"n":1}',
        })
      ).status,
    ).toBe(200);
    expect(
      (
        await ask(`${url}/a%20b?q=2`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: '{"n":1}',
        })
      ).status,
    ).toBe(404);
    const login = {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('ann:x')}` },
      body: new URLSearchParams({ user: 'ann', role: 'b*' }),
    };
    expect((await ask(`${url}/login`, login)).status).toBe(200);
    expect((await ask(`${url}/login`, { ...login, headers: {} })).status).toBe(404);
  });
});

describe('Mockoon', () => {
  it('answers by rules, and by the default where none holds', async () => {
    const url = await serve(sample('mockoon', 'mockoon/rules.json'));
    expect((await ask(`${url}/rules/1x`)).status).toBe(200);
    expect((await ask(`${url}/rules/2?obj[prop2]=value2`)).status).toBe(200);
    expect((await ask(`${url}/rules/2`)).status).toBe(404);
    const { report } = convert(sample('mockoon', 'mockoon/rules.json'));
    expect(report.refused.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('a rule on request_number'),
    );
  });

  it('translates templates, and serves data buckets and CRUD routes', async () => {
    const environment = {
      lastMigration: 33,
      endpointPrefix: 'api',
      headers: [{ key: 'X-All', value: 'yes' }],
      data: [{ id: 'b1', name: 'users', value: '[{"id":"u1","name":"Ann"}]' }],
      routes: [
        {
          type: 'http',
          method: 'post',
          endpoint: 'hello/:name',
          responses: [
            {
              default: true,
              statusCode: 201,
              headers: [{ key: 'Content-Type', value: 'text/plain' }],
              body: "{{urlParam 'name'}} {{queryParam 'page' '1'}} {{body 'items.0.id'}} {{#if (eq (queryParam 'page') '2')}}two{{else}}other{{/if}} {{someHelper 'x'}}",
            },
          ],
        },
        { type: 'crud', endpoint: 'users', responses: [{ databucketID: 'b1', crudKey: 'id' }] },
        { type: 'ws', endpoint: 'live', responses: [] },
      ],
    };
    const given = { format: 'mockoon', name: '', content: JSON.stringify(environment) };
    const url = await serve(given);
    const answer = await fetch(`${url}/api/hello/ann?page=2`, {
      method: 'POST',
      body: '{"items":[{"id":7}]}',
    });
    expect([answer.status, answer.headers.get('x-all'), await answer.text()]).toEqual([
      201,
      'yes',
      "ann 2 7 two {{someHelper 'x'}}",
    ]);
    expect(await ask(`${url}/api/users`)).toMatchObject({ body: [{ id: 'u1', name: 'Ann' }] });
    await ask(`${url}/api/users`, { method: 'POST', body: '{"id":"u2","name":"Bob"}' });
    expect(await ask(`${url}/api/users/u2`)).toMatchObject({ status: 200, body: { name: 'Bob' } });
    expect(convert(given).report.refused.map(({ message }) => message)).toEqual([
      "the template {{someHelper 'x'}} has no counterpart; it is sent as it is written",
      'a route of WebSocket is left out',
    ]);
  });
});

describe('mountebank', () => {
  it('answers one after the other, and begins again', async () => {
    const url = await serve(sample('mountebank', 'mountebank/orders.json'));
    const locations = [];
    for (let turn = 0; turn < 3; turn += 1)
      locations.push((await fetch(`${url}/orders`, { method: 'POST' })).headers.get('location'));
    expect(locations.map((location) => location?.slice(-3))).toEqual(['123', '234', '123']);
    expect((await ask(`${url}/orders/234`)).body).toBe('Order 234');
  });

  it('asks for what predicates say', async () => {
    const stubs = [
      {
        predicates: [
          { equals: { method: 'POST', headers: { 'X-A': 'Value' } } },
          { matches: { path: '^/a/[0-9]+$' } },
          { deepEquals: { body: { n: 1 } } },
          { exists: { query: { debug: false } } },
          { not: { contains: { headers: { 'X-B': 'no' } } } },
        ],
        responses: [{ is: { body: { ok: true } }, _behaviors: { wait: 1 } }],
      },
      { predicates: [{ inject: 'x' }], responses: [{ is: {} }] },
    ];
    const given = {
      format: 'mountebank',
      name: '',
      content: JSON.stringify({ imposters: [{ protocol: 'http', stubs }] }),
    };
    const url = await serve(given);
    const options = { method: 'POST', headers: { 'X-A': 'vALUE', 'X-B': 'yes' }, body: '{"n":1}' };
    expect((await ask(`${url}/a/7`, options)).status).toBe(200);
    expect((await ask(`${url}/a/7?debug=1`, options)).status).toBe(404);
    expect((await ask(`${url}/a/x`, options)).status).toBe(404);
    expect(
      (await ask(`${url}/a/7`, { ...options, headers: { ...options.headers, 'X-B': 'no' } })).status,
    ).toBe(404);
    expect(convert(given).report.refused).toHaveLength(2);
  });
});

describe('MockServer', () => {
  it('answers expectations', async () => {
    const url = await serve(sample('mockserver', 'mockserver/initializer.json'));
    expect((await ask(`${url}/simpleSecond`)).body).toBe('some second response');
  });

  it('takes expressions, bodies, times and priorities', async () => {
    const expectations = [
      {
        priority: 1,
        times: { remainingTimes: 1 },
        httpRequest: {
          method: 'POST',
          path: '/a/.*',
          headers: [{ name: 'X-A', values: ['v[0-9]'] }],
          body: { type: 'JSON', json: '{"n": 1}' },
        },
        httpResponse: {
          statusCode: 202,
          headers: { 'X-R': ['1'] },
          body: { type: 'JSON', json: { ok: 1 } },
          delay: { timeUnit: 'MILLISECONDS', value: 1 },
        },
      },
      { httpRequest: { path: '/a/{id}' }, httpResponse: { statusCode: 204 } },
      { httpRequest: { path: '/drop' }, httpError: { dropConnection: true } },
      { httpRequest: { path: '/f' }, httpForward: { host: 'x' } },
    ];
    const given = { format: 'mockserver', name: '', content: JSON.stringify(expectations) };
    const url = await serve(given);
    const options = { method: 'POST', headers: { 'X-A': 'v1' }, body: '{"n":1,"m":2}' };
    expect((await ask(`${url}/a/7`, options)).status).toBe(202);
    expect((await ask(`${url}/a/7`, options)).status).toBe(204);
    await expect(fetch(`${url}/drop`)).rejects.toThrow();
    expect(convert(given).report.refused).toHaveLength(1);
  });
});

describe('nock', () => {
  it('answers what was recorded', async () => {
    const url = await serve({ format: 'nock', name: '', content: JSON.stringify(RECORDED) });
    expect(await ask(`${url}/users/7?full=1`)).toMatchObject({ status: 200, body: { id: 7 } });
    expect((await ask(`${url}/users`, { method: 'POST', body: '{"name":"ann"}' })).status).toBe(201);
    expect((await ask(`${url}/users`, { method: 'POST', body: '{"name":"bob"}' })).status).toBe(404);
  });
});
