import { createHost, type Host } from '@backlot/core';
import { graphql as graphqlKind } from '@backlot/graphql';
import { http as httpKind } from '@backlot/http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { delay, getResponse, graphql, http, HttpResponse, type RequestHandler } from 'msw';
import { convertText, mocksOf } from './support/convert.js';
import { HANDLERS } from './support/events-and-handlers.js';
import { packageFile } from './support/packages.js';
import { runCode } from './support/run-code.js';

const hosts: Host[] = [];

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop(0);
});

async function serve(text: string): Promise<{ readonly url: string; readonly graphqlUrl: string }> {
  const { imported } = convertText(text, 'handlers.ts');
  const { protocols = {} } = imported;
  const host = await createHost({
    protocols: [httpKind, graphqlKind],
    settings: {
      http: { port: 0, ...protocols['http'] },
      graphql: { port: 0, ...protocols['graphql'] },
    },
    seed: 1,
  });
  hosts.push(host);
  await host.start();
  return { url: host.kind('http').url ?? '', graphqlUrl: host.kind('graphql').url ?? '' };
}

function evaluated(): readonly RequestHandler[] {
  return runCode(`${HANDLERS}; return handlers;`, { http, HttpResponse, delay }) as readonly RequestHandler[];
}

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly body: string;
  readonly total: string | null;
  readonly location: string | null;
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const type = response.headers.get('content-type');
  return {
    status: response.status,
    type,
    body: type?.includes('json') === true ? JSON.stringify(JSON.parse(text)) : text,
    total: response.headers.get('x-total'),
    location: response.headers.get('location'),
  };
}

describe('MSW', () => {
  it('answers as MSW itself answers by the same handlers', async () => {
    const { url } = await serve(HANDLERS);
    const handlers = evaluated();
    const requests: readonly (readonly [method: string, path: string, body?: unknown])[] = [
      ['GET', '/api/users/me'],
      ['GET', '/api/users/7'],
      ['GET', '/api/users/a%20b'],
      ['GET', '/api/members'],
      ['GET', '/api/gone'],
      ['POST', '/api/users', { name: 'Tom', tags: ['a', 1] }],
      ['GET', '/api/search?q=tea'],
      ['GET', '/files/a/b.html'],
      ['GET', '/v2/x/1-2.json'],
      ['GET', '/once'],
      ['GET', '/once'],
      ['PUT', '/any'],
      ['DELETE', '/moved'],
    ];
    for (const [method, path, body] of requests) {
      const init = {
        method,
        redirect: 'manual' as const,
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
      };
      const theirs = await getResponse([...handlers], new Request(`http://localhost${path}`, init));
      if (theirs === undefined) throw new Error(`MSW does not answer ${path}`);
      const ours = await answerOf(await fetch(`${url}${path}`, init));
      expect({ path, ...ours }).toEqual({ path, ...(await answerOf(theirs)) });
    }
    expect((await fetch(`${url}/dynamic`)).status).toBe(404);
  });

  it('says of each handler that is not taken why, with its line', () => {
    const { report } = convertText(
      `import { http as mock, HttpResponse, passthrough, ws } from 'msw'
        mock.get('/a', async ({ request }) => { if (await request.json()) return HttpResponse.text('x') })
        mock.get('/b', () => HttpResponse.json({ at: Date.now() }))
        mock.get('/c', () => passthrough())
        mock.get('/d', () => {})
        mock.get(({ request }) => true, () => HttpResponse.text('x'))
        mock.get('/e', resolver)
        mock.get('/f', () => ok ? HttpResponse.text('x') : HttpResponse.error())
        mock.get('/g', () => HttpResponse.json(users.filter((one) => one.id > 1)))
        const chat = ws.link('wss://chat.example.com')
        mock.get('/ok', () => HttpResponse.json({ ok: true }))`,
      'handlers.ts',
    );
    expect(report.refused).toEqual(
      [
        ['line 2', '"get" "/a" is left out: its answer depends on what "if" says when the code runs'],
        [
          'line 3',
          '"get" "/b" is left out: it needs a call of "Date.now", which is known when the code runs',
        ],
        ['line 4', '"get" "/c" is left out: it answers what "passthrough" gives when the code runs'],
        ['line 5', '"get" "/d" is left out: it answers nothing, and leaves the request to others'],
        ['line 6', '"get" is left out: it needs a function'],
        ['line 7', '"get" "/e" is left out: what answers is no function that stands in the file'],
        ['line 8', '"get" "/f" is left out: its answer is known when the code runs'],
        [
          'line 9',
          '"get" "/g" is left out: it needs a call of "users.filter", which is known when the code runs',
        ],
        ['line 10', 'handlers of WebSocket are code that runs for each connection'],
      ].map(([place, message]) => ({ place, message, count: 1 })),
    );
    expect(report.taken).toEqual({ 'http mocks': 1 });
  });

  it('takes the handlers of version 1', () => {
    const { imported } = convertText(
      `const { rest } = require('msw');
       module.exports = [
         rest.get('https://api.example.com/users/:id?x=1', (req, res, ctx) => {
           const { id } = req.params
           return res(ctx.status(203), ctx.set('X-A', 'b'), ctx.json({ id, q: req.url.searchParams.get('q') }), ctx.delay(150))
         }),
         rest.post('/login', (req, res, ctx) => res.once(ctx.cookie('sid', 'abc'), ctx.text('in'))),
         rest.get('/down', (_req, res) => res.networkError('down')),
         graphql.query('GetUser', (req, res, ctx) => res(ctx.data({ user: { id: req.variables.id } }))),
         graphql.mutation('Fail', (req, res, ctx) => res(ctx.errors([{ message: 'no' }]))),
       ]`,
      'handlers.js',
    );
    expect(mocksOf({ imported })).toEqual([
      {
        id: 'get-users-id',
        request: { method: 'GET', path: '/users/{id}' },
        response: {
          status: 203,
          headers: { 'Content-Type': 'application/json', 'X-A': 'b' },
          json: { id: '{{request.params.id}}', q: '{{request.query.q}}' },
          delay: '150ms',
        },
      },
      {
        id: 'post-login',
        request: { method: 'POST', path: '/login' },
        response: {
          status: 200,
          headers: { 'Content-Type': 'text/plain', 'Set-Cookie': 'sid=abc' },
          body: 'in',
        },
        times: 1,
      },
      { id: 'get-down', request: { method: 'GET', path: '/down' }, response: { broken: 'reset' } },
    ]);
    expect(imported.protocols?.['graphql']?.['mocks']).toEqual([
      {
        id: 'GetUser',
        operation_type: 'query',
        operation_name: 'GetUser',
        response: { data: { user: { id: '{{request.variables.id}}' } } },
      },
      { id: 'Fail', operation_type: 'mutation', operation_name: 'Fail', errors: [{ message: 'no' }] },
    ]);
  });

  it('answers operations of GraphQL as MSW does', async () => {
    const text = `graphql.query('Pets', ({ variables }) => HttpResponse.json({ data: { pets: [{ name: 'Tom', of: variables.of }] } }))`;
    const { graphqlUrl } = await serve(`import { graphql, HttpResponse } from 'msw'\n${text}`);
    const handler = runCode(`return ${text}`, { graphql, HttpResponse }) as RequestHandler;
    const init = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        query: 'query Pets($of: ID) { pets(of: $of) { name of } }',
        variables: { of: '9' },
      }),
    };
    const theirs = await getResponse([handler], new Request('http://localhost/graphql', init));
    expect(await (await fetch(graphqlUrl, init)).json()).toEqual(await theirs?.json());
  });

  it.each([
    ['msw/src/core/utils/handleRequest.test.ts', 10],
    ['msw/src/core/getResponse.test.ts', 4],
    ['msw/README.md', 2],
  ])('takes handlers of %s, which stands in the package of MSW', async (path, least) => {
    const { imported, report } = convertText(packageFile(path), path);
    expect(report.format).toBe('msw');
    const mocks = mocksOf({ imported });
    expect(mocks.length).toBeGreaterThanOrEqual(least);
    const host = await createHost({
      protocols: [httpKind],
      settings: { http: { port: 0, ...imported.protocols?.['http'] } },
    });
    hosts.push(host);
    await host.start();
    const { url = '' } = host.kind('http');
    const asked = path.endsWith('README.md') ? '/octocat' : '/user';
    expect((await fetch(`${url}${asked}`)).ok).toBe(true);
  });
});
