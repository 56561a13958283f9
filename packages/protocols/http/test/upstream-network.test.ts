import { once } from 'node:events';
import http2 from 'node:http2';
import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { timers } from '@backlot/kit';
import { stopAll } from './support/http-host.js';
import { ask, cleanUp, recordedBy, recorder, replay, serve, stopRealServers } from './support/real-server.js';

afterEach(async () => {
  jest.restoreAllMocks();
  await stopAll();
  await stopRealServers();
});

/** A server of bytes; gives its port. */
async function listen(take: (socket: net.Socket) => void): Promise<number> {
  const open = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    take(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(() => {
    for (const socket of open) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** Lets the limits of ten seconds be over at once. */
function shortenLimits(): void {
  const { after } = timers;
  jest.spyOn(timers, 'after').mockImplementation((ms, ...rest) => after(ms === 10_000 ? 20 : ms, ...rest));
}

describe('an upstream of HTTP', () => {
  it('is asked once more when it has closed a kept connection, and never twice for a POST', async () => {
    const seen: string[] = [];
    // Each connection answers one request, and breaks off with the next.
    const port = await listen((socket) => {
      let count = 0;
      socket.on('data', (data) => {
        count += 1;
        if (count > 1) return socket.resetAndDestroy();
        seen.push(String(data).slice(0, 4).trim());
        return socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      });
    });
    const { url } = await recorder(`http://127.0.0.1:${port}`, 'passthrough');
    const methods = ['GET', 'GET', 'POST', 'POST', 'GET'];
    for (const method of methods) expect(await ask(url, { method })).toEqual([200, 'ok']);
    expect(seen).toEqual(methods);
  });

  it('has a time limit for its connection, and in the mode diff for its answer', async () => {
    shortenLimits();
    const port = await listen(() => undefined);
    const { url } = await recorder(`https://127.0.0.1:${port}`, 'passthrough');
    expect(await ask(url)).toEqual([
      502,
      '{"error":"the upstream gave no answer: the upstream took no connection within 10 s"}',
    ]);
    const diff = await recorder(`http://127.0.0.1:${port}`, 'diff', [
      { request: {}, response: { body: 'mock' } },
    ]);
    expect(await ask(diff.url)).toEqual([200, 'mock']);
    expect(diff.host.journal.list()[0]?.upstream).toEqual({
      differences: ['the upstream gave no whole answer within 10 s'],
    });
  });

  it('with a path leads redirects and cookies below it here, and others to itself', async () => {
    const upstream = await serve((request, response) => {
      const where = new URL(request.url ?? '', 'http://x').searchParams.get('to') ?? '';
      response.setHeader('Set-Cookie', ['a=1; Path=/api', 'b=1; Path=/api/in; Secure', 'c=1; path=/']);
      response.writeHead(302, { Location: where.replace('HOST', request.headers.host ?? '') }).end();
    });
    const { url } = await recorder(`${upstream}/api`, 'passthrough');
    const lead = async (to: string): Promise<string | null> => {
      const answer = await fetch(`${url}/a/b?to=${encodeURIComponent(to)}`, { redirect: 'manual' });
      expect(answer.headers.getSetCookie()).toEqual(['a=1; Path=/', 'b=1; Path=/in; Secure', 'c=1; path=/']);
      return answer.headers.get('location');
    };
    expect(await lead('/api/login?x=1')).toBe('/login?x=1');
    expect(await lead('/api')).toBe('/');
    expect(await lead('c')).toBe('/a/c');
    expect(await lead('http://HOST/api/x#y')).toBe('/x#y');
    expect(await lead('http://HOST/apiv2/x')).toBe(`${upstream}/apiv2/x`);
    expect(await lead('/other')).toBe(`${upstream}/other`);
    expect(await lead('http://example.com/api/x')).toBe('http://example.com/api/x');
  });

  it('says in the mode diff what was not compared, and no difference where there is no content', async () => {
    const upstream = await serve((request, response) => {
      if (request.url === '/none') return response.writeHead(304).end();
      response.setHeader('Content-Type', 'text/plain');
      return response.end(request.url === '/long' ? 'x'.repeat(3 * 1024 * 1024) : 'mock');
    });
    const text = { headers: { 'Content-Type': 'text/plain' } };
    const { url, host, lines } = await recorder(upstream, 'diff', [
      { request: { path: '/same' }, response: { ...text, body: 'mock' } },
      { request: { path: '/none' }, response: { status: 304 } },
      { request: { path: '/long' }, response: { ...text, body: 'mock' } },
      {
        request: { path: '/stream' },
        response: { headers: { 'Content-Type': 'text/event-stream' } },
        stream: { events: [{ data: 'a' }] },
      },
      { request: { path: '/lost' }, response: { broken: 'reset' } },
    ]);
    await ask(`${url}/same`, { method: 'HEAD' });
    for (const path of ['none', 'long', 'stream', 'lost']) await ask(`${url}/${path}`).catch(() => undefined);
    const noWhole = 'the answers were not compared: the mock gives no whole answer';
    expect(host.journal.list().map(({ path, upstream: noted }) => [path, noted?.differences])).toEqual([
      ['/same', []],
      ['/none', []],
      ['/long', ['the answers were not compared: that of the upstream: its body is longer than 2 MiB']],
      ['/stream', [noWhole]],
      ['/lost', [noWhole]],
    ]);
    expect(lines).toEqual([]);
  });

  it('gets cookies of HTTP/2 in one line, is asked for codings that are known, and warns once of others', async () => {
    const seen: (string | undefined)[][] = [];
    const upstream = await serve((request, response) => {
      const { cookie, 'accept-encoding': accepted } = request.headers;
      const count = request.rawHeaders.filter((name) => name.toLowerCase() === 'cookie').length;
      seen.push([cookie, String(count), accepted]);
      response.writeHead(200, { 'Content-Encoding': 'zstd' }).end('xx');
    });
    const { url, lines } = await recorder(upstream, 'record_new');
    const client = http2.connect(url);
    cleanUp(() => client.close());
    for (const path of ['/a', '/b']) {
      const request = client.request({
        ':path': path,
        cookie: ['a=1', 'b=2'],
        'accept-encoding': 'gzip, br;q=0.5, zstd, *',
      });
      request.resume();
      request.end();
      await once(request, 'close');
    }
    const expected = ['a=1; b=2', '1', 'gzip, br;q=0.5'];
    expect(seen).toEqual([expected, expected]);
    expect(lines).toEqual([
      'warn: what the upstream has answered to GET /a is not recorded: its body has the coding "zstd", which nobody here knows',
    ]);
  });

  it('is recorded with long and wide answers, as texts', async () => {
    const row = { id: 1, name: 'user', tags: ['{{a}}', 'b'], password: 'x', note: 'a\nb' };
    const long = JSON.stringify(Array.from({ length: 20_000 }, () => row));
    const wide = JSON.stringify([...Array.from({ length: 60_000 }, () => 1), '{{a}}']);
    const upstream = await serve((request, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(request.url === '/wide' ? wide : long);
    });
    const recording = await recorder(upstream, 'record_new');
    const passing = await recorder(upstream, 'passthrough');
    await ask(`${passing.url}/long`);
    await ask(`${recording.url}/long`);
    await ask(`${recording.url}/wide`);
    expect(recording.lines).toEqual([]);
    const replayed = await replay(recording);
    // Compared by themselves: a difference would be shown in megabytes.
    expect((await ask(`${replayed.url}/wide`))[1] === wide).toBe(true);
    expect((await ask(`${replayed.url}/long`))[1] === long.replaceAll('"x"', '"REDACTED"')).toBe(true);
    expect(recordedBy(recording)).toHaveLength(2);
  });
});
