import { afterEach, describe, expect, it } from '@jest/globals';
import { problemsOf } from '@backlot/conformance';
import { startHttp, stopAll, type HttpHost } from './support/http-host.js';

afterEach(stopAll);

function mock(id: string, request: object, more: object = {}): object {
  return { id, request, response: { body: id }, ...more };
}

async function post(server: HttpHost, body: unknown, headers: Record<string, string> = {}): Promise<string> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(`${server.url}/x`, { method: 'POST', body: text, headers });
  if (answer.status !== 404) return answer.text();
  const { near_misses: misses } = (await answer.json()) as { near_misses: { reason: string }[] };
  return misses[0]?.reason ?? '';
}

describe('body_json', () => {
  it('takes nested values, whose texts are patterns and which may hold more', async () => {
    const server = await startHttp([
      mock('nested', {
        path: '/x',
        body_json: { user: { name: 'a*', roles: ['admin', { level: 3 }] }, ok: true, none: null, 'n.m': 5 },
      }),
    ]);
    const good = {
      user: { name: 'ann', roles: ['user', 'admin', 'x', { level: 3, of: 9 }], age: 4 },
      ok: true,
      none: null,
      n: { m: 5 },
    };
    expect(await post(server, good)).toBe('nested');
    expect(await post(server, { ...good, ok: false })).toBe('body_json ok: got false, want true');
    expect(await post(server, { ...good, user: { ...good.user, name: 'bob' } })).toBe(
      'body_json user: at name got "bob", want "a*"',
    );
    expect(await post(server, { ...good, n: { m: '5' } })).toBe('body_json n.m: got "5", want 5');
    expect(await post(server, { ...good, user: { name: 'ann', roles: [{ level: 3 }, 'admin'] } })).toContain(
      'at roles got ',
    );
  });

  it('takes *, places from the end, and goes on inside a text that is JSON', async () => {
    const server = await startHttp([
      mock('wide', {
        path: '/x',
        body_json: {
          'items[*].price': { gt: 5 },
          'items[-1].id': 'last',
          'event.detail.n': '7',
          'bag.*': 'x',
        },
      }),
    ]);
    const items = [{ price: 4 }, { price: '6' }, { id: 'last' }];
    const event = JSON.stringify({ detail: JSON.stringify({ n: 7 }) });
    expect(await post(server, { items, event, bag: { a: 1, b: 'x' } })).toBe('wide');
    expect(await post(server, { items: [{ price: 4 }, { price: 1 }], event, bag: {} })).toBe(
      'body_json items[*].price: got 4, 1, want one of them to be > 5',
    );
    expect(await post(server, { items: [], event })).toBe('body_json items[*].price: absent, want > 5');
    expect(await post(server, 'x')).toBe('body_json items[*].price: the body is not JSON');
  });

  it('refuses what may be a pattern or a value, and says how to write either', async () => {
    const server = await startHttp();
    const { mocks } = server.host.kind('http');
    const problemOf = (value: unknown) =>
      problemsOf(() => mocks.create(mock('bad', { path: '/x', body_json: { box: value } })))[0];
    expect(problemOf({ length: 3, width: 4 })).toMatch(
      /\/request\/body_json\/box.*"length".*"width".*json: \{partial/,
    );
    expect(problemOf({})).toMatch(/says nothing/);
    expect(problemOf({ inner: { gt: 'x' } })).toMatch(/"gt" is "x"/);
  });
});

describe('patterns of bodies and headers', () => {
  it('looks at JSON, XML, numbers and dates by the virtual clock', async () => {
    const server = await startHttp([
      mock('schema', {
        path: '/x',
        body: { json_schema: { required: ['id'], properties: { id: { type: 'integer' } } } },
      }),
      mock('path', { path: '/x', body: { json_path: { path: '$.items[?@.n > 2].name', is: 'tea' } } }),
      mock('xml', { path: '/x', body: { xpath: { path: '/order/@id', is: '7' } } }),
      mock('fresh', { path: '/x', headers: { Date: { within: '5m' } } }),
    ]);
    expect(await post(server, { id: 4 })).toBe('schema');
    expect(await post(server, { items: [{ n: 3, name: 'tea' }] })).toBe('path');
    expect(await post(server, '<order id="7"/>')).toBe('xml');
    await server.host.clock.setNow(Date.parse('2030-01-02T03:04:05Z'));
    expect(await post(server, 'x', { 'X-Date': '' })).not.toBe('fresh');
    const stamp = 'Wed, 02 Jan 2030 03:00:00 GMT';
    expect(await post(server, 'x', { Date: stamp })).toBe('fresh');
    await server.host.clock.advance(600_000);
    expect(await post(server, 'x', { Date: stamp })).not.toBe('fresh');
    expect(await post(server, '<order id="8"/>')).toContain('body: ');
    const { mocks } = server.host.kind('http');
    expect(
      server.host.kind('http').explain({ method: 'POST', path: '/x', body: '<order id="8"/>' }),
    ).toMatchObject({
      outcome: 'unmatched',
      others: expect.arrayContaining([
        { mock_id: 'xml', reason: 'body: at /order/@id got "8", want "7"' },
        { mock_id: 'schema', reason: expect.stringContaining('which is not JSON') },
      ]) as unknown,
    });
    expect(mocks.list()).toHaveLength(4);
  });

  it('compares with what a template makes of the same message', async () => {
    const server = await startHttp([
      mock('same', {
        path: '/u/{id}',
        body_json: { user: { same_as: '{{request.params.id}}' }, tenant: { same_as: '{{vars.tenant}}' } },
        headers: { 'x-sum': { same_as: '{{hash "sha256" request.raw_body}}' } },
      }),
    ]);
    const { createHash } = await import('node:crypto');
    const send = async (user: string, sum?: string): Promise<number> => {
      const body = JSON.stringify({ user, tenant: '' });
      const headers = { 'x-sum': sum ?? createHash('sha256').update(body).digest('hex') };
      return (await fetch(`${server.url}/u/7`, { method: 'POST', body, headers })).status;
    };
    expect(await send('7')).toBe(200);
    expect(await send('8')).toBe(404);
    expect(await send('7', 'ab')).toBe(404);
    expect(
      problemsOf(() =>
        server.host.kind('http').mocks.create(mock('bad', { body: { same_as: '{{seq "a"}}' } })),
      )[0],
    ).toMatch(/cannot use seq/);
  });
});

describe('request.parts', () => {
  const upload = (parts: Record<string, Blob | string>, filename?: string): FormData => {
    const form = new FormData();
    for (const [name, value] of Object.entries(parts))
      if (typeof value === 'string') form.append(name, value);
      else form.append(name, value, filename);
    return form;
  };
  const png = new Blob([Buffer.from([0x89, 0x50, 0xff])], { type: 'image/png' });
  const json = (value: unknown): Blob => new Blob([JSON.stringify(value)], { type: 'application/json' });

  it('are matched by name or number: file name, type, headers and body', async () => {
    const server = await startHttp([
      mock('avatar', {
        path: '/x',
        parts: {
          avatar: { filename: '*.png', type: 'image/png', body: { prefix: 'iVD' } },
          0: { headers: { 'content-disposition': { contains: 'avatar' } } },
          meta: { body: { id: { gt: 5 }, tags: ['a'] }, 'body.name': { absent: true } },
        },
      }),
      mock('note', { path: '/x', parts: { note: { filename: { absent: true }, body: 'hi*' } } }),
    ]);
    const send = async (body: FormData): Promise<string> => {
      const answer = await fetch(`${server.url}/x`, { method: 'POST', body });
      if (answer.status !== 404) return answer.text();
      const { near_misses: misses } = (await answer.json()) as { near_misses: { reason: string }[] };
      return misses.map(({ reason }) => reason).join('; ');
    };
    const meta = json({ id: 7, tags: ['b', 'a'] });
    expect(await send(upload({ avatar: png, meta }, 'me.png'))).toBe('avatar');
    expect(await send(upload({ avatar: png, meta }, 'me.gif'))).toMatch(/part avatar filename.*me\.gif/);
    expect(await send(upload({ avatar: png, meta: json({ id: 3 }) }, 'me.png'))).toMatch(
      /part meta body.*id/,
    );
    expect(await send(upload({ note: 'hi there' }))).toBe('note');
    expect(await send(upload({ other: '1' }))).toMatch(/part note: there is no such part/);
    expect(await post(server, 'hello')).toMatch(/part \w+: the body is not multipart/);
    // Longer than what is looked at in one go.
    const long = new Blob([Buffer.concat([Buffer.from([0x89, 0x50, 0xff]), Buffer.alloc(400_000)])], {
      type: 'image/png',
    });
    expect(await send(upload({ avatar: long, meta }, 'me.png'))).toBe('avatar');
    expect(
      problemsOf(() =>
        server.host
          .kind('http')
          .mocks.create(mock('bad', { path: '/y', parts: { a: { file_name: 'x', 'body.a': 1 } } })),
      ),
    ).toEqual([expect.stringMatching(/a part has no "file_name"/)]);
  });
});

describe('PKCE', () => {
  const hashed = '(base64url_hash "sha256" request.form.code_verifier)';
  const verifier = {
    all_of: [
      { regex: '^[A-Za-z0-9._~-]{43,128}$' },
      { same_as: `{{#eq ${hashed} state.challenge}}{{request.form.code_verifier}}{{/eq}}` },
    ],
  };

  it('takes the verifier whose hash is the challenge that came before, once', async () => {
    const server = await startHttp([
      {
        ...mock('authorize', { path: '/authorize' }),
        set_state: { challenge: '{{request.query.code_challenge}}' },
      },
      {
        ...mock('exchange', { path: '/token', form: { code_verifier: verifier } }),
        set_state: { challenge: '' },
      },
    ]);
    const exchange = async (code_verifier?: string): Promise<number> => {
      const body = new URLSearchParams(code_verifier === undefined ? {} : { code_verifier });
      return (await fetch(`${server.url}/token`, { method: 'POST', body })).status;
    };
    // The example of RFC 7636, appendix B.
    const right = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    expect(await exchange(right)).toBe(404);
    await fetch(`${server.url}/authorize?code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM`);
    expect(await exchange()).toBe(404);
    expect(await exchange('')).toBe(404);
    expect(await exchange(right.toLowerCase())).toBe(404);
    expect(await exchange(right)).toBe(200);
    expect(await exchange(right)).toBe(404);
  });
});

describe('named groups', () => {
  const seen = '{{json request.params}}';

  it('of headers, queries, cookies and bodies are parameters of templates, beside the segments of the path', async () => {
    const server = await startHttp([
      {
        id: 'all',
        request: {
          method: 'POST',
          path: '/{place}',
          headers: { Authorization: 're:^Bearer (?<token>\\w+)$' },
          query: { sort: { any_of: ['re:^(?<down>-)(?<by>\\w+)$', 're:^(?<by>\\w+)$'] } },
          cookies: { session: 're:^s-(?<session>.*)$' },
          body_json: { user: { name: 're:^(?<first>\\w+) ' }, 'items.*.id': 're:^b(?<item>\\d)$' },
        },
        response: { body: seen },
        set_state: { token: '{{request.params.token}}' },
      },
      {
        request: { path: '/{place}', body: { xpath: { path: '//id', is: 're:^x(?<id>.)' } } },
        response: { body: seen },
      },
      { request: { path: '/{place}', form: { name: 're:^(?<first>\\w+) ' } }, response: { body: seen } },
    ]);
    const ask = async (path: string, init: RequestInit): Promise<unknown> =>
      (await fetch(server.url + path, { method: 'POST', ...init })).json();
    const headers = {
      authorization: 'Bearer abc',
      cookie: 'a=1; session=s-9',
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ user: { name: 'Ann Lee' }, items: [{ id: 'a1' }, { id: 'b2' }] });
    const all = { place: 'x', token: 'abc', by: 'name', session: '9', first: 'Ann', item: '2' };
    expect(await ask('/x?sort=name', { headers, body })).toEqual(all);
    expect(server.host.journal.list()[0]).toMatchObject({ path_params: all });
    expect(server.host.state.all()).toEqual({ token: 'abc' });
    expect(await ask('/x?sort=-name', { headers, body })).toEqual({ ...all, down: '-' });
    expect(await ask('/x', { body: '<o><id>y1</id><id>x2</id></o>' })).toEqual({ place: 'x', id: '2' });
    expect(await ask('/x', { body: new URLSearchParams({ name: 'Ann Lee' }) })).toEqual({
      place: 'x',
      first: 'Ann',
    });
  });

  it('of one of several requests are those of the first that matches', async () => {
    const server = await startHttp([
      {
        request: {
          any_of: [
            { path: '/a/{id}', headers: { 'x-a': 're:^(?<a>.)$', 'x-b': 're:^1(?<b>.)$' } },
            { path: '/a/{name}', headers: { 'x-a': 're:^(?<c>.)$' } },
          ],
        },
        response: { body: seen },
      },
    ]);
    const ask = async (b: string): Promise<unknown> =>
      (await fetch(`${server.url}/a/7`, { headers: { 'x-a': 'x', 'x-b': b } })).json();
    expect(await ask('12')).toEqual({ id: '7', a: 'x', b: '2' });
    expect(await ask('2')).toEqual({ name: '7', c: 'x' });
  });

  it('are there for what other patterns compare with', async () => {
    const server = await startHttp([
      mock('same', {
        path: '/x',
        body_json: { a: { same_as: '{{request.params.who}}' }, b: { same_as: '{{request.params.what}}!' } },
        headers: {
          'x-who': 're:^(?<who>\\w+)$',
          'x-what': { any_of: [{ same_as: '{{request.params.who}}' }, 're:^(?<what>.*)$'] },
        },
      }),
    ]);
    const headers = { 'x-who': 'ann', 'x-what': 'hi' };
    expect(await post(server, { a: 'ann', b: 'hi!' }, headers)).toBe('same');
    expect(server.host.journal.list()[0]).toMatchObject({ path_params: { who: 'ann', what: 'hi' } });
    expect(await post(server, { a: 'bob', b: 'hi!' }, headers)).toContain('"ann"');
  });

  it('of a large body are kept in part', async () => {
    const server = await startHttp([
      {
        request: { path: '/x', body: 're:^(?<all>a+)(?<end>b)$' },
        response: { body: '{{length request.params.all}}' },
      },
    ]);
    expect(await post(server, `${'a'.repeat(3000)}b`)).toBe('3000');
    expect(server.host.journal.list()[0]).toMatchObject({ path_params: { all: 'a'.repeat(1024), end: 'b' } });
  });
});

describe('request.any_of', () => {
  it('matches when one of several requests does, found by any of their paths', async () => {
    const server = await startHttp([
      ...Array.from({ length: 50 }, (_, n) => mock(`other${n}`, { path: `/other/${n}` })),
      mock(
        'some',
        {
          headers: { 'x-key': 'k' },
          any_of: [
            { method: 'GET', path: '/a/{id}' },
            { method: 'PUT', path: '/b/{name}' },
            { path: '/a/*', query: { q: '1' } },
          ],
        },
        { response: { body: 'some {{request.params.id}}{{request.params.name}}' } },
      ),
    ]);
    const get = async (method: string, path: string, key = 'k'): Promise<string> => {
      const answer = await fetch(server.url + path, { method, headers: { 'x-key': key } });
      if (answer.status !== 404) return answer.text();
      const { near_misses: misses } = (await answer.json()) as { near_misses: { reason: string }[] };
      return misses[0]?.reason ?? '';
    };
    expect(await get('GET', '/a/7')).toBe('some 7');
    expect(await get('PUT', '/b/x')).toBe('some x');
    expect(await get('POST', '/a/7?q=1')).toBe('some ');
    expect(await get('POST', '/a/7')).toBe(
      'any_of[0] method: got "POST", want "GET"; any_of[1] path: got "/a/7", want "/b/{name}"; any_of[2] query q: absent, want "1"',
    );
    expect(await get('GET', '/a/7', 'no')).toContain('header x-key');
    server.host.kind('http').mocks.remove('some');
    expect(await get('GET', '/a/7')).not.toBe('some 7');
  });

  it('has the path of the request itself beside those', async () => {
    const server = await startHttp([
      mock('both', { path: '/x', any_of: [{ body_json: { a: 1 } }, { headers: { 'x-b': '2' } }] }),
    ]);
    expect(await post(server, { a: 1 })).toBe('both');
    expect(await post(server, 'x', { 'x-b': '2' })).toBe('both');
    expect(await post(server, { a: 2 })).toContain('any_of[0] body_json a: got 2, want 1');
  });
});
