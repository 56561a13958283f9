import { Server, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import express, { type ErrorRequestHandler, type Express } from 'express';
import { createHost, type Host } from '@backlot/core';
import { Type } from '@backlot/core/plugin';
import { createManagementRouter, createManagementServer, type ManagementRoute } from '../src/index.js';
import { echo } from './support/echo.js';
import { openEvents } from './support/event-reader.js';
import { plain } from './support/plain.js';

const running: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of running.splice(0).reverse()) await stop();
});

async function makeHost(): Promise<Host> {
  const host = await createHost({ protocols: [echo, plain], settings: { echo: {}, 'plain-text': {} } });
  await host.start();
  running.push(() => host.stop(0));
  return host;
}

/** Serves an application of a user, or a server that does not listen yet. */
async function serve(served: Express | Server): Promise<string> {
  const server = served instanceof Server ? served : createServer(served);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  running.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function get(url: string, init: RequestInit = {}): Promise<[status: number, body: unknown]> {
  const response = await fetch(url, init);
  const text = await response.text();
  return [response.status, text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text];
}

const hello: ManagementRoute = {
  method: 'POST',
  path: '/api/greetings/{name}',
  name: 'greet',
  tag: 'Greetings',
  summary: 'Creates a mock that greets.',
  query: { loud: Type.Boolean({ description: 'Whether to shout.' }) },
  body: Type.Object({ word: Type.Optional(Type.String()) }, { additionalProperties: false }),
  responses: { 201: { description: 'The mock.' } },
  handle({ params, query, body, mountPath }, host) {
    const { word = 'hello' } = body as { word?: string };
    const text = `${word} ${params['name']}`;
    const answer = query['loud'] === 'true' ? text.toUpperCase() : text;
    const mock = host.kind('echo').mocks.create({ answer });
    return { status: 201, body: { answer: mock['answer'], at: mountPath } };
  },
};

describe('an application with routes and middleware of its own', () => {
  it('keeps them, before and after the router', async () => {
    const host = await makeHost();
    const app = express();
    const seen: string[] = [];
    app.use((request, response, next) => {
      response.setHeader('X-Mine', 'yes');
      response.on('finish', () =>
        seen.push(`${request.method} ${request.originalUrl} ${response.statusCode}`),
      );
      next();
    });
    app.use(express.json(), express.urlencoded({ extended: true }));
    app.get('/mocks/api/before', (_request, response) => void response.send('before'));
    app.use('/mocks', createManagementRouter(host));
    app.get('/mocks/after', (request, response) => void response.json(request.query));
    app.get('/api/mine', (_request, response) => void response.send('mine'));
    app.get('/broken', () => {
      throw new Error('mine is broken');
    });
    app.use(((error: Error, _request, response, _next) => {
      response.status(500).send(`app: ${error.message}`);
    }) satisfies ErrorRequestHandler);
    const url = await serve(app);

    expect(await get(`${url}/mocks/api/before`)).toEqual([200, 'before']);
    expect(await get(`${url}/mocks/after?a[b]=1`)).toEqual([200, { 'a[b]': '1' }]);
    expect(await get(`${url}/api/mine`)).toEqual([200, 'mine']);
    expect(await get(`${url}/broken`)).toEqual([500, 'app: mine is broken']);
    expect((await get(`${url}/mocks`))[0]).toBe(404);
    expect((await get(`${url}/mocks/apiary`))[0]).toBe(404);

    const created = await fetch(`${url}/mocks/api/mocks/plain-text`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"id": "a/b c"}',
    });
    expect([created.status, created.headers.get('x-mine')]).toEqual([201, 'yes']);
    expect(await get(`${url}/mocks/api/mocks/plain-text/a%2Fb%20c`)).toEqual([200, { id: 'a/b c' }]);
    expect(seen).toContain('POST /mocks/api/mocks/plain-text 201');
    // What the interface says of its answers is not said of those of the application.
    expect(created.headers.get('x-frame-options')).toBe('DENY');
    expect((await fetch(`${url}/api/mine`)).headers.get('x-frame-options')).toBeNull();
  });

  it.each([false, 'simple', 'extended'])('may read its queries in its own way: %s', async (parser) => {
    const host = await makeHost();
    for (const id of ['a', 'b', 'c']) host.kind('echo').mocks.create({ id });
    const app = express().set('query parser', parser);
    app.use('/mocks', createManagementRouter(host));
    const url = await serve(app);
    const list = `${url}/mocks/api/mocks/echo`;
    expect(await get(`${list}?limit=1&after=a`)).toEqual([200, [{ id: 'b' }]]);
    expect((await get(`${list}?limit[]=1`))[1]).toMatchObject({
      error: 'query parameter "limit[]" is not known here; known are unused, limit, after',
    });
  });

  it('gets errors, methods and paths of the interface in the words of the interface', async () => {
    const app = express();
    app.use('/mocks', createManagementRouter(await makeHost()));
    const url = await serve(app);
    const api = `${url}/mocks/api`;
    expect(await get(`${api}/nothing`)).toEqual([
      404,
      { error: 'there is no "/mocks/api/nothing"; GET /mocks/api/docs lists what there is' },
    ]);
    expect((await get(`${api}/mocks/gopher`))[1]).toEqual({
      error: 'protocol "gopher" is not installed; installed are echo, plain-text',
    });
    for (const path of ['/health/', '/Health', '', '/', '//health', '/mocks/echo/%ff', '/mocks/echo/a%00b']) {
      const [status, body] = await get(api + path);
      expect([path, status, body]).toEqual([
        path,
        path.includes('%') ? 400 : 404,
        { error: expect.any(String) },
      ]);
    }
    // As a proxy sends it.
    const absolute = await new Promise((resolve) => {
      request(url, { path: 'http://localhost/mocks/api/%68ealth' }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
    expect(absolute).toBe(200);
    const wrong = await fetch(`${api}/logs`, { method: 'PUT' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, DELETE, HEAD, OPTIONS']);
    const options = await fetch(`${api}/logs/count`, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
    const head = await fetch(`${api}/protocols`, { method: 'HEAD' });
    expect([head.status, Number(head.headers.get('content-length')) > 0]).toEqual([200, true]);
  });

  it('is protected like the port itself', async () => {
    const app = express();
    const options = { token: 'secret', allowedOrigins: ['https://app.example'] };
    app.use('/mocks', createManagementRouter(await makeHost(), options));
    app.get('/mine', (_request, response) => void response.send('mine'));
    const url = await serve(app);
    const state = `${url}/mocks/api/state`;
    const authorization = 'Bearer secret';
    expect((await get(state))[0]).toBe(401);
    expect((await get(`${url}/mocks/api/nothing`))[0]).toBe(401);
    expect(await get(state, { headers: { authorization } })).toEqual([200, {}]);
    expect((await get(state, { headers: { authorization, origin: 'https://evil.test' } }))[0]).toBe(403);
    expect(await get(`${url}/mocks/api/health`)).toEqual([200, { status: 'ok' }]);
    const origin = 'https://app.example';
    const preflight = await fetch(state, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', authorization };
    // What fetch says of itself cannot be said by its caller.
    const refused = await new Promise<string>((resolve) => {
      request(state, { headers: link }, (response) => {
        response.setEncoding('utf8').on('data', resolve);
      }).end();
    });
    expect(refused).toContain('other sites may link to /mocks/api/docs');
    expect(await get(`${url}/mine`, { headers: { origin: 'https://evil.test' } })).toEqual([200, 'mine']);
  });
});

describe('below a path', () => {
  it('the page leads to the description, and the description to the routes', async () => {
    const app = express();
    const router = createManagementRouter(await makeHost());
    app.use('/tools/mocks', router);
    app.use('/tenants/:tenant', router);
    const url = await serve(app);
    for (const mount of ['/tools/mocks', '/tenants/a', '/tenants/b', '/tools/mocks']) {
      const docs = `${url}${mount}/api/docs`;
      const page = await (await fetch(docs)).text();
      expect(page).toContain(`All paths are below <code>${mount}</code>.`);
      const [, href = ''] = /<a href="([^"#]+)"/.exec(page) ?? [];
      const described = new URL(href, docs);
      expect(described.href).toBe(`${url}${mount}/api/openapi.json`);
      const document = (await (await fetch(described)).json()) as {
        servers: { url: string }[];
        paths: Record<string, Record<string, unknown>>;
      };
      expect(document.servers).toEqual([{ url: mount }]);
      for (const [path, methods] of Object.entries(document.paths)) {
        // A flight recorder is what the app brings, and the certificate is there with TLS alone.
        if (path === '/api/flight' || path === '/api/ca.pem') continue;
        if (methods['get'] === undefined || path.includes('{')) continue;
        const asked = new URL(`${document.servers[0]?.url}${path}`, described);
        expect([path, (await fetch(asked, { method: 'HEAD' })).status]).toEqual([path, 200]);
      }
    }
  });

  it('the description names the public url where there is one', async () => {
    const app = express();
    app.use('/mocks', createManagementRouter(await makeHost(), { publicUrl: 'https://mocks.example' }));
    const url = await serve(app);
    expect((await get(`${url}/mocks/api/openapi.json`))[1]).toMatchObject({
      servers: [{ url: 'https://mocks.example' }],
    });
  });

  it('streams stream', async () => {
    const host = await makeHost();
    const app = express();
    app.use('/mocks', createManagementRouter(host));
    const url = await serve(app);
    const reader = await openEvents(`${url}/mocks/api/logs/stream?protocol=echo`);
    expect(reader.status).toBe(200);
    const created = await get(`${url}/mocks/api/mocks/echo`, { method: 'POST', body: '{"id": "a"}' });
    expect(created[0]).toBe(201);
    const { connect } = await import('node:net');
    const client = connect(host.kind('echo').address?.port ?? 0, '127.0.0.1', () => client.write('SAY x\n'));
    expect(JSON.parse((await reader.next()).data ?? '')).toMatchObject({ protocol: 'echo', matched_id: 'a' });
    client.destroy();
    reader.close();
  });

  it('two hosts are two interfaces', async () => {
    const [one, other] = [await makeHost(), await makeHost()];
    const app = express();
    app.use('/one', createManagementRouter(one));
    app.use('/other', createManagementRouter(other, { token: 'secret' }));
    const url = await serve(app);
    await get(`${url}/one/api/state`, { method: 'POST', body: '{"k": "v"}' });
    expect([one.state.size, other.state.size]).toEqual([1, 0]);
    expect((await get(`${url}/other/api/state`))[0]).toBe(401);
  });
});

describe('routes of a user', () => {
  it('are served by the server of the interface too', async () => {
    const own = express.Router();
    own.get('/words', (asked, response) => void response.json(asked.query));
    const server = createManagementServer(await makeHost(), { use: [own], routes: [hello] });
    const url = await serve(server);
    expect(await get(`${url}/api/words?a=1`)).toEqual([200, { a: '1' }]);
    expect(await get(`${url}/api/greetings/Ada`, { method: 'POST', body: '{}' })).toEqual([
      201,
      { answer: 'hello Ada', at: '' },
    ]);
  });

  it('as data are mounted, checked and described as all others', async () => {
    const app = express();
    app.use('/mocks', createManagementRouter(await makeHost(), { routes: [hello], token: 'secret' }));
    const url = `${await serve(app)}/mocks/api`;
    const headers = { authorization: 'Bearer secret' };
    const post = (path: string, body: string): Promise<[number, unknown]> =>
      get(url + path, { method: 'POST', body, headers });
    expect(await post('/greetings/Ada', '{}')).toEqual([201, { answer: 'hello Ada', at: '/mocks' }]);
    expect(await post('/greetings/A%2Fb?loud=true', '{"word": "hi"}')).toEqual([
      201,
      { answer: 'HI A/B', at: '/mocks' },
    ]);
    expect((await post('/greetings/Ada?quiet=true', '{}'))[1]).toMatchObject({
      error: 'query parameter "quiet" is not known here; known are loud',
    });
    expect((await post('/greetings/Ada', '{"word": 1}'))[0]).toBe(400);
    expect((await get(`${url}/greetings/Ada`, { method: 'POST', body: '{}' }))[0]).toBe(401);
    const wrong = await fetch(`${url}/greetings/Ada`, { headers });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
    const [, document] = await get(`${url}/openapi.json`, { headers });
    expect(document).toMatchObject({
      paths: { '/api/greetings/{name}': { post: { operationId: 'greet', tags: ['Greetings'] } } },
    });
    expect((await get(`${url}/docs`, { headers }))[1]).toContain('<code>/api/greetings/{name}</code>');
  });

  it('are refused at once when they cannot be mounted', async () => {
    const host = await makeHost();
    const make = (route: Partial<ManagementRoute>) => () =>
      createManagementRouter(host, { routes: [{ ...hello, ...route }] });
    expect(make({ path: '/greetings' })).toThrow('the path of route greet is /greetings; the paths of');
    expect(make({ path: '/api/mocks/echo' })).toThrow('two routes answer POST /api/mocks/echo');
    expect(make({ method: 'DELETE', path: '/api/state/{name}' })).toThrow('two routes answer DELETE');
    expect(make({ name: 'reset' })).toThrow('two routes are named reset');
  });

  it('as Express handlers stand behind the same checks and before the 404', async () => {
    const own = express.Router();
    own.get('/greetings/:name', (request, response) => void response.json({ hello: request.params.name }));
    own.put('/health', (_request, response) => void response.send('healed'));
    own.post('/strict', express.json(), (request, response) => void response.json(request.body));
    own.get('/broken', () => Promise.reject(new Error('it fell off')));
    const failed: string[] = [];
    const app = express();
    const router = createManagementRouter(await makeHost(), {
      use: [own],
      token: 'secret',
      onError: (_thrown, { method, path }) => failed.push(`${method} ${path}`),
    });
    app.use('/mocks', router);
    const url = `${await serve(app)}/mocks/api`;
    const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' };
    expect(await get(`${url}/greetings/Ada`, { headers })).toEqual([200, { hello: 'Ada' }]);
    expect(await get(`${url}/health`, { method: 'PUT', headers })).toEqual([200, 'healed']);
    expect((await get(`${url}/greetings/Ada`))[0]).toBe(401);
    expect((await get(`${url}/greetings/Ada`, { headers: { ...headers, origin: 'null' } }))[0]).toBe(403);
    expect((await get(`${url}/greetings`, { headers }))[0]).toBe(404);
    expect(await get(`${url}/strict`, { method: 'POST', body: '{', headers })).toEqual([
      400,
      { error: expect.any(String) },
    ]);
    expect(failed).toEqual([]);
    expect(await get(`${url}/broken`, { headers })).toEqual([500, { error: 'internal error: it fell off' }]);
    expect(failed).toEqual(['GET /mocks/api/broken']);
    const answer = await fetch(`${url}/greetings/Ada`, { headers });
    expect(answer.headers.get('x-frame-options')).toBe('DENY');
  });
});

describe('a server of its own', () => {
  it('leaves requests and answers the prototypes that they were made with', async () => {
    const prototypes = (request: object, response: object): unknown[] => [
      Object.getPrototypeOf(request),
      Object.getPrototypeOf(response),
    ];
    let made: unknown[] = [];
    let routed: unknown[] = [];
    const server = createManagementServer(await makeHost(), {
      page(request, response) {
        routed = prototypes(request, response);
        response.json({ path: request.path, isOfApp: request.app === response.app });
      },
    });
    server.prependListener('request', (request, response) => {
      made = prototypes(request, response);
    });
    const url = await serve(server);
    expect(await get(`${url}/page`)).toEqual([200, { path: '/page', isOfApp: true }]);
    expect(made).toHaveLength(2);
    expect(made[0]).toBe(routed[0]);
    expect(made[1]).toBe(routed[1]);
  });
});
