import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { RawClient, startHttp, stopAll } from './support/http-host.js';

afterEach(stopAll);

const ECHO = {
  id: 'echo',
  request: { path: '/echo' },
  response: { body: '[{{request.raw_body}}]', headers: { 'Content-Type': 'text/plain' } },
};
const last = (text: string): boolean => text.includes('last');
const LAST = { id: 'last', request: { path: '/last' }, response: { body: 'last' } };
const GET_LAST = 'GET /last HTTP/1.1\r\nHost: a\r\n\r\n';

function statuses(text: string): string[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((found) => found[1] ?? '');
}

describe('HTTP/1.1', () => {
  it('keeps connections open and answers pipelined requests in their order, slow ones included', async () => {
    const { host, port } = await startHttp([
      { id: 'slow', request: { path: '/slow' }, response: { body: 'slow', delay: '1h' } },
      ECHO,
      LAST,
    ]);
    host.clock.freeze(true);
    const client = new RawClient(port).send(
      'GET /slow HTTP/1.1\r\nHost: a\r\n\r\nPOST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi' +
        GET_LAST,
    );
    await host.kind('http').calls.wait('last', 1, 60_000);
    expect(client.received).toBe('');
    await host.clock.advance(3_600_000);
    const text = await client.until(last);
    expect(text.replace(/HTTP[\s\S]*?\r\n\r\n/g, '|')).toBe('|slow|[hi]|last');
    client.destroy();
  });

  it('reads chunked bodies, absolute targets and bodies in many pieces', async () => {
    const { port, host } = await startHttp([ECHO]);
    const client = new RawClient(port).send(
      'POST http://mock.test/echo?a=1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: 1\r\n\r\n',
    );
    await client.until((text) => text.includes('[abcde]'));
    client.send('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nab');
    client.send('cd');
    await new Promise((resolve) => setImmediate(resolve));
    client.send('ef');
    await client.until((text) => text.includes('[abcdef]'));
    expect(host.journal.list()[0]).toMatchObject({ path: '/echo', query: { a: '1' } });
    client.destroy();
  });

  it('keeps the connection open after bodies of every size', async () => {
    const { port, host, lines } = await startHttp([LAST]);
    const client = new RawClient(port);
    for (const size of [1, 1025, 70_000]) {
      const body = 'x'.repeat(size);
      client.send(`POST /last HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n${body}`);
      client.received = '';
      await client.until(last);
    }
    expect(lines).toEqual([]);
    expect(host.journal.list().map((entry) => String(entry['body']).length)).toEqual([1, 1025, 65_536]);
    client.destroy();
  });

  it('serves HTTP/1.0 and a client that ends its side after the request', async () => {
    const { port } = await startHttp([LAST]);
    expect(await new RawClient(port).send('GET /last HTTP/1.0\r\n\r\n').closed).toMatch(
      /^HTTP\/1\.1 200 OK[\s\S]*last$/,
    );
    const half = new RawClient(port).send(GET_LAST);
    half.socket.end();
    expect(await half.closed).toMatch(/last$/);
  });

  it('allows a body that waits for leave', async () => {
    const { port } = await startHttp([ECHO], { max_body_bytes: 10 });
    const client = new RawClient(port).send(
      'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n',
    );
    await client.until((text) => text === 'HTTP/1.1 100 Continue\r\n\r\n');
    client.send('hi');
    await client.until((text) => text.includes('[hi]'));
    client.send('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n');
    const text = await client.closed;
    expect(statuses(text)).toEqual(['100', '200', '413']);
  });
});

describe('bodies that are too large', () => {
  it('get 413 before they are read', async () => {
    const { host, port } = await startHttp([ECHO], { max_body_bytes: 1000 });
    const client = new RawClient(port).send(
      'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 200000000\r\n\r\n',
    );
    const text = await client.until((received) => received.includes('max_body_bytes'));
    expect(text).toMatch(
      /^HTTP\/1\.1 413 [\s\S]*Connection: close[\s\S]*"the request body is larger than 1000 bytes/,
    );
    client.destroy();
    expect(host.journal.list()[0]).toMatchObject({ status: 413, path: '/echo' });
  });

  it('get 413 when they come in chunks, and the client may finish sending', async () => {
    const { port, url } = await startHttp([ECHO], { max_body_bytes: 1000 });
    const client = new RawClient(port).send(
      'POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    for (let n = 0; n < 20; n += 1) client.send(`ff\r\n${'x'.repeat(255)}\r\n`);
    client.send('0\r\n\r\n');
    expect(statuses(await client.closed)).toEqual(['413']);
    expect(client.failure).toBeUndefined();
    const answer = await fetch(`${url}/echo`, { method: 'POST', body: 'x'.repeat(3_000_000) });
    expect(answer.status).toBe(413);
  });

  it('get 413 however much the client sends before it reads', async () => {
    const { port } = await startHttp([ECHO], { max_body_bytes: 1000 });
    const length = 32 * 1024 * 1024;
    const client = new RawClient(port).send(
      `POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`,
    );
    client.send('x'.repeat(length));
    expect(statuses(await client.closed)).toEqual(['413']);
    expect(client.failure).toBeUndefined();
  });

  it('get 413 after leave was given to send them', async () => {
    const { port } = await startHttp([ECHO], { max_body_bytes: 1000 });
    const client = new RawClient(port).send(
      'POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    await client.until((text) => text.startsWith('HTTP/1.1 100 Continue'));
    const chunk = `100000\r\n${'x'.repeat(1024 * 1024)}\r\n`;
    client.send(chunk.repeat(32));
    client.send('0\r\n\r\n');
    expect(statuses(await client.closed)).toEqual(['100', '413']);
    expect(client.failure).toBeUndefined();
  });

  it('up to the limit are taken', async () => {
    const { url } = await startHttp([ECHO], { max_body_bytes: 1000 });
    expect(
      await (await fetch(`${url}/echo`, { method: 'POST', body: 'x'.repeat(1000) })).text(),
    ).toHaveLength(1002);
  });
});

describe('bytes that are no request', () => {
  it.each([
    ['garbage', '\x00\x01\x02garbage\r\n\r\n', 400],
    ['a TLS hello', '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03', 400],
    ['an unknown method', 'FOO / HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a missing Host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['two Hosts', 'GET /last HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n', 400],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
    [
      'length and chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /last HTTP/1.1\r\n\r\n',
      400,
    ],
    [
      'chunks and length',
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a bad chunk', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 400],
    ['a negative length', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n', 400],
    ['5,000 headers', `GET / HTTP/1.1\r\nHost: a\r\n${'X: 1\r\n'.repeat(5000)}\r\n`, 431],
    ['a 200 KB target', `GET /${'a'.repeat(200_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 501],
  ])('%s', async (_name, bytes, status) => {
    const { port, url } = await startHttp([LAST]);
    const text = await new RawClient(port).send(bytes).closed;
    expect(statuses(text)).toEqual([String(status)]);
    expect(text).toMatch(/connection: close/i);
    expect(await (await fetch(`${url}/last`)).text()).toBe('last');
  });

  it('do not overtake the answers before them', async () => {
    const { host, port } = await startHttp([
      { id: 'slow', request: { path: '/slow' }, response: { body: 'slow', delay: '1h' } },
      LAST,
    ]);
    host.clock.freeze(true);
    const client = new RawClient(port).send(
      `GET /slow HTTP/1.1\r\nHost: a\r\n\r\n${GET_LAST}garbage\r\n\r\n`,
    );
    await host.kind('http').calls.wait('last', 1, 60_000);
    await host.clock.advance(3_600_000);
    expect(statuses(await client.closed)).toEqual(['200', '200', '400']);
  });

  it('end only their own connection, however many they are', async () => {
    const { host, port, url } = await startHttp([LAST]);
    const clients = Array.from({ length: 200 }, (_, n) =>
      new RawClient(port).send(n % 2 === 0 ? 'GET /last HT' : '\xff\xff\r\n\r\n'),
    );
    await Promise.all(clients.filter((_, n) => n % 2 === 1).map((client) => client.closed));
    for (const client of clients) client.destroy();
    await eventually(() => host.kind('http').status()['connections'] === 0);
    expect(await (await fetch(`${url}/last`)).text()).toBe('last');
  });
});

describe('a client that leaves', () => {
  it('in the middle of a delay is journaled as aborted', async () => {
    const { host, port } = await startHttp([{ id: 'slow', request: { path: '/slow' }, delay: '1h' }]);
    const client = new RawClient(port).send('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
    await host.kind('http').calls.wait('slow', 1, 60_000);
    client.destroy();
    await eventually(() => host.journal.list()[0]?.['aborted'] === true);
    expect(host.journal.list()).toEqual([expect.objectContaining({ matched_id: 'slow', aborted: true })]);
  });

  it('in the middle of its body has sent no request', async () => {
    const { host, port } = await startHttp([ECHO]);
    const client = new RawClient(port).send(
      'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc',
    );
    await eventually(() => host.kind('http').status()['connections'] === 1);
    client.destroy();
    await eventually(() => host.kind('http').status()['connections'] === 0);
    expect(host.journal.list()).toEqual([]);
  });

  it('with thousands of requests sent ahead is cut', async () => {
    const { host, port } = await startHttp([{ id: 'slow', request: { path: '/slow' }, delay: '1h' }]);
    const client = new RawClient(port).send('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1500));
    await client.closed;
    expect(host.journal.count({ matchedId: 'slow' }).count).toBeLessThan(1500);
  });
});

describe('stopping', () => {
  it('lets started answers end and closes idle connections', async () => {
    const { host, port } = await startHttp([
      { id: 'slow', request: { path: '/slow' }, response: { body: 'slow', delay: '50ms' } },
      LAST,
    ]);
    const idle = new RawClient(port).send(GET_LAST);
    await idle.until(last);
    const busy = new RawClient(port).send('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
    await host.kind('http').calls.wait('slow', 1, 60_000);
    await host.stop(2000);
    expect(await busy.closed).toMatch(/slow$/);
    await idle.closed;
    await expect(fetch(`http://127.0.0.1:${port}/last`)).rejects.toThrow();
  });
});
