import { afterEach, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify, SignJWT } from 'jose';
import { startHttp, stopAll } from './support/http-host.js';

afterEach(stopAll);

const SECRET = 'a secret of some length, thirty-two';
const KEYS = { k1: { alg: 'RS256' }, h: { alg: 'HS256', secret: SECRET } };

describe('tokens', () => {
  it('are given out, verified by a client with the key set, and asked for', async () => {
    const server = await startHttp(
      [
        {
          id: 'jwks',
          request: { path: '/jwks' },
          response: { body: '{{jwks}}', headers: { 'Content-Type': 'application/json' } },
        },
        {
          id: 'token',
          request: { path: '/token' },
          response: { body: '{"access_token": "{{jwt "k1" "sub" request.body.user "scope" "read write"}}"}' },
        },
        {
          id: 'me',
          request: {
            path: '/me',
            auth: {
              type: 'bearer',
              challenge: true,
              jwt: { key: 'k1', claims: { sub: 'a*', scope: { contains: 'read' } } },
            },
          },
          response: { body: 'hello' },
        },
      ],
      {},
      { keys: KEYS },
    );
    const given = await fetch(`${server.url}/token`, { method: 'POST', body: '{"user": "ann"}' });
    const { access_token: token } = (await given.json()) as { access_token: string };
    const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(`${server.url}/jwks`)));
    expect(payload).toMatchObject({ sub: 'ann', scope: 'read write' });
    const ask = (authorization: string): Promise<Response> =>
      fetch(`${server.url}/me`, { headers: { authorization } });
    expect(await (await ask(`Bearer ${token}`)).text()).toBe('hello');
    const none = await ask(`Bearer ${token.slice(0, -8)}AAAAAAAA`);
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="backlot", error="invalid_token"',
    ]);
    await server.host.clock.advance(3_600_000);
    expect((await ask(`Bearer ${token}`)).status).toBe(401);
  });

  it('say why they do not fit', async () => {
    const auth = { type: 'bearer', jwt: { key: 'h', claims: { sub: 'ann', roles: 'admin' } } };
    const server = await startHttp([{ id: 'm', request: { path: '/', auth } }], {}, { keys: KEYS });
    const reasonOf = async (token: string): Promise<string> =>
      (await fetch(server.url, { headers: { authorization: `Bearer ${token}` } })).text();
    const sign = (claims: Record<string, unknown>): Promise<string> =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(SECRET));
    expect(await reasonOf('x')).toContain('bearer token is no JSON Web Token');
    expect(await reasonOf(await sign({ sub: 'eve' }))).toContain('claim sub: got \\"eve\\"');
    expect(await reasonOf(await sign({ sub: 'ann', roles: ['user'] }))).toContain('claim roles');
    expect(await reasonOf(await sign({ sub: 'ann', roles: ['user', 'admin'], exp: 1 }))).toContain(
      'expired at 1970',
    );
    const good = await sign({ sub: 'ann', roles: ['user', 'admin'] });
    expect((await fetch(server.url, { headers: { authorization: `Bearer ${good}` } })).status).toBe(200);
  });

  it('need a key that is there', async () => {
    const auth = { type: 'bearer', jwt: { key: 'k9' } };
    const mocks = [{ id: 'm', request: { path: '/', auth } }];
    await expect(startHttp(mocks, {}, { keys: KEYS })).rejects.toThrow(/no key "k9"; known are k1, h/);
    await expect(startHttp(mocks)).rejects.toThrow(/no key "k9"; the configuration has no "keys"/);
  });
});

describe('bodies are escaped for their content type', () => {
  it.each([
    ['application/xml', '<a>{{request.body.t}}</a>', '<a>&lt;&quot;&gt;</a>'],
    [
      'application/x-amz-json-1.0',
      '{"t": "{{request.body.t}}", "n": {{request.body.n}}}',
      '{"t": "<\\">", "n": null}',
    ],
    ['text/html', '<a>{{request.body.t}}</a>', '<a><"></a>'],
  ])('%s', async (type, body, answer) => {
    const server = await startHttp([
      { id: 'm', request: { path: '/' }, response: { headers: { 'Content-Type': type }, body } },
    ]);
    const answered = await fetch(server.url, { method: 'POST', body: '{"t": "<\\">"}' });
    expect(await answered.text()).toBe(answer);
  });

  it('see bytes of a request as they are', async () => {
    const server = await startHttp([
      {
        id: 'm',
        request: { path: '/' },
        response: { body: '{{base64 request.raw_body}} {{hash "md5" request.raw_body}}' },
      },
    ]);
    const answered = await fetch(server.url, { method: 'POST', body: Uint8Array.of(0xff, 0xfe, 0) });
    expect(await answered.text()).toBe('//4A 266e75fcf28db213599bf0f3f46976a8');
  });
});
