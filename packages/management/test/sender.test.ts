import { request } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ManagementOptions } from '../src/index.js';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

interface Sent {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: ReturnType<typeof JSON.parse>;
}

/** Sends headers that `fetch` would not. */
function send(port: number, method: string, path: string, headers: Record<string, string>): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: text.startsWith('{') ? JSON.parse(text) : undefined,
        });
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}

async function statusOf(
  options: ManagementOptions,
  headers: Record<string, string>,
  path = '/api/reset',
): Promise<number> {
  const { port } = await start(options);
  return (await send(port, 'POST', path, headers)).status;
}

describe('Host', () => {
  it.each([
    ['localhost', 200],
    ['localhost:9091', 200],
    ['LOCALHOST', 200],
    ['127.0.0.1:1', 200],
    ['192.168.1.9', 200],
    ['[::1]:9091', 200],
    ['[::1]', 200],
    ['app.localhost:80', 200],
    ['backlot', 200],
    ['mock_server-1:9091', 200],
    ['evil.test', 403],
    ['evil.test:9091', 403],
    ['127.0.0.1.evil.test', 403],
    ['localhost.evil.test', 403],
    ['notlocalhost.com', 403],
    ['evil.', 403],
    ['[::1].evil.test', 403],
    ['[evil]', 403],
    ['local host', 403],
    ['a@localhost', 403],
  ])('%s is answered %d', async (host, status) => {
    expect(await statusOf({}, { host })).toBe(status);
  });

  it('may be listed, alone or with what is below it', async () => {
    const options = { allowedHosts: ['Mock.Example', '*.ci.example'] };
    expect(await statusOf(options, { host: 'mock.example:9091' })).toBe(200);
    expect(await statusOf(options, { host: 'a.b.ci.example' })).toBe(200);
    expect(await statusOf(options, { host: 'ci.example' })).toBe(403);
    expect(await statusOf(options, { host: 'x.mock.example' })).toBe(403);
    expect(await statusOf({ allowedHosts: ['*'] }, { host: 'evil.test' })).toBe(200);
  });

  it('says what is wrong', async () => {
    const { port } = await start();
    expect((await send(port, 'GET', '/api/health', { host: 'evil.test' })).body).toEqual({
      error:
        'Host "evil.test" is not allowed; use localhost or an IP address, or list the name in api.allowed_hosts',
    });
  });

  it('must be there, once', async () => {
    const { raw } = await start();
    expect(await raw('GET /api/health HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1.1 400[^]*"error":"the request has no Host header/,
    );
    expect(await raw('GET /api/health HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1.1 400/,
    );
    expect(await raw('GET /api/health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200/);
    expect(
      await raw(
        'GET /api/health HTTP/1.1\r\nHost: localhost\r\nHost: evil.test\r\nConnection: close\r\n\r\n',
      ),
    ).toMatch(/^HTTP\/1.1 400/);
  });

  it('is that of an absolute target', async () => {
    const { raw } = await start();
    const ask = (target: string): Promise<string> =>
      raw(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(await ask('http://localhost:1/api/health')).toMatch(/^HTTP\/1.1 200/);
    expect(await ask('http://evil.test/api/health')).toMatch(/^HTTP\/1.1 403/);
  });

  it('is checked on every path', async () => {
    for (const path of [
      '/api/logs/stream',
      '/api/nothing',
      '/',
      '/elsewhere',
      '/api/openapi.json',
      '/api/docs',
    ]) {
      expect([path, await statusOf({}, { host: 'evil.test' }, path)]).toEqual([path, 403]);
    }
  });
});

describe('a web page', () => {
  const foreign: [Record<string, string>, number][] = [
    [{ origin: 'https://evil.test' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: '' }, 403],
    [{ origin: 'http://localhost:3000' }, 403],
    [{ origin: 'https://localhost:9091' }, 403],
    [{ origin: 'http://localhost:9091', 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, 403],
    [{ 'sec-fetch-site': 'anything' }, 403],
    [{ 'sec-fetch-site': 'none' }, 200],
    [{ 'sec-fetch-site': 'same-origin' }, 200],
    [{ origin: 'http://localhost:9091' }, 200],
    [{ origin: 'http://localhost:9091', 'sec-fetch-site': 'same-origin' }, 200],
    [{}, 200],
  ];

  it.each(foreign)('that sends %j is answered %d', async (headers, status) => {
    const { port, call } = await start();
    const answer = await send(port, 'POST', '/api/reset', { host: 'localhost:9091', ...headers });
    expect(answer.status).toBe(status);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    const made = await send(port, 'POST', '/api/snapshots', { host: 'localhost:9091', ...headers });
    expect(made.status).toBe(status === 200 ? 201 : 403);
    expect((await call('GET', '/api/snapshots')).body).toHaveLength(status === 200 ? 1 : 0);
  });

  it('creates nothing, whatever content type it uses', async () => {
    const { call } = await start();
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/json',
    ]) {
      const { status } = await call(
        'POST',
        '/api/mocks/echo',
        { id: 'x' },
        { 'content-type': type, origin: 'https://evil.test' },
      );
      expect([type, status]).toEqual([type, 403]);
    }
    expect((await call('GET', '/api/mocks/echo')).body).toEqual([]);
  });

  it.each([
    // Where the link leads, and what a site elsewhere, another server of this machine, and a frame get.
    ['/api/docs', 200, 200, 403],
    ['/api/health', 403, 200, 403],
    ['/api/openapi.json', 403, 200, 403],
    ['/api/mocks/echo', 403, 200, 403],
    ['/api/logs', 403, 200, 403],
    ['/api/logs/stream', 403, 403, 403],
  ])('that links to %s is answered %d, %d, %d', async (path, elsewhere, near, framed) => {
    const { port } = await start();
    const link = { host: 'localhost', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    const statusOfLink = async (headers: Record<string, string>): Promise<number> =>
      (await send(port, 'GET', path, { ...link, ...headers })).status;
    expect(await statusOfLink({ 'sec-fetch-site': 'cross-site' })).toBe(elsewhere);
    expect(await statusOfLink({ 'sec-fetch-site': 'same-site' })).toBe(near);
    for (const dest of ['iframe', 'frame', 'embed', 'object']) {
      expect(await statusOfLink({ 'sec-fetch-site': 'same-site', 'sec-fetch-dest': dest })).toBe(framed);
    }
    expect(await statusOfLink({ 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' })).toBe(403);
    expect(await statusOfLink({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toBe(403);
  });

  it('may not open the log stream or a WebSocket', async () => {
    const { port, raw } = await start();
    expect(
      (await send(port, 'GET', '/api/logs/stream', { host: 'localhost', origin: 'https://evil.test' }))
        .status,
    ).toBe(403);
    const socket = await raw(
      'GET /api/logs/stream HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.test\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
      /\r\n\r\n.*\}/,
    );
    expect(socket).toMatch(/^HTTP\/1.1 403/);
  });

  it('gets no permission by asking before', async () => {
    const { port } = await start();
    const { status, headers } = await send(port, 'OPTIONS', '/api/reset', {
      host: 'localhost',
      origin: 'https://evil.test',
      'access-control-request-method': 'POST',
      'access-control-request-private-network': 'true',
    });
    expect(status).toBe(403);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('that is listed may use the interface', async () => {
    const { port } = await start({ allowedOrigins: ['https://App.example/'], token: 'secret' });
    const origin = 'https://app.example';
    const asked = await send(port, 'OPTIONS', '/api/state/x', {
      host: 'localhost',
      origin,
      'access-control-request-method': 'DELETE',
      'access-control-request-headers': 'authorization',
      'access-control-request-private-network': 'true',
    });
    expect(asked.status).toBe(204);
    expect(asked.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': expect.stringContaining('DELETE'),
      'access-control-allow-headers': expect.stringContaining('Authorization'),
      'access-control-allow-private-network': 'true',
      vary: 'Origin',
    });
    const headers = {
      host: 'localhost',
      origin,
      'sec-fetch-site': 'cross-site',
      authorization: 'Bearer secret',
    };
    const done = await send(port, 'DELETE', '/api/state/x', headers);
    expect([done.status, done.headers['access-control-allow-origin']]).toEqual([200, origin]);
    const failed = await send(port, 'GET', '/api/nothing', headers);
    expect([failed.status, failed.headers['access-control-allow-origin']]).toEqual([404, origin]);
    const other = await send(port, 'DELETE', '/api/state/x', {
      ...headers,
      origin: 'https://app.example.evil.test',
    });
    expect([other.status, other.headers['access-control-allow-origin']]).toEqual([403, undefined]);
    const none = await send(port, 'GET', '/api/health', {
      host: 'localhost',
      authorization: 'Bearer secret',
    });
    expect([none.status, none.headers['access-control-allow-origin'], none.headers['vary']]).toEqual([
      200,
      undefined,
      'Origin',
    ]);
  });

  it('may be any when all are listed', async () => {
    const { port } = await start({ allowedOrigins: ['*'] });
    const { status, headers } = await send(port, 'POST', '/api/reset', {
      host: 'localhost',
      origin: 'https://a.example',
    });
    expect([status, headers['access-control-allow-origin']]).toEqual([200, 'https://a.example']);
    expect(
      (await send(port, 'POST', '/api/reset', { host: 'localhost', 'sec-fetch-site': 'cross-site' })).status,
    ).toBe(200);
  });
});

describe('the token', () => {
  it('is needed everywhere when there is one', async () => {
    const { call, port } = await start({ token: 's3cret' });
    for (const path of ['/api/protocols', '/api/docs', '/api/mocks/echo', '/api/nothing', '/']) {
      const answer = await call('GET', path);
      expect([path, answer.status, answer.headers.get('www-authenticate')]).toEqual([
        path,
        401,
        'Bearer realm="backlot"',
      ]);
      expect(answer.body).toEqual({ error: 'a token is needed; send "Authorization: Bearer <token>"' });
    }
    for (const wrong of [
      'Bearer s3cre',
      'Bearer s3cret2',
      'Bearer S3CRET',
      'Basic s3cret',
      's3cret',
      'Bearer',
    ]) {
      expect([wrong, (await call('GET', '/api/clock', undefined, { authorization: wrong })).status]).toEqual([
        wrong,
        401,
      ]);
    }
    for (const right of ['Bearer s3cret', 'bearer  s3cret']) {
      expect((await call('GET', '/api/clock', undefined, { authorization: right })).status).toBe(200);
    }
    expect((await send(port, 'OPTIONS', '/api/health', { host: 'localhost' })).status).toBe(401);
  });

  it('is not needed to ask for the health, which is told alone without it', async () => {
    const { call, host, port } = await start({ token: 's3cret' });
    const whole = { status: 'ok', version: '1.2.3', uptime_ms: expect.any(Number) };
    for (const [headers, body] of [
      [{}, { status: 'ok' }],
      [{ authorization: 'Bearer wrong' }, { status: 'ok' }],
      [{ authorization: 'Bearer s3cret' }, whole],
    ] as [Record<string, string>, unknown][]) {
      const answer = await call('GET', '/api/health', undefined, headers);
      expect([answer.status, answer.body]).toEqual([200, body]);
    }
    expect((await call('HEAD', '/api/health')).status).toBe(200);
    expect((await call('POST', '/api/health')).status).toBe(401);
    expect((await call('GET', '/api/health/x')).status).toBe(401);
    const foreign = { host: 'localhost', origin: 'https://evil.test' };
    expect((await send(port, 'GET', '/api/health', foreign)).status).toBe(403);
    await host.stop(0);
    const stopping = await call('GET', '/api/health');
    expect([stopping.status, stopping.body]).toEqual([503, { status: 'stopping' }]);
  });

  it('is asked for before a body is read', async () => {
    const { raw } = await start({ token: 's3cret' });
    const text = await raw(
      'POST /api/reset HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000\r\nConnection: close\r\n\r\n',
      /\}$/,
    );
    expect(text).toMatch(/^HTTP\/1.1 401/);
  });
});
