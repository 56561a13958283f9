import { get, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { createHost } from '@backlot/core';
import { Type, type Protocol } from '@backlot/core/plugin';
import { allRoutes, createManagementRouter, createOpenApiDocument } from '../src/index.js';
import { echo } from './support/echo.js';
import { expand } from './support/expand.js';
import { plain } from './support/plain.js';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

async function validate(document: unknown): Promise<unknown> {
  return new Validator().validate(structuredClone(document) as Record<string, unknown>);
}

/** What is answered, as it goes over the wire. */
async function read(
  url: string,
  encoding: string,
): Promise<{ readonly headers: IncomingHttpHeaders; readonly bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': encoding }, agent: false }, (response) => {
      buffer(response).then((bytes) => resolve({ headers: response.headers, bytes }), reject);
    }).on('error', reject);
  });
}

describe('the OpenAPI document', () => {
  it('is valid and says what it is', async () => {
    const { call } = await start();
    const { body, headers } = await call('GET', '/api/openapi.json');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await validate(body)).toEqual({ valid: true });
    expect(body).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Backlot management', version: '1.0.0', license: { name: 'MIT', identifier: 'MIT' } },
    });
    expect(body.security).toEqual([{}, { bearer: [] }]);
    expect(await validate({ ...body, paths: { '/x': { get: { responses: 7 } } } })).toMatchObject({
      valid: false,
    });
  });

  it('is packed for who takes that, and the page of it too', async () => {
    const { url } = await start();
    for (const path of ['/api/openapi.json', '/api/docs']) {
      const plain = await read(`${url}${path}`, 'identity');
      const packed = await read(`${url}${path}`, 'br, gzip');
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(packed.headers['content-encoding']).toBe('gzip');
      expect(packed.headers.vary).toBe('Origin, Accept-Encoding');
      const refused = await read(`${url}${path}`, 'gzip;q=0, identity');
      expect(refused.bytes.equals(plain.bytes)).toBe(true);
      expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 4);
    }
  });

  it('is valid with a token', async () => {
    const host = await createHost({ protocols: [echo] });
    const document = createOpenApiDocument(host, { token: 't', publicUrl: 'https://mock.example' });
    expect(await validate(document)).toEqual({ valid: true });
    expect(document.components['securitySchemes']).toMatchObject({ bearer: { scheme: 'bearer' } });
    expect(document.security).toEqual([{ bearer: [] }]);
    expect(document.servers).toEqual([{ url: 'https://mock.example' }]);
    await host.stop(0);
  });

  it('has every route, once, and nothing else', async () => {
    const { host, call } = await start();
    const { body } = await call('GET', '/api/openapi.json');
    const documented = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const mounted = allRoutes(host).map(({ method, path }) => `${method} ${path}`);
    expect([...documented].sort()).toEqual([...mounted].sort());
    expect(new Set(mounted).size).toBe(mounted.length);
    const ids = Object.values(body.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
      (methods) => Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(mounted.length);
  });

  it('gives every list that grows in pages', async () => {
    const { call } = await start();
    const { body } = await call('GET', '/api/openapi.json');
    type Any = ReturnType<typeof JSON.parse>;
    const resolve = (value: Any): Any =>
      value?.$ref === undefined
        ? value
        : (value.$ref as string)
            .split('/')
            .slice(1)
            .reduce((inner, key) => inner[key], body);
    const lists = Object.entries(body.paths as Record<string, Any>).filter(
      ([, { get }]) =>
        resolve(resolve(get?.responses['200'])?.content?.['application/json']?.schema)?.type === 'array',
    );
    expect(lists.length).toBeGreaterThan(15);
    const whole = lists
      .filter(([, { get }]) => {
        const names = (get.parameters ?? []).map((parameter: unknown) => resolve(parameter).name);
        return !(names.includes('limit') && names.includes('after'));
      })
      .map(([path]) => path);
    expect(whole).toEqual([
      // The places of data that a kind has.
      '/api/echo/data',
      // What acts now, from a hundred toxics that are set and from active scenarios: these have no ids of their own.
      ...['echo', 'plain-text', 'asleep'].map((kind) => `/api/toxics/${kind}/effective`),
      '/api/troubles',
      // Protocols that have a contract.
      '/api/coverage',
      // Formats, as many as the installed kinds have.
      '/api/import',
    ]);
  });

  it('documents only what is really answered', async () => {
    const { call } = await start();
    const { body } = await call('GET', '/api/openapi.json');
    for (const [path, methods] of Object.entries(body.paths as Record<string, object>)) {
      if (path === '/api/logs/stream') continue;
      const there = path.replaceAll(/\{\w+\}/g, 'none');
      const { headers } = await call('OPTIONS', there);
      const allowed = (headers.get('allow') ?? '')
        .split(', ')
        .filter((method) => !['HEAD', 'OPTIONS'].includes(method));
      const documented = Object.keys(methods).map((method) => method.toUpperCase());
      expect([path, documented.every((method) => allowed.includes(method))]).toEqual([path, true]);
    }
  });

  it('holds the schemas of the kinds: the fields of all mocks and their own', async () => {
    const { call } = await start();
    const { body } = await call('GET', '/api/openapi.json');
    const { schemas } = body.components;
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining([
        'Error',
        'LogEntry',
        'EchoMock',
        'EchoFault',
        'EchoMessage',
        'EchoPatch',
        'EchoTarget',
        'PlainTextMock',
      ]),
    );
    expect(Object.keys(schemas.EchoMock.properties)).toEqual(
      expect.arrayContaining(['id', 'priority', 'state', 'delay', 'times', 'expires', 'match', 'answer']),
    );
    expect(Object.keys(schemas.EchoFault.properties)).toEqual(
      expect.arrayContaining(['delay', 'error_rate', 'text']),
    );
    const create = body.paths['/api/mocks/echo'].post.requestBody.content['application/json'];
    expect(create.schema.anyOf).toEqual([
      { $ref: '#/components/schemas/EchoMock' },
      { type: 'array', minItems: 1, items: { $ref: '#/components/schemas/EchoMock' } },
    ]);
    expect(create.examples).toEqual({ example1: { value: { match: 'hello', answer: 'world' } } });
    const { limit, after, ...others } = Object.fromEntries(
      (expand(body.paths['/api/mocks/echo'].get.parameters, body) as { name: string }[]).map((each) => [
        each.name,
        each,
      ]),
    );
    expect([...Object.values(others), limit, after]).toEqual([
      { name: 'unused', in: 'query', description: expect.any(String), schema: { type: 'boolean' } },
      {
        name: 'limit',
        in: 'query',
        description: expect.any(String),
        schema: { type: 'integer', minimum: 0 },
      },
      {
        name: 'after',
        in: 'query',
        description: expect.any(String),
        schema: { type: 'string', minLength: 1 },
      },
    ]);
    expect(body.paths['/api/mocks/plain-text/{id}'].patch).toBeUndefined();
  });

  it('writes what stands in many places once, under a name', async () => {
    const field = Type.Object({ long: Type.String({ description: 'A text. '.repeat(60) }) });
    const protocols = ['one', 'two', 'three'].map((kind): Protocol => ({
      ...plain,
      kind,
      mocks: { ...plain.mocks, schema: Type.Object({ ...plain.mocks.schema.properties, field }) },
    }));
    const host = await createHost({ protocols });
    const document = createOpenApiDocument(host);
    expect(await validate(document)).toEqual({ valid: true });
    const text = JSON.stringify(document);
    expect(text.match(/(?:A text[.] ){60}/g)).toHaveLength(1);
    const schemas = document.components['schemas'] as Record<string, { properties: object }>;
    expect(schemas['TwoMock']?.properties).toMatchObject({ field: { $ref: '#/components/schemas/Field' } });
    expect(schemas['Field']).toMatchObject({ properties: { long: { type: 'string' } } });
    expect(expand(document.paths, document)).toMatchObject({
      '/api/mocks/one/{id}': {
        get: {
          parameters: [{ name: 'id', in: 'path' }],
          responses: {
            200: {
              content: {
                'application/json': { schema: { properties: { field: { type: 'object' } } } },
              },
            },
            default: {
              content: { 'application/json': { schema: { properties: { error: { type: 'string' } } } } },
            },
          },
        },
      },
    });
    await host.stop(0);
  });

  it('names schemas that refer to themselves', async () => {
    const tree = Type.Recursive((self) => Type.Object({ of: Type.Array(self) }), { $id: 'tree-of/x' });
    const protocol = { ...plain, capture: { schema: Type.Object({ tree }) } } as Protocol;
    const host = await createHost({ protocols: [protocol] });
    const document = createOpenApiDocument(host);
    expect(await validate(document)).toEqual({ valid: true });
    expect((document.components['schemas'] as Record<string, unknown>)['Recursivetreeofx']).toMatchObject({
      properties: { of: { items: { $ref: '#/components/schemas/Recursivetreeofx' } } },
    });
    await host.stop(0);
  });
});

describe('the page', () => {
  it('shows every route and loads nothing', async () => {
    const { call, host } = await start();
    const { text, headers } = await call('GET', '/api/docs');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    for (const { path } of allRoutes(host)) expect(text).toContain(`<code>${path}</code>`);
    expect(text).not.toMatch(/<script|<link|<img|src=|url\(/);
  });

  it('shows the words of plugins as words', async () => {
    const evil: Protocol = { ...plain, meta: { ...plain.meta, title: '<script>alert("1")</script>' } };
    const { call } = await start({}, { protocols: [evil] });
    const { text } = await call('GET', '/api/docs');
    expect(text).not.toContain('<script>');
    expect(text).toContain('&lt;script&gt;');
  });
});

describe('routes', () => {
  it('that two plugins declare are refused when they are mounted', async () => {
    const twin: Protocol = {
      ...plain,
      kind: 'twin',
      capture: { schema: Type.Object({}), path: '/api/state' },
    };
    const host = await createHost({ protocols: [twin] });
    expect(() => createManagementRouter(host)).toThrow(
      'two routes answer GET /api/state; a plugin must choose another path',
    );
    await host.stop(0);
  });

  it('whose names are not unique are refused when they are mounted', async () => {
    const route = {
      method: 'GET',
      path: '/api/twin/x',
      name: 'getHealth',
      tag: 't',
      summary: 's',
      responses: {},
      handle: () => ({ body: 1 }),
    } as const;
    const host = await createHost({ protocols: [{ ...plain, routes: [route] }] });
    expect(() => createManagementRouter(host)).toThrow('two routes are named getHealth');
    await host.stop(0);
  });
});
