import http2 from 'node:http2';
import { afterEach, describe, expect, it } from '@jest/globals';
import { RawClient, startHttp, stopAll, type HttpHost } from './support/http-host.js';

afterEach(stopAll);

const MOCKS = [
  {
    id: 'pay',
    request: { path: '/pay/v1/{what}' },
    response: { body: '{{request.path}}?{{request.query.a}}' },
  },
  { id: 'root', request: { path: '/v1/x' }, response: { body: 'the root' } },
];

const mounted = (mounts: readonly object[]): Promise<HttpHost> => startHttp(MOCKS, { mounts });

async function ask(port: number, host: string, target = '/v1/x?a=1'): Promise<string> {
  const client = new RawClient(port).send(
    `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
  );
  const text = await client.until((all) => /\r\n\r\n[^]+/.test(all));
  client.destroy();
  return text.slice(text.indexOf('\r\n\r\n') + 4);
}

describe('a host name that stands for a path', () => {
  it('is seen below it, in any case and with any port, and others are not', async () => {
    const { port, host } = await mounted([{ path: '/pay', hosts: ['pay.localhost'] }]);
    expect(await ask(port, 'pay.localhost')).toBe('/pay/v1/x?1');
    expect(await ask(port, `PAY.localhost:${port}`)).toBe('/pay/v1/x?1');
    expect(await ask(port, 'pay.localhost', 'http://pay.localhost/v1/x?a=2')).toBe('/pay/v1/x?2');
    expect(await ask(port, 'pay.localhost', '/pay/v1/z?a=4')).toBe('/pay/v1/z?4');
    expect(await ask(port, 'pay.localhost', '/payment')).toContain('/pay/payment');
    expect(await ask(port, 'localhost')).toBe('the root');
    expect(await ask(port, 'x.pay.localhost')).toBe('the root');
    expect(await ask(port, 'localhost', '/pay/v1/y?a=3')).toBe('/pay/v1/y?3');
    expect(host.journal.list()[0]).toMatchObject({ path: '/pay/v1/x', matched_id: 'pay' });
  });

  it('with a star stands for every name below it, unless a longer one or a name itself has a path', async () => {
    const { port } = await mounted([
      { path: '/pay', hosts: ['*.Pay.localhost'] },
      { path: '/store', hosts: ['*.eu.pay.localhost', 'own.pay.localhost'] },
    ]);
    expect(await ask(port, 'a.pay.localhost')).toBe('/pay/v1/x?1');
    expect(await ask(port, `A.b.pay.localhost:${port}`)).toBe('/pay/v1/x?1');
    expect(await ask(port, 'pay.localhost')).toBe('the root');
    expect(await ask(port, 'a.eu.pay.localhost')).toContain('/store/v1/x');
    expect(await ask(port, 'own.pay.localhost')).toContain('/store/v1/x');
  });

  it('is that of the authority in HTTP/2', async () => {
    const { port } = await mounted([{ path: '/pay', hosts: ['pay.localhost'] }]);
    const session = http2.connect(`http://127.0.0.1:${port}`);
    const stream = session.request({ ':path': '/v1/x?a=5', ':authority': `pay.localhost:${port}` });
    let body = '';
    for await (const chunk of stream) body += String(chunk);
    session.close();
    expect(body).toBe('/pay/v1/x?5');
  });

  it('serves a request for an upgrade that nobody takes below its path once', async () => {
    const { port } = await mounted([{ path: '/pay', hosts: ['pay.localhost'] }]);
    const client = new RawClient(port).send(
      'GET /v1/x?a=1 HTTP/1.1\r\nHost: pay.localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
    );
    const text = await client.until((all) => /\r\n\r\n[^]+/.test(all));
    client.destroy();
    expect(text).toContain('/pay/v1/x?1');
  });
});

describe('a port that stands for a path', () => {
  it('takes requests below it alone, is shown in the status, and closes with the rest', async () => {
    const { host, port } = await mounted([{ path: '/pay', port: 0 }, { path: '/other' }]);
    const status = host.kind('http')?.status() as { mounts: { path: string; port?: number }[] };
    expect(status.mounts).toEqual([{ path: '/pay', port: expect.any(Number) }, { path: '/other' }]);
    const own = status.mounts[0]?.port ?? 0;
    expect(own).not.toBe(port);
    expect(await ask(own, 'anything')).toBe('/pay/v1/x?1');
    expect(await ask(port, 'localhost')).toBe('the root');
    const open = new RawClient(own).send('GET /v1/x HTTP/1.1\r\nHost: a\r\n\r\n');
    await open.until((text) => text.includes('/pay/v1/x'));
    expect(host.kind('http')?.status()).toMatchObject({ connections: 1 });
    expect(host.kind('http')?.connections.list()).toHaveLength(1);
    await host.stop(0);
    await expect(ask(own, 'a')).rejects.toThrow();
  });

  it('that is in use is an error with the path, and nothing goes on listening', async () => {
    const { port } = await mounted([]);
    await expect(mounted([{ path: '/pay', port }])).rejects.toThrow(`mount /pay: address already in use`);
  });
});

describe('a mount that is wrong', () => {
  it.each([
    [{ path: 'pay' }, '/path'],
    [{ path: '/pay/' }, '/path'],
    [{ path: '/pay/{id}' }, '/path'],
    [{ path: '/pay', hosts: ['pay.localhost:80'] }, '/hosts/0'],
    [{ path: '/pay', hosts: ['pay.*'] }, '/hosts/0'],
    [{ path: '/pay', decode: ['zip'] }, '/decode'],
    [{ path: '/pay', port: 70_000 }, '/port'],
    [{ path: '/pay', host: 'x' }, '/host'],
  ])('%j is refused', async (mount, place) => {
    await expect(mounted([mount])).rejects.toThrow(place);
  });
});
