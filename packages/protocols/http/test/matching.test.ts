import { afterEach, describe, expect, it } from '@jest/globals';
import { problemsOf } from '@backlot/conformance';
import { startHttp, stopAll, type HttpHost } from './support/http-host.js';

afterEach(stopAll);

async function idOf(server: HttpHost, path: string, init?: RequestInit): Promise<string> {
  const answer = await fetch(server.url + path, init);
  return answer.status === 404 ? 'none' : answer.text();
}

/** A mock that answers with its id. */
function mock(id: string, request: object, more: object = {}): object {
  return { id, request, response: { body: id }, ...more };
}

async function reasonOf(server: HttpHost, path: string, init?: RequestInit): Promise<string> {
  const answer = await fetch(server.url + path, init);
  const { near_misses: misses } = (await answer.json()) as { near_misses: { reason: string }[] };
  return misses[0]?.reason ?? '';
}

describe('method', () => {
  it('compares without case, takes any for * and absent, and answers HEAD by GET', async () => {
    const server = await startHttp([
      mock('get', { method: 'get', path: '/a' }),
      mock('put', { method: 'PUT', path: '/a' }),
      mock('any', { method: '*', path: '/b' }),
      mock('absent', { path: '/c' }),
      mock('query', { method: 'QUERY', path: '/a' }),
    ]);
    expect(await idOf(server, '/a')).toBe('get');
    expect(await idOf(server, '/a', { method: 'PUT' })).toBe('put');
    expect(await idOf(server, '/b', { method: 'DELETE' })).toBe('any');
    expect(await idOf(server, '/c', { method: 'PATCH' })).toBe('absent');
    expect(await idOf(server, '/a', { method: 'DELETE' })).toBe('none');
    expect((await fetch(`${server.url}/a`, { method: 'HEAD' })).status).toBe(200);
    expect(await reasonOf(server, '/a', { method: 'DELETE' })).toBe('method: got "DELETE", want "GET"');
    const { mocks } = server.host.kind('http');
    expect(problemsOf(() => mocks.create(mock('bad', { method: 'GET /', path: '/a' })))[0]).toMatch(
      /"GET \/" is not a method/,
    );
  });
});

describe('path', () => {
  it('matches exact, captured, wildcard and regular paths, the first mock winning', async () => {
    const server = await startHttp([
      mock('exact', { path: '/users/me' }),
      { id: 'param', request: { path: '/users/{id}' }, response: { body: 'user {{request.params.id}}' } },
      mock('one', { path: '/files/*/meta' }),
      mock('below', { path: '/files/*' }),
      mock('regex', { path: 're:^/v[0-9]+/x$' }),
      {
        id: 'path_regex',
        request: { path_regex: '^/orders/(?P<order>[a-z]+)$' },
        response: { body: 'order {{request.params.order}}' },
      },
    ]);
    expect(await idOf(server, '/users/me')).toBe('exact');
    expect(await idOf(server, '/users/7')).toBe('user 7');
    expect(await idOf(server, '/users/a%2Fb')).toBe('user a/b');
    expect(await idOf(server, '/users/a/b')).toBe('none');
    expect(await idOf(server, '/files/1/meta')).toBe('one');
    expect(await idOf(server, '/files')).toBe('below');
    expect(await idOf(server, '/files/1/2/3')).toBe('below');
    expect(await idOf(server, '/v12/x')).toBe('regex');
    expect(await idOf(server, '/orders/abc')).toBe('order abc');
    expect(await idOf(server, '/orders/12')).toBe('none');
  });

  it('needs both when path and path_regex are given', async () => {
    const server = await startHttp([mock('both', { path: '/a/{x}', path_regex: '^/a/[0-9]+$' })]);
    expect(await idOf(server, '/a/1')).toBe('both');
    expect(await reasonOf(server, '/a/x')).toMatch(/^path: got "\/a\/x", want "re:/);
  });

  it('does not match the query, and says so when a path holds one', async () => {
    const server = await startHttp([mock('a', { path: '/a' })]);
    expect(await idOf(server, '/a?b=1')).toBe('a');
    const { mocks } = server.host.kind('http');
    expect(problemsOf(() => mocks.create(mock('q', { path: '/a?b=1' })))[0]).toMatch(
      /^\/request\/path .*"\/a\?b=1" holds a query/,
    );
    expect(problemsOf(() => mocks.create(mock('q', { path: 're:^/a?b$' })))).toEqual([]);
  });

  it('finds every one of many mocks by exact, captured and wildcard paths', async () => {
    const mocks = Array.from({ length: 300 }, (_, n) => [
      mock(`e${n}`, { path: `/e/${n}` }),
      mock(`p${n}`, { path: `/p${n}/{id}/x` }),
      mock(`w${n}`, { path: `/w${n}/*` }),
    ]).flat();
    const server = await startHttp(mocks);
    for (const n of [0, 150, 299]) {
      expect(await idOf(server, `/e/${n}`)).toBe(`e${n}`);
      expect(await idOf(server, `/p${n}/7/x`)).toBe(`p${n}`);
      expect(await idOf(server, `/w${n}/7/8`)).toBe(`w${n}`);
    }
    server.host.kind('http').mocks.remove('p150');
    expect(await idOf(server, '/p150/7/x')).toBe('none');
  });

  it('stays quick with patterns made to explode', async () => {
    const server = await startHttp([mock('slow', { path_regex: '^/(a+)+$', headers: { X: 're:^(a|a)*$' } })]);
    // The work of this process and not the time it takes: other processes may want the machine too.
    const began = process.cpuUsage().user;
    expect(await idOf(server, `/${'a'.repeat(2000)}!`)).toBe('none');
    expect(await idOf(server, '/aaa', { headers: { X: `${'a'.repeat(5000)}!` } })).toBe('none');
    expect((process.cpuUsage().user - began) / 1000).toBeLessThan(2000);
  });
});

describe('headers, query, cookies', () => {
  it('compares header names without case and values by pattern', async () => {
    const server = await startHttp([
      mock('a', { path: '/', headers: { 'x-tenant': 'a', Accept: { contains: 'json' } } }),
      mock('star', { path: '/', headers: { 'X-Tenant': 'b*' } }),
      mock('none', { path: '/', headers: { 'X-Tenant': { absent: true } } }),
    ]);
    expect(await idOf(server, '/', { headers: { 'X-TENANT': 'a', accept: 'application/json' } })).toBe('a');
    expect(await idOf(server, '/', { headers: { 'X-Tenant': 'bcd' } })).toBe('star');
    expect(await idOf(server, '/')).toBe('none');
    expect(await reasonOf(server, '/', { headers: { 'X-Tenant': 'c', accept: 'text/json' } })).toBe(
      'header x-tenant: got "c", want "a"',
    );
  });

  it('matches any value of what came more than once', async () => {
    const server = await startHttp([
      mock('header', { path: '/h', headers: { 'X-Many': 'two' } }),
      mock('query', { path: '/q', query: { tag: 'two' } }),
    ]);
    const headers: [string, string][] = [
      ['X-Many', 'one'],
      ['X-Many', 'two'],
    ];
    const { request } = await import('node:http');
    const status = await new Promise((resolve) => {
      request(
        { port: server.port, path: '/h', headers: { 'X-Many': headers.map(([, value]) => value) } },
        (answer) => {
          answer.resume().on('end', () => resolve(answer.statusCode));
        },
      ).end();
    });
    expect(status).toBe(200);
    expect(await idOf(server, '/q?tag=one&tag=two')).toBe('query');
    expect(await idOf(server, '/q?tag=one')).toBe('none');
  });

  it('decodes the query and takes names such as __proto__ as plain data', async () => {
    const query = JSON.parse('{"__proto__": "x", "a b": "c&d"}') as object;
    const headers = JSON.parse('{"__proto__": "y", "constructor": "z"}') as object;
    const server = await startHttp([mock('odd', { path: '/', query, headers })]);
    const raw = (line: string): string => line;
    const { RawClient } = await import('./support/http-host.js');
    const client = new RawClient(server.port).send(
      raw(
        'GET /?__proto__=x&a+b=c%26d HTTP/1.1\r\nHost: a\r\n__proto__: y\r\nconstructor: z\r\nConnection: close\r\n\r\n',
      ),
    );
    expect(await client.closed).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*odd$/);
    expect(({} as { x?: unknown }).x).toBeUndefined();
    const [entry] = server.host.journal.list();
    expect(Object.hasOwn(entry?.['headers'] as object, '__proto__')).toBe(true);
    expect(Object.hasOwn(entry?.['query'] as object, '__proto__')).toBe(true);
  });

  it('matches cookies', async () => {
    const server = await startHttp([
      mock('c', { path: '/', cookies: { session: 'abc', theme: { absent: true } } }),
    ]);
    expect(await idOf(server, '/', { headers: { cookie: 'a=1; session=abc' } })).toBe('c');
    expect(await idOf(server, '/', { headers: { cookie: 'session=abc; theme=dark' } })).toBe('none');
    expect(await reasonOf(server, '/', { headers: { cookie: 'session=x' } })).toBe(
      'cookie session: got "x", want "abc"',
    );
  });
});

describe('body', () => {
  const post = (
    body: string | Uint8Array | FormData | URLSearchParams,
    headers: Record<string, string> = {},
  ): RequestInit => ({
    method: 'POST',
    body: body as never,
    headers,
  });

  it('matches text, and what is not UTF-8 as base64', async () => {
    const server = await startHttp([
      mock('text', { path: '/', body: { contains: 'häl' } }),
      mock('binary', { path: '/', body: 'AP8B' }),
      mock('empty', { path: '/', body: { absent: true } }),
    ]);
    expect(await idOf(server, '/', post('hälló'))).toBe('text');
    expect(await idOf(server, '/', post(Uint8Array.of(0, 255, 1)))).toBe('binary');
    expect(await idOf(server, '/')).toBe('empty');
    const entry = server.host.journal.list({ limit: 2 })[0];
    expect(entry).toMatchObject({ body: 'AP8B', body_encoding: 'base64' });
  });

  it('matches places in JSON, comparing what is no text as its JSON', async () => {
    const server = await startHttp([
      mock('json', {
        path: '/',
        body_json: {
          'user.role': 'admin',
          'items.1.n': '42',
          'items[0].on': 'true',
          gone: { absent: true },
          'user.tags': '["a"]',
        },
      }),
    ]);
    const body = { user: { role: 'admin', tags: ['a'] }, items: [{ on: true }, { n: 42 }] };
    expect(await idOf(server, '/', post(JSON.stringify(body)))).toBe('json');
    expect(await idOf(server, '/', post(JSON.stringify({ ...body, gone: null })))).toBe('none');
    expect(await reasonOf(server, '/', post('{"user": {"role": "x"}}'))).toBe(
      'body_json user.role: got "x", want "admin"',
    );
    expect(await reasonOf(server, '/', post('no json'))).toBe('body_json user.role: the body is not JSON');
    const large = JSON.stringify({ ...body, list: Array.from({ length: 300_000 }, () => 1) });
    expect(await reasonOf(server, '/', post(large))).toBe('body_json user.role: the body is not JSON');
    expect(await reasonOf(server, '/', post('{"user": "text"}'))).toBe(
      'body_json user.role: absent, want "admin"',
    );
  });

  it('reads only own members of JSON', async () => {
    const server = await startHttp([
      mock('proto', { path: '/', body_json: { '__proto__.x': '1' } }),
      mock('any', { path: '/', body_json: { 'constructor.name': { present: true } } }),
    ]);
    expect(await idOf(server, '/', post('{"__proto__": {"x": 1}}'))).toBe('proto');
    expect(await idOf(server, '/', post('{}'))).toBe('none');
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it('matches form fields, urlencoded and multipart', async () => {
    const server = await startHttp([mock('form', { path: '/', form: { name: 'Ada L', tag: 'b' } })]);
    expect(
      await idOf(
        server,
        '/',
        post(
          new URLSearchParams([
            ['name', 'Ada L'],
            ['tag', 'a'],
            ['tag', 'b'],
          ]),
        ),
      ),
    ).toBe('form');
    const form = new FormData();
    form.set('name', 'Ada L');
    form.set('tag', new Blob(['b']), 'file.txt');
    expect(await idOf(server, '/', post(form))).toBe('form');
    expect(
      await reasonOf(server, '/', post('name=x', { 'content-type': 'application/x-www-form-urlencoded' })),
    ).toBe('form name: got "x", want "Ada L"');
    expect(await idOf(server, '/', post('name=Ada L&tag=b', { 'content-type': 'text/plain' }))).toBe('none');
  });

  it('matches form fields by their names and by their places in the nested form', async () => {
    const server = await startHttp([
      mock('city', { path: '/', form: { 'address[city]': 'Bern' } }),
      mock('dotted', { path: '/', form: { 'address.zip': '8*', 'tags[]': { suffix: '!' } } }),
      mock('first', { path: '/', form: { 'items[0]': 'a', 'items[-1]': 'b' } }),
      mock('price', { path: '/', form: { 'lines[1][price]': { gt: 5 }, 'lines.*.name': 'tea' } }),
      mock('value', { path: '/', form: { user: { name: 'A*', age: 7, tags: ['x'] }, done: true } }),
      mock('object', { path: '/', form: { deep: { json_path: '$.a.b' } } }),
      mock('list', { path: '/', form: { colours: ['red', 'blue'] } }),
      mock('no name', { path: '/', form: { name: { absent: true }, last: '*' } }),
    ]);
    const ask = (body: string): Promise<string> =>
      idOf(server, '/', post(body, { 'content-type': 'application/x-www-form-urlencoded' }));
    expect(await ask('address[city]=Bern')).toBe('city');
    expect(await ask('address[city]=Basel&address%5Bcity%5D=Bern')).toBe('city');
    expect(await ask('address[zip]=80&tags[]=a&tags[]=b!')).toBe('dotted');
    expect(await ask('address[zip]=80&tags[0]=a&tags[1]=b!')).toBe('dotted');
    expect(await ask('address[zip]=80&tags=b!')).toBe('none');
    expect(await ask('items[]=a&items[]=b')).toBe('first');
    expect(await ask('items=a&items=b')).toBe('first');
    expect(await ask('items[]=b&items[]=a')).toBe('none');
    expect(await ask('lines[0][name]=milk&lines[1][name]=tea&lines[1][price]=6.5')).toBe('price');
    expect(await ask('lines[0][name]=milk&lines[1][name]=tea&lines[1][price]=4')).toBe('none');
    expect(await ask('user[name]=Ann&user[age]=7&user[tags][]=x&user[more]=1&done=true')).toBe('value');
    expect(await ask('user[name]=Ann&user[age]=8&user[tags][]=x&done=true')).toBe('none');
    expect(await ask('deep[a][b]=1')).toBe('object');
    expect(await ask('colours=red&colours=green&colours=blue')).toBe('list');
    expect(await ask('colours=red')).toBe('none');
    expect(await ask('last=Lee')).toBe('no name');
  });

  it('says why a form does not match, and takes no null', async () => {
    const server = await startHttp([mock('price', { path: '/', form: { 'lines[1][price]': { gt: 5 } } })]);
    const reason = (body: string): Promise<string> =>
      reasonOf(server, '/', post(body, { 'content-type': 'application/x-www-form-urlencoded' }));
    expect(await reason('lines[1][name]=tea')).toBe('form lines[1][price]: absent, want > 5');
    expect(await reason('lines[0]=&lines[1][price]=4')).toBe('form lines[1][price]: got "4", want > 5');
    expect(await reason('lines[0]=&lines[1][price][a]=4')).toMatch(/^form lines\[1\]\[price\]: got/);
    const { mocks } = server.host.kind('http');
    expect(problemsOf(() => mocks.create(mock('null', { path: '/', form: { a: null } })))[0]).toMatch(
      /form\/a.*\{absent: true\}/,
    );
    expect(
      problemsOf(() => mocks.create(mock('both', { path: '/', form: { a: { gt: 1, b: 2 } } }))),
    ).toHaveLength(1);
    mocks.create(mock('nested', { path: '/', form: { user: { name: 'A*' } } }));
    mocks.remove('price');
    expect(await reason('user[name]=Bob')).toBe('form user: at name got "Bob", want "A*"');
  });
});

describe('auth', () => {
  it('skips the mock, or challenges when nothing else matches', async () => {
    const server = await startHttp([
      mock('skip', { path: '/a', auth: { type: 'bearer', token: 't' } }),
      mock('ask', { path: '/b', auth: { type: 'basic', username: 'u', password: 'p', challenge: true } }),
    ]);
    expect(await idOf(server, '/a', { headers: { authorization: 'Bearer t' } })).toBe('skip');
    expect(await idOf(server, '/a')).toBe('none');
    const challenged = await fetch(`${server.url}/b`);
    expect(challenged.status).toBe(401);
    expect(challenged.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
    expect(await challenged.json()).toEqual({ error: expect.any(String) });
    expect(await idOf(server, '/b', { headers: { authorization: `Basic ${btoa('u:p')}` } })).toBe('ask');
    expect(server.host.kind('http').calls.of('ask').count).toBe(1);
  });
});

describe('what nothing matches', () => {
  it('is a 404 with at most three reasons', async () => {
    const server = await startHttp(['a', 'b', 'c', 'd'].map((id) => mock(id, { path: '/x', query: { id } })));
    const answer = await fetch(`${server.url}/x?id=e`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toEqual({
      error: 'no mock matched',
      method: 'GET',
      path: '/x',
      near_misses: ['a', 'b', 'c'].map((id) => ({ mock_id: id, reason: `query id: got "e", want "${id}"` })),
    });
    await startHttp();
  });
});

describe('explain', () => {
  it('says which mock would answer, without traffic', async () => {
    const server = await startHttp([
      mock('a', {
        method: 'POST',
        path: '/a',
        query: { x: '1' },
        headers: { h: 'v' },
        body_json: { n: '1' },
      }),
      mock('b', { path: '/b', auth: { type: 'ntlm' } }),
    ]);
    const kind = server.host.kind('http');
    expect(
      kind.explain({ method: 'post', path: '/a?x=1', headers: { H: 'v' }, body: { n: 1 } }),
    ).toMatchObject({ mock_id: 'a' });
    expect(
      kind.explain({ method: 'POST', path: '/a', query: { x: '1' }, headers: { h: 'v' }, body: '{"n":1}' }),
    ).toMatchObject({ mock_id: 'a' });
    expect(kind.explain({ path: '/a' }).others[0]).toMatchObject({ mock_id: 'a' });
    expect(kind.explain({ path: '/b' }).outcome).toBeDefined();
    expect(problemsOf(() => kind.explain({ method: 5, headers: 'x' }))).toEqual([
      '/method method is 5; it must be a text',
      '/headers headers must be an object of texts',
    ]);
    expect(kind.calls.of('a').count).toBe(0);
  });

  it('takes a request as mocks have it, or a line, and refuses what it does not know', async () => {
    const server = await startHttp([
      mock('a', { method: 'POST', path: '/a', body_json: { n: '1' } }),
      mock('b', { method: 'GET', path: '/b', query: { x: '1' } }),
    ]);
    const kind = server.host.kind('http');
    expect(kind.explain({ request: { method: 'POST', path: '/a', body_json: { n: 1 } } })).toMatchObject({
      mock_id: 'a',
    });
    for (const line of ['GET /b?x=1', '/b?x=1', 'get /b?x=1 HTTP/1.1', 'GET http://a.example/b?x=1']) {
      expect([line, kind.explain(line).mock_id]).toEqual([line, 'b']);
    }
    expect(kind.explain('POST /a {"n": 1}').mock_id).toBe('a');
    expect(problemsOf(() => kind.explain({ metod: 'GET', request: { pth: '/b' } }))).toEqual([
      '/request/pth unknown field "pth"; did you mean "path"?',
    ]);
    expect(problemsOf(() => kind.explain({ metod: 'GET', x: 1 }))).toEqual([
      '/metod unknown field "metod"; did you mean "method"?',
      '/x unknown field "x"; known are request, body_json, method, path, headers, query, body, body_encoding, remote',
    ]);
    expect(problemsOf(() => kind.explain({ path: '/a', request: { path: '/b' } }))).toEqual([
      '/request is given twice: "path" is the same',
    ]);
    expect(() => kind.explain('hello')).toThrow('"hello" is no request; it must be a method and a path');
  });
});
