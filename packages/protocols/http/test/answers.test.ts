import { afterEach, describe, expect, it } from '@jest/globals';
import { problemsOf } from '@backlot/conformance';
import { RawClient, startHttp, stopAll } from './support/http-host.js';

afterEach(stopAll);

const GET = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

describe('status, headers and body', () => {
  it('sends them as given, with a length and nothing of its own but the date', async () => {
    const server = await startHttp([
      {
        id: 'a',
        request: { path: '/' },
        response: { status: 201, headers: { 'X-One': 'ü', 'Set-Cookie': ['a=1', 'b=2'] }, body: 'grüße' },
      },
    ]);
    const text = await new RawClient(server.port).send(GET).closed;
    expect(
      Buffer.from(text, 'latin1')
        .toString()
        .replace(/^Date: .*\r\n/m, 'Date\r\n'),
    ).toBe(
      'HTTP/1.1 201 Created\r\nX-One: ü\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Type: text/plain; charset=utf-8\r\n' +
        'Content-Length: 7\r\nDate\r\nConnection: close\r\n\r\ngrüße',
    );
  });

  it.each([
    ['{"a": 1}', 'application/json'],
    ['[{{rand_int 1 9}}]', 'application/json'],
    ['hello', 'text/plain; charset=utf-8'],
    ['<a/>', 'text/plain; charset=utf-8'],
  ])('gives %s the content type %s', async (body, type) => {
    const server = await startHttp([{ id: 'a', request: { path: '/' }, response: { body } }]);
    expect((await fetch(server.url)).headers.get('content-type')).toBe(type);
  });

  it('answers 200 without a body when the mock says nothing', async () => {
    const server = await startHttp([{ id: 'a', request: { path: '/' } }]);
    const answer = await fetch(server.url);
    expect([answer.status, answer.headers.get('content-length'), answer.headers.get('content-type')]).toEqual(
      [200, '0', null],
    );
  });

  it.each([204, 304])('answers %i legally, whatever the mock says', async (status) => {
    const server = await startHttp([
      { id: 'a', request: { path: '/' }, response: { status, body: 'x', headers: { 'X-A': '1' } } },
    ]);
    const client = new RawClient(server.port).send('GET / HTTP/1.1\r\nHost: a\r\n\r\n').send(GET);
    const text = await client.closed;
    expect(text.match(/X-A: 1/g)).toHaveLength(2);
    expect(text).not.toMatch(/content-length|transfer-encoding|x$/i);
  });

  it('sends an informational status before an empty answer', async () => {
    const server = await startHttp([
      {
        id: 'a',
        request: { path: '/' },
        response: { status: 103, headers: { Link: '</a.css>; rel=preload; as=style' } },
      },
    ]);
    expect(await new RawClient(server.port).send(GET).closed).toMatch(
      /^HTTP\/1\.1 103 Early Hints\r\nLink: <\/a\.css>; rel=preload; as=style\r\n\r\nHTTP\/1\.1 200 OK\r\n/,
    );
  });

  it('answers HEAD as GET, without the body', async () => {
    const server = await startHttp([
      { id: 'a', request: { method: 'GET', path: '/' }, response: { body: 'hello' } },
      {
        id: 'h',
        request: { method: 'HEAD', path: '/h' },
        response: { headers: { 'Content-Length': '1234' } },
      },
    ]);
    const head = async (path: string): Promise<unknown> => {
      const answer = await fetch(server.url + path, { method: 'HEAD' });
      return [answer.status, answer.headers.get('content-length'), await answer.text()];
    };
    expect(await head('/')).toEqual([200, '5', '']);
    expect(await head('/h')).toEqual([200, '1234', '']);
  });

  it('sends chunks when the mock asks for them', async () => {
    const server = await startHttp([
      {
        id: 'a',
        request: { path: '/' },
        response: { headers: { 'Transfer-Encoding': 'chunked' }, body: 'hello' },
      },
    ]);
    const text = await new RawClient(server.port).send(GET).closed;
    expect(text).toMatch(/Transfer-Encoding: chunked[\s\S]*\r\n\r\n5\r\nhello\r\n0\r\n\r\n$/);
    expect(text).not.toMatch(/content-length/i);
  });
});

describe('templates', () => {
  it('render the request into body and headers', async () => {
    const server = await startHttp([
      {
        id: 'a',
        request: { method: 'POST', path: '/users/{id}' },
        response: {
          headers: { Location: '/users/{{request.params.id}}?q={{query.q}}' },
          body: '{"n": {{request.body.n}}, "t": "{{request.body.t}}", "c": "{{request.cookies.c}}", "m": "{{request.method}}", "h": "{{headers.x-h}}"}',
        },
      },
      {
        id: 'f',
        request: { path: '/form' },
        response: {
          body: 'hi {{request.form.name}} {{request.target}} {{request.scheme}}://{{request.host}}',
        },
      },
    ]);
    const answer = await fetch(`${server.url}/users/7?q=z`, {
      method: 'POST',
      body: JSON.stringify({ n: 5, t: 'say "hi"' }),
      headers: { cookie: 'c=1', 'X-H': 'v' },
    });
    expect(answer.headers.get('location')).toBe('/users/7?q=z');
    expect(await answer.json()).toEqual({ n: 5, t: 'say "hi"', c: '1', m: 'POST', h: 'v' });
    const form = await fetch(`${server.url}/form?x=1`, {
      method: 'POST',
      body: new URLSearchParams({ name: 'Ada' }),
    });
    expect(await form.text()).toBe(`hi Ada /form?x=1 ${server.url}`);
  });

  it('cannot add headers', async () => {
    const server = await startHttp([
      { id: 'a', request: { path: '/' }, response: { headers: { 'X-A': '{{query.v}}' }, body: 'b' } },
    ]);
    const answer = await fetch(`${server.url}/?v=a%0d%0aX-Evil:%201%00`);
    expect(answer.headers.get('x-evil')).toBeNull();
    expect(answer.headers.get('x-a')).toBe('a X-Evil: 1');
  });

  it('make a clear 500 when they grow too large', async () => {
    const server = await startHttp([
      {
        id: 'a',
        request: { path: '/' },
        response: {
          body: '{{#query.a}}{{#query.a}}{{#query.a}}{{request.raw_body}}{{/query.a}}{{/query.a}}{{/query.a}}',
        },
      },
    ]);
    const many = Array.from({ length: 60 }, () => 'a=1').join('&');
    const answer = await fetch(`${server.url}/?${many}`, { method: 'POST', body: 'x'.repeat(10_000) });
    expect(answer.status).toBe(500);
    expect(((await answer.json()) as { error: string }).error).toMatch(/^the answer could not be made: /);
    expect(server.lines[0]).toMatch(/^error: POST \/ could not be answered/);
    expect(server.host.journal.list()[0]).toMatchObject({ status: 500, matched_id: 'a' });
  });
});

describe('what cannot be sent', () => {
  it.each([
    ['a body that is a file', { body: { file: '/etc/passwd' } }, /^\/response\/body /],
    ['a status below 100', { status: 99 }, /^\/response\/status /],
    ['a status beyond 599', { status: 1000 }, /^\/response\/status /],
    ['status 101', { status: 101 }, /^\/response\/status status 101 switches/],
    [
      'a header name with a space',
      { headers: { 'a b': 'c' } },
      /^\/response\/headers\/a b "a b" is not a header name/,
    ],
    [
      'a header value with a line break',
      { headers: { a: 'b\r\nc: d' } },
      /^\/response\/headers\/a the value "b\\r\\nc: d"/,
    ],
    [
      'a length that lies',
      { headers: { 'Content-Length': '3' }, body: 'hello' },
      /content-length is "3", but the body has 5 bytes/,
    ],
    [
      'a length of what is rendered',
      { headers: { 'Content-Length': '3' }, body: '{{uuid}}' },
      /is not known before it is made/,
    ],
    [
      'another transfer encoding',
      { headers: { 'Transfer-Encoding': 'gzip' } },
      /transfer-encoding "gzip" cannot be sent/,
    ],
    [
      'two framings',
      { headers: { 'Transfer-Encoding': 'chunked', 'Content-Length': '0' } },
      /cannot stand beside/,
    ],
    ['a trailer', { headers: { Trailer: 'X' } }, /trailer announces/],
    ['a bad template', { body: '{{#a}}' }, /^\/response\/body /],
    ['a bad delay', { delay: 'soon' }, /^\/response\/delay /],
    ['an unknown field', { stauts: 200 }, /stauts/],
  ])('%s is refused at creation', async (_name, response, problem) => {
    const server = await startHttp();
    const { mocks } = server.host.kind('http');
    expect(problemsOf(() => mocks.create({ id: 'a', request: { path: '/' }, response }))[0]).toMatch(problem);
    expect(mocks.has('a')).toBe(false);
  });

  it('a length that is true is no problem', async () => {
    const server = await startHttp([
      { id: 'a', request: { path: '/' }, response: { headers: { 'Content-Length': '5' }, body: 'hello' } },
    ]);
    expect(await (await fetch(server.url)).text()).toBe('hello');
  });

  it('names every problem of a mock at once', async () => {
    const server = await startHttp();
    const problems = problemsOf(() =>
      server.host.kind('http').mocks.create({
        request: { path_regex: '(', headers: { a: 're:(' } },
        response: { delay: 'x', body: '{{#a}}' },
        stream: { events: [{ delay: 'y' }] },
      }),
    );
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual(
      expect.arrayContaining([
        '/request/path_regex',
        '/request/headers/a',
        '/response/delay',
        '/response/body',
        '/stream/events/0/delay',
      ]),
    );
  });
});

describe('sequences', () => {
  const sequence = [
    { status: 503 },
    { status: 503, body: 'b', headers: { 'x-a': '2' } },
    { status: 200, body: 'c' },
  ];
  const bodies = async (url: string, count: number): Promise<string[]> => {
    const all: string[] = [];
    for (let n = 0; n < count; n += 1) {
      const answer = await fetch(url);
      all.push(`${answer.status} ${await answer.text()} ${answer.headers.get('X-A')}`);
    }
    return all;
  };

  it.each([
    ['hold_last', '200 c 1'],
    ['loop', '503 r 1'],
    ['not_found', '404 {"error":"sequence exhausted"} null'],
  ])('go on with %s', async (exhausted, fourth) => {
    const server = await startHttp([
      {
        id: 'a',
        request: { path: '/' },
        response: { body: 'r', headers: { 'X-A': '1' } },
        sequence,
        sequence_exhausted: exhausted,
      },
    ]);
    expect(await bodies(server.url, 4)).toEqual(['503 r 1', '503 b 2', '200 c 1', fourth]);
    server.host.kind('http').calls.clearAll();
    expect(await bodies(server.url, 1)).toEqual(['503 r 1']);
  });

  it('hold the last entry by default', async () => {
    const server = await startHttp([
      { id: 'a', request: { path: '/' }, sequence: [{ body: 'a' }, { body: 'b' }] },
    ]);
    expect(await bodies(server.url, 3)).toEqual(['200 a null', '200 b null', '200 b null']);
  });
});

describe('delays', () => {
  it('of a response wait on the virtual clock, and add to that of the mock', async () => {
    const server = await startHttp([
      { id: 'a', request: { path: '/' }, delay: '1h', response: { body: 'late', delay: '30m' } },
    ]);
    server.host.clock.freeze(true);
    const answer = fetch(server.url);
    await server.host.kind('http').calls.wait('a', 1, 60_000);
    let isThere = false;
    void answer.then(() => (isThere = true));
    await server.host.clock.advance(3_600_000);
    await new Promise((resolve) => setImmediate(resolve));
    await server.host.clock.advance(1_799_000);
    await fetch(`${server.url}/other`);
    expect(isThere).toBe(false);
    await server.host.clock.advance(1_000);
    expect(await (await answer).text()).toBe('late');
  });

  it('are rolled for answers, sequences, events and faults of a mock', async () => {
    const rolled = { uniform: { min: '1h', max: '2h' } };
    const server = await startHttp([
      { id: 'a', request: { path: '/a' }, sequence: [{ body: 'x', delay: rolled }] },
      { id: 'b', request: { path: '/b' }, stream: { events: [{ data: 'x', delay: rolled }] } },
      { id: 'c', request: { path: '/c' }, fault: { delay: { lognormal: { median: '2h', sigma: 0.01 } } } },
    ]);
    server.host.clock.freeze(true);
    for (const id of ['a', 'b', 'c']) {
      const answer = fetch(`${server.url}/${id}`).then((given) => given.text());
      await server.host.kind('http').calls.wait(id, 1, 60_000);
      let isThere = false;
      void answer.then(() => (isThere = true));
      await server.host.clock.advance(3_599_000);
      await fetch(`${server.url}/other`);
      expect(isThere).toBe(false);
      await server.host.clock.advance(7_200_000);
      expect(await answer).toBe(id === 'c' ? '' : 'x');
    }
  });
});

describe('PATCH', () => {
  it('takes fields flat or under response, merges headers, and takes away what is null', async () => {
    const server = await startHttp([
      {
        id: 'a',
        request: { path: '/' },
        response: { status: 201, headers: { 'X-A': '1', 'X-B': '1' }, body: 'b', delay: '1ms' },
      },
    ]);
    const { mocks } = server.host.kind('http');
    expect(mocks.patch('a', { status: 500, headers: { 'x-a': '2', 'X-C': '3' } })).toMatchObject({
      response: { status: 500, headers: { 'x-a': '2', 'X-B': '1', 'X-C': '3' }, body: 'b' },
    });
    expect((await fetch(server.url)).status).toBe(500);
    expect(mocks.patch('a', { response: { body: null, headers: { 'X-B': null }, delay: null } })).toEqual({
      id: 'a',
      request: { path: '/' },
      response: { status: 201, headers: { 'X-A': '1' } },
    });
    expect(problemsOf(() => mocks.patch('a', { status: 9 }))).not.toEqual([]);
    expect(problemsOf(() => mocks.patch('a', { nonsense: 9 }))).not.toEqual([]);
    expect(problemsOf(() => mocks.patch('a', { headers: { a: 'b\nc' } }))).not.toEqual([]);
    server.host.reset();
    expect((await fetch(server.url)).status).toBe(201);
  });

  it('covers every entry of a sequence', async () => {
    const server = await startHttp([
      { id: 'a', request: { path: '/' }, sequence: [{ status: 200, body: 'x' }, { status: 201 }] },
    ]);
    server.host.kind('http').mocks.patch('a', { status: 418 });
    expect([(await fetch(server.url)).status, (await fetch(server.url)).status]).toEqual([418, 418]);
  });

  it('scenarios change status, headers and body', async () => {
    const server = await startHttp(
      [{ id: 'a', request: { path: '/' }, response: { body: 'a' } }],
      {},
      {
        scenarios: [
          {
            id: 's',
            patches: [{ mock_id: 'a', status: 503, body: '{"down":true}', headers: { 'Retry-After': '5' } }],
          },
        ],
      },
    );
    server.host.scenarios.activate('s');
    const answer = await fetch(server.url);
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
      503,
      '5',
      { down: true },
    ]);
    server.host.scenarios.deactivate('s');
    expect(await (await fetch(server.url)).text()).toBe('a');
  });
});

describe('the journal', () => {
  it('shows request and response', async () => {
    const server = await startHttp([
      { id: 'a', request: { path: '/u/{id}' }, response: { status: 201, body: '{"ok":true}' } },
    ]);
    await (
      await fetch(`${server.url}/u/7?x=1&y=2&y=3`, { method: 'POST', body: 'hi', headers: { 'X-A': 'b' } })
    ).text();
    expect(server.host.journal.list()).toEqual([
      expect.objectContaining({
        protocol: 'http',
        method: 'POST',
        path: '/u/7',
        query: { x: '1', y: ['2', '3'] },
        headers: expect.objectContaining({ 'x-a': 'b', 'content-length': '2' }),
        body: 'hi',
        status: 201,
        matched_id: 'a',
        path_params: { id: '7' },
        response: {
          status: 201,
          headers: { 'content-type': 'application/json', 'content-length': '11' },
          body: '{"ok":true}',
        },
      }),
    ]);
  });
});

describe('CORS', () => {
  it('is off unless asked for', async () => {
    const server = await startHttp([{ id: 'a', request: { path: '/' } }]);
    const answer = await fetch(server.url, { headers: { origin: 'http://page.test' } });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('lets pages read answers and answers their preflight requests', async () => {
    const server = await startHttp(
      [
        { id: 'a', request: { path: '/a' }, response: { body: 'x' } },
        { id: 'o', request: { method: 'OPTIONS', path: '/o' }, response: { status: 299 } },
      ],
      { cors: true },
    );
    const plain = await fetch(`${server.url}/a`, { headers: { origin: 'http://page.test' } });
    expect(plain.headers.get('access-control-allow-origin')).toBe('http://page.test');
    expect(
      (await fetch(`${server.url}/missing`, { headers: { origin: 'http://page.test' } })).headers.get('vary'),
    ).toBe('Origin');
    const preflight = (path: string): Promise<Response> =>
      fetch(server.url + path, {
        method: 'OPTIONS',
        headers: {
          origin: 'http://page.test',
          'access-control-request-method': 'PUT',
          'access-control-request-headers': 'x-a',
        },
      });
    const allowed = await preflight('/a');
    expect([
      allowed.status,
      allowed.headers.get('access-control-allow-methods'),
      allowed.headers.get('access-control-allow-headers'),
    ]).toEqual([204, 'PUT', 'x-a']);
    expect((await preflight('/o')).status).toBe(299);
  });
});
