import { afterEach, describe, expect, it } from '@jest/globals';
import { problemsOf } from '@backlot/conformance';
import { RawClient, startHttp, stopAll } from './support/http-host.js';

afterEach(stopAll);

const MOCK = {
  id: 'a',
  request: { path: '/' },
  response: { status: 201, headers: { 'X-A': '1' }, body: 'hello {{query.n}}' },
};
const GET = 'GET /?n=you HTTP/1.1\r\nHost: a\r\n\r\n';

describe('a fault of the kind', () => {
  it('is 503 by default, and keeps what had matched', async () => {
    const { host, url } = await startHttp([MOCK]);
    host.faults.set('http', {});
    const answer = await fetch(url);
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      503,
      'application/json',
      '{"error":"fault injected"}',
    ]);
    expect((await fetch(`${url}/missing`)).status).toBe(503);
    expect(host.journal.list()).toEqual([
      expect.objectContaining({ matched_id: 'a', fault: true, status: 503 }),
      expect.objectContaining({ path: '/missing', fault: true }),
    ]);
    host.faults.clear('http');
    expect((await fetch(url)).status).toBe(201);
  });

  it('takes a body of JSON, as that of a mock does', async () => {
    const { host, url } = await startHttp([
      MOCK,
      { id: 'b', request: { path: '/b' }, fault: { status: 429, json: ['{{no template}}', null] } },
    ]);
    const ask = async (path: string): Promise<unknown> => {
      const answer = await fetch(url + path);
      return [answer.status, answer.headers.get('content-type'), await answer.text()];
    };
    expect(await ask('/b')).toEqual([429, 'application/json', '["{{no template}}",null]']);
    host.faults.set('http', { json: { error: { code: 7 } } });
    expect(await ask('/')).toEqual([503, 'application/json', '{"error":{"code":7}}']);
    host.faults.set('http', { json: { long: 'text' }, truncate_body: 3 });
    await expect(ask('/')).rejects.toThrow();
    expect(() => host.faults.set('http', { body: '', json: 1 })).toThrow(/json: cannot stand beside body/);
    expect(() => host.faults.set('http', { body: { a: 1 } })).toThrow(/json/);
    const both = { request: { path: '/c' }, fault: { body: 'a', json: {} } };
    expect(problemsOf(() => host.kind('http').mocks.create(both))[0]).toMatch(
      /fault\/json:? cannot stand beside/,
    );
  });

  it('takes status, body and headers, and the older name of status', async () => {
    const { host, url } = await startHttp([MOCK]);
    host.faults.set('http', { status: 429, body: 'slow', headers: { 'Retry-After': '5' } });
    const answer = await fetch(url);
    expect([
      answer.status,
      answer.headers.get('retry-after'),
      answer.headers.get('content-type'),
      await answer.text(),
    ]).toEqual([429, '5', 'text/plain; charset=utf-8', 'slow']);
    host.faults.set('http', { status_override: 502, enabled: true });
    expect((await fetch(url)).status).toBe(502);
    host.faults.set('http', { status: 204 });
    expect((await fetch(url)).status).toBe(204);
  });

  it('that cannot be sent is refused', async () => {
    const { host } = await startHttp();
    expect(problemsOf(() => host.faults.set('http', { headers: { 'a b': 'c' } }))[0]).toMatch(
      /"a b" is not a header name/,
    );
    expect(problemsOf(() => host.faults.set('http', { headers: { a: 'b\nc' } }))[0]).toMatch(/line break/);
    expect(problemsOf(() => host.faults.set('http', { headers: { 'Content-Length': '9' } }))[0]).toMatch(
      /Content-Length cannot be given/,
    );
    expect(problemsOf(() => host.faults.set('http', { status: 99 }))).not.toEqual([]);
  });

  it('resets the connection', async () => {
    const { host, port } = await startHttp([MOCK]);
    host.faults.set('http', { abort: true });
    const client = new RawClient(port).send(GET);
    expect(await client.closed).toBe('');
    expect(client.failure?.code).toBe('ECONNRESET');
    expect(host.journal.list()[0]).toMatchObject({ matched_id: 'a', fault: true });
  });

  it('truncates the answer of the mock', async () => {
    const { host, port, url } = await startHttp([MOCK]);
    host.faults.set('http', { truncate_body: 3 });
    const text = await new RawClient(port).send(GET).closed;
    expect(text).toMatch(
      /^HTTP\/1\.1 201 Created\r\nX-A: 1\r\n[\s\S]*Content-Length: 9\r\n[\s\S]*\r\n\r\nhel$/,
    );
    await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow();
    host.faults.set('http', { truncate_body: 0, status: 500, body: 'oops' });
    expect(await new RawClient(port).send(GET).closed).toMatch(
      /^HTTP\/1\.1 500 [\s\S]*Content-Length: 4\r\n[\s\S]*\r\n\r\n$/,
    );
  });

  it('truncates a stream', async () => {
    const stream = { events: [{ data: 'hello', event: 'a' }, { data: 'x' }] };
    const { host, port } = await startHttp([{ id: 's', request: { path: '/' }, stream }]);
    host.faults.set('http', { truncate_body: 10 });
    expect(await new RawClient(port).send(GET).closed).toMatch(
      /^HTTP\/1\.1 200 [\s\S]*Content-Length: 31\r\n[\s\S]*\r\n\r\nevent: a\nd$/,
    );
  });

  it('that only delays leaves the answer alone', async () => {
    const { host, url } = await startHttp([MOCK]);
    host.faults.set('http', { delay: '1h' });
    host.clock.freeze(true);
    const answer = fetch(`${url}/?n=x`);
    await host.kind('http').calls.wait('a', 1, 60_000);
    await host.clock.advance(3_600_000);
    expect(await (await answer).text()).toBe('hello x');
  });

  it('of phase connect refuses connections', async () => {
    const { host, port, url } = await startHttp([MOCK]);
    host.faults.set('http', { phase: 'connect' });
    const client = new RawClient(port).send(GET);
    expect(await client.closed).toBe('');
    host.faults.clear('http');
    expect((await fetch(url)).status).toBe(201);
  });
});

describe('the fault of one mock', () => {
  it('answers in its place as often as its rate says', async () => {
    const { url } = await startHttp([
      { ...MOCK, fault: { status_override: 502, body: '{"bad":1}', headers: { 'X-F': '1' } } },
      { id: 'half', request: { path: '/half' }, fault: { status: 500, error_rate: 0.5 } },
      { id: 'never', request: { path: '/never' }, fault: { error_rate: 0 } },
      { id: 'always', request: { path: '/always' }, fault: {} },
    ]);
    const answer = await fetch(url);
    expect([answer.status, answer.headers.get('x-f'), await answer.text()]).toEqual([502, '1', '{"bad":1}']);
    const half = await Promise.all(
      Array.from({ length: 60 }, async () => (await fetch(`${url}/half`)).status),
    );
    expect(new Set(half)).toEqual(new Set([200, 500]));
    expect((await fetch(`${url}/never`)).status).toBe(200);
    expect((await fetch(`${url}/always`)).status).toBe(503);
  });

  it('with nothing but a delay is latency', async () => {
    const { host, url } = await startHttp([
      { ...MOCK, fault: { delay: '2s' } },
      { id: 'range', request: { path: '/r' }, fault: { delay_range: { min: '1s', max: '2s' } } },
    ]);
    host.clock.freeze(true);
    for (const [path, id] of [
      ['/', 'a'],
      ['/r', 'range'],
    ] as const) {
      const answer = fetch(url + path);
      await host.kind('http').calls.wait(id, 1, 60_000);
      await host.clock.advance(2000);
      expect((await answer).status).toBeLessThan(300);
    }
  });

  it('is checked when the mock is made', async () => {
    const { host } = await startHttp();
    const { mocks } = host.kind('http');
    const create = (fault: object): string[] => problemsOf(() => mocks.create({ ...MOCK, fault }));
    expect(create({ delay: '1s', delay_range: { min: '1s', max: '2s' } })[0]).toMatch(/cannot both be given/);
    expect(create({ delay_range: { min: '2s', max: '1s' } })[0]).toMatch(/min 2s is longer than max 1s/);
    expect(create({ headers: { 'a b': 'c' } })[0]).toMatch(/is not a header name/);
    expect(create({ error_rate: 2 })).not.toEqual([]);
  });
});

describe('webhooks', () => {
  it('of a mock are fired when it matches', async () => {
    const fired: string[] = [];
    const { url } = await startHttp(
      [{ ...MOCK, webhooks: [{ url: 'http://127.0.0.1:1/{{query.n}}' }] }],
      {},
      {
        webhooks: () => ({
          enabled: true,
          fire: (
            webhooks: readonly { url: { render(scope: unknown): string } }[],
            { scope }: { scope: unknown },
          ) => fired.push(...webhooks.map((webhook) => webhook.url.render(scope))),
          history: () => [],
          clear: () => undefined,
          reset: () => undefined,
          stop: () => Promise.resolve(),
        }),
      },
    );
    await fetch(`${url}/?n=7`);
    expect(fired).toEqual(['http://127.0.0.1:1/7']);
  });
});
