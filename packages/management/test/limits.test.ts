import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createHost } from '@backlot/core';
import { createManagementServer } from '../src/index.js';
import { plain } from './support/plain.js';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const get = (target: string, headers = ''): string =>
  `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${headers}Connection: close\r\n\r\n`;

describe('paths', () => {
  it.each([
    ['/api/../etc/passwd', 404],
    ['/api/mocks/echo/../../../etc/passwd', 404],
    ['/api/mocks/echo/..%2f..%2fetc%2fpasswd', 404],
    ['/api/mocks/echo/%2e%2e', 404],
    ['/api/mocks/echo/..%5c..', 404],
    ['/api/mocks/echo/%', 400],
    ['/api/mocks/echo/%f', 400],
    ['/api/mocks/echo/%ff', 400],
    ['/api/mocks/echo/%c0%af', 400],
    ['/api/mocks/echo/%E0%A4%A', 400],
    ['/api/mocks/echo/a%00b', 400],
    ['/api/%00', 400],
    ['/api/mocks/echo?unused=%ff', 400],
    ['/api', 404],
    ['/api/', 404],
    ['/api//health', 404],
    ['/api/health/', 404],
    ['/API/health', 404],
    ['/apihealth', 404],
    ['//api/health', 404],
    ['/', 404],
    ['/favicon.ico', 404],
    ['/index.html', 404],
    ['/api/mocks/echo/', 404],
    ['*', 404],
    ['http://localhost/api/health', 200],
    ['http://localhost/api/%68ealth', 200],
    ['http://localhost/api/nothing', 404],
    ['http://[bad/api/health', 403],
    ['http://localhost:99999x/api/health', 403],
    ['/api/health?x=%7', 400],
    ['/api/health#fragment', 200],
    ['/api/health?__proto__=1&constructor=2', 400],
    ['/api/%68ealth', 200],
    ['/api/health%2f', 404],
    ['/%61pi/health', 404],
  ])('%s is answered %d with JSON', async (target, status) => {
    const { raw } = await start();
    const text = await raw(get(target));
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toMatch(/content-type: application\/json/i);
    const answer = JSON.parse(body);
    if (status !== 200) expect(typeof answer.error).toBe('string');
    expect(body).not.toMatch(/node_modules|\.ts:|at \w+ \(/);
  });

  it('that are long are refused', async () => {
    const { raw, call } = await start();
    expect((await call('GET', `/api/mocks/echo/${'x'.repeat(13_000)}`)).status).toBe(414);
    expect((await call('GET', `/api/mocks/echo?x=${'x'.repeat(13_000)}`)).status).toBe(414);
    const text = await raw(get(`/api/${'x'.repeat(200_000)}`), /\}$/);
    expect(text).toMatch(
      /^HTTP\/1.1 431 [^]*\{"error":"the request line and headers are larger than 16384 bytes"\}$/,
    );
  });
});

describe('headers', () => {
  it('that expect what nobody knows are answered as usual', async () => {
    const { raw } = await start();
    expect(await raw(get('/api/health', 'Expect: a miracle\r\n'))).toMatch(/^HTTP\/1.1 200/);
  });

  it('that are too many are refused', async () => {
    const { raw, call } = await start();
    const many = Array.from({ length: 5_000 }, (_, index) => `x${index}: y\r\n`).join('');
    expect(await raw(get('/api/health', many), /\}$/)).toMatch(/^HTTP\/1.1 431 [^]*"error"/);
    expect((await call('GET', '/api/health')).status).toBe(200);
  });

  it('are all seen, however many there are', async () => {
    const { raw } = await start();
    const many = 'a:\r\n'.repeat(2_500);
    expect(await raw(get('/api/health', many))).toMatch(/^HTTP\/1.1 200/);
    expect(await raw(get('/api/health', `${many}Origin: https://evil.test\r\n`))).toMatch(/^HTTP\/1.1 403/);
  });

  it('and methods that are none are refused as JSON', async () => {
    const { raw } = await start();
    for (const text of [
      'FOO /api/health HTTP/1.1\r\n\r\n',
      'GET /api/health HTTP/9.9\r\n\r\n',
      '\u0016\u0003\u0001garbage\r\n\r\n',
      'GET /a b HTTP/1.1\r\n\r\n',
    ]) {
      expect(await raw(text)).toMatch(
        /^HTTP\/1.1 400 Bad Request\r\n[^]*\{"error":"this is not a valid HTTP request: /,
      );
    }
  });

  it('that could hide a request are refused', async () => {
    const { raw, call } = await start();
    const post = 'POST /api/state HTTP/1.1\r\nHost: localhost\r\n';
    expect(await raw(`${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`, /\}$/)).toMatch(
      /^HTTP\/1.1 400/,
    );
    expect(await raw(`${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, /\}$/)).toMatch(
      /^HTTP\/1.1 400/,
    );
    expect((await call('GET', '/api/state')).body).toEqual({});
  });
});

describe('slow clients', () => {
  it('are cut off while others are answered', async () => {
    const { raw, call, port } = await start({}, {}, (server) => {
      server.headersTimeout = 100;
      server.requestTimeout = 200;
    });
    const idle: Socket[] = Array.from({ length: 50 }, () =>
      connect(port, '127.0.0.1').on('error', () => undefined),
    );
    for (const socket of idle) socket.write('GET /api/health HTTP/1.1\r\nHost: loc');
    expect((await call('GET', '/api/health')).status).toBe(200);
    const headers = raw('GET /api/health HTTP/1.1\r\nHost: loc');
    const body = raw('POST /api/state HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{');
    expect(await headers).toMatch(/^HTTP\/1.1 408 [^]*\{"error":"the request did not arrive in time"\}$/);
    expect(await body).toMatch(/^HTTP\/1.1 408 /);
    for (const socket of idle) socket.destroy();
  });
});

describe('a server that is handed its connections', () => {
  it('keeps its time-outs', async () => {
    const host = await createHost({ protocols: [plain] });
    const server = createManagementServer(host);
    server.headersTimeout = 50;
    const listener = createServer((socket) => server.emit('connection', socket));
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const socket = connect((listener.address() as AddressInfo).port, '127.0.0.1', () =>
      socket.write('GET /api'),
    );
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await new Promise((resolve) => socket.on('close', resolve));
    expect(text).toMatch(/^HTTP\/1.1 408 /);
    await new Promise((resolve) => listener.close(resolve));
    await new Promise((resolve) => server.close(resolve));
    await host.stop(0);
  });
});

describe('many requests', () => {
  it('on one connection are each answered', async () => {
    const { raw } = await start();
    const one = 'POST /api/state HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"a":"1"}';
    const text = await raw(`${one.repeat(50)}${get('/api/state')}`);
    expect(text.match(/HTTP\/1.1 200/g)).toHaveLength(51);
  });

  it('during resets lose and break nothing', async () => {
    const { call } = await start();
    const statuses = new Set<number>();
    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        statuses.add((await call('POST', '/api/mocks/echo', { id: `m${index}` })).status);
        if (index % 10 === 0) statuses.add((await call('POST', '/api/reset')).status);
        statuses.add((await call('DELETE', `/api/mocks/echo/m${index}`)).status);
      }),
    );
    expect([...statuses].every((status) => [200, 201, 404].includes(status))).toBe(true);
  });
});
