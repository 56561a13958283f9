import { describe, expect, it } from '@jest/globals';
import { eventually, freePort, startBell, startTarget } from './support.js';

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('a webhook', () => {
  it('is rendered from the message and recorded with the entry that caused it', async () => {
    const target = await startTarget((response) => response.writeHead(201).end('grüß'));
    const bell = await startBell([
      {
        url: `${target.url}/hook/{{body.id}}`,
        headers: { 'X-Id': 'nr {{body.id}} ü' },
        body: '{"path": "{{request.path}}"}',
      },
    ]);
    await bell.ring('{"id": 7}');
    const [attempt] = await bell.attempts(1);
    expect(attempt).toEqual({
      id: expect.any(String),
      mock_id: 'm',
      log_id: '1',
      protocol: 'bell',
      timestamp: expect.stringMatching(RFC3339),
      url: `${target.url}/hook/7`,
      method: 'POST',
      request_headers: { 'X-Id': 'nr 7 ü', 'Content-Type': 'application/json' },
      request_body: '{"path": "/ring"}',
      status_code: 201,
      response_body: 'grüß',
      attempt: 1,
      duration_ms: expect.any(Number),
    });
    expect(target.received).toMatchObject([{ method: 'POST', url: '/hook/7', body: '{"path": "/ring"}' }]);
    const { headers } = target.received[0] ?? {};
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': '17',
      connection: 'close',
    });
    expect(Buffer.from(String(headers?.['x-id']), 'latin1').toString('utf8')).toBe('nr 7 ü');
  });

  it('belongs to the trace of its message, unless it has headers of its own for that', async () => {
    const target = await startTarget();
    const bell = await startBell([
      { url: target.url, body: 'x' },
      { url: target.url, body: 'y', headers: { Traceparent: 'none' } },
    ]);
    const trace = {
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      tracestate: 'vendor=1',
      baggage: 'user=7',
    };
    await bell.ring('{}', '/ring', '127.0.0.1:1', trace);
    await bell.attempts(2);
    const of = (body: string): unknown => target.received.find((one) => one.body === body)?.headers;
    expect(of('x')).toMatchObject(trace);
    expect(of('y')).toMatchObject({ ...trace, traceparent: 'none' });
    // What is no trace is not handed on; baggage goes without one.
    await bell.ring('{}', '/ring', '127.0.0.1:1', { ...trace, traceparent: '00-0-0-01' });
    await bell.attempts(4);
    const { headers } = target.received.findLast((one) => one.body === 'x') ?? {};
    expect(headers).toMatchObject({ baggage: 'user=7' });
    expect(headers).not.toHaveProperty('traceparent');
    expect(headers).not.toHaveProperty('tracestate');
  });

  it('keeps a content type and a method that are given', async () => {
    const target = await startTarget();
    const bell = await startBell([
      { url: target.url, method: 'put', headers: { 'content-type': 'text/plain' }, body: 'x' },
    ]);
    await bell.ring();
    const [attempt] = await bell.attempts(1);
    expect(attempt).toMatchObject({
      method: 'PUT',
      request_headers: { 'content-type': 'text/plain' },
      status_code: 204,
    });
    expect(attempt).not.toHaveProperty('response_body');
    expect(target.received).toMatchObject([{ method: 'PUT', headers: { 'content-type': 'text/plain' } }]);
  });

  it('frames its body itself', async () => {
    const target = await startTarget();
    const bell = await startBell([
      { url: target.url, headers: { 'Content-Length': '1', 'Transfer-Encoding': 'chunked' }, body: 'four' },
    ]);
    await bell.ring();
    await bell.attempts(1);
    expect(target.received).toMatchObject([{ body: 'four', headers: { 'content-length': '4' } }]);
  });

  it('waits for its delay and between attempts on the virtual clock, and is tried again after a 5xx', async () => {
    const target = await startTarget((response, number) =>
      response.writeHead(number < 3 ? 500 : 200).end(`answer ${number}`),
    );
    const bell = await startBell([
      { url: target.url, body: '{{uuid}}', delay: '10m', retries: 5, retry_delay: '1h' },
    ]);
    bell.host.clock.freeze(true);
    await bell.ring();
    await bell.host.clock.advance(599_000);
    expect(target.received).toHaveLength(0);
    await bell.host.clock.advance(1_000);
    await bell.attempts(1);
    await bell.host.clock.advance(3_599_000);
    expect(target.received).toHaveLength(1);
    await bell.host.clock.advance(1_000);
    await bell.attempts(2);
    await bell.host.clock.advance(3_600_000);
    const history = await bell.attempts(3);
    await bell.host.clock.advance(36_000_000);
    expect(history).toMatchObject([
      { attempt: 1, status_code: 500, response_body: 'answer 1' },
      { attempt: 2, status_code: 500 },
      { attempt: 3, status_code: 200 },
    ]);
    expect(
      new Date(history[2]?.timestamp ?? 0).valueOf() - new Date(history[1]?.timestamp ?? 0).valueOf(),
    ).toBe(3_600_000);
    expect(new Set(target.received.map((request) => request.body)).size).toBe(1);
    expect(bell.history()).toHaveLength(3);
  });

  it('is not tried again after a 4xx or a redirect, which is not followed', async () => {
    const elsewhere = await startTarget();
    const target = await startTarget((response, number) =>
      number === 1
        ? response.writeHead(404).end()
        : response.writeHead(302, { location: elsewhere.url }).end(),
    );
    const bell = await startBell([{ url: target.url, retries: 3, retry_delay: '0s' }]);
    await bell.ring();
    await bell.attempts(1);
    await bell.ring();
    expect(await bell.attempts(2)).toMatchObject([{ status_code: 404 }, { status_code: 302 }]);
    await bell.ring();
    await bell.attempts(3);
    expect(elsewhere.received).toHaveLength(0);
  });

  it('is tried again when nobody listens, or the connection breaks', async () => {
    const port = await freePort();
    const breaking = await startTarget((response, number) =>
      number === 1
        ? response.destroy()
        : response.writeHead(200, { 'content-length': '10' }).end('half', () => response.destroy()),
    );
    const bell = await startBell([
      { url: `http://127.0.0.1:${port}/`, retries: 1, retry_delay: '0s' },
      { url: breaking.url, retries: 1, retry_delay: '0s' },
    ]);
    await bell.ring();
    const history = await bell.attempts(4);
    const [first, second] = history.filter(({ url }) => url.includes(String(port)));
    expect(first?.error).toContain('ECONNREFUSED');
    expect(second).toMatchObject({ attempt: 2, error: expect.stringContaining('ECONNREFUSED') });
    const broken = history.filter(({ url }) => url === breaking.url);
    expect(broken).toMatchObject([
      { error: expect.any(String) },
      { attempt: 2, status_code: 200, response_body: 'half', error: expect.any(String) },
    ]);
    expect(broken[0]).not.toHaveProperty('status_code');
  });

  it('gives up on a target that hangs, before or within its answer', async () => {
    const target = await startTarget((response, number) => {
      if (number === 2) response.writeHead(200).write('begun');
    });
    const bell = await startBell([{ url: target.url, retries: 1, retry_delay: '0s' }], { timeout: 1_500 });
    await bell.ring();
    expect(await bell.attempts(2)).toMatchObject([
      { attempt: 1, error: 'no answer within 1.5 s' },
      { attempt: 2, status_code: 200, response_body: 'begun', error: 'no answer within 1.5 s' },
    ]);
  });

  it('reads 64 KiB of an answer and no more', async () => {
    let isCut = false;
    const target = await startTarget((response) => {
      response.once('close', () => (isCut = true));
      response.writeHead(200).write('ä'.repeat(32 * 1024 - 1));
      response.write('aßa'.repeat(1_000_000));
    });
    const bell = await startBell([{ url: target.url }]);
    await bell.ring();
    const [attempt] = await bell.attempts(1);
    expect(Buffer.byteLength(attempt?.response_body ?? '')).toBe(64 * 1024 - 1);
    expect(attempt?.response_body?.endsWith('äa')).toBe(true);
    expect(attempt).not.toHaveProperty('error');
    await eventually(() => isCut);
  });

  it('is one record without a call when its url renders to nothing valid', async () => {
    const bell = await startBell([{ url: '{{body.url}}', retries: 3, retry_delay: '0s' }]);
    for (const url of [
      '',
      'nowhere',
      'ftp://127.0.0.1/',
      'http://',
      'http://127.0.0.1:99999/',
      'file:///etc/hostname',
    ]) {
      await bell.ring(JSON.stringify({ url }));
    }
    const history = await bell.attempts(6);
    expect(history.map(({ url, error }) => [url, error])).toEqual(
      ['', 'nowhere', 'ftp://127.0.0.1/', 'http://', 'http://127.0.0.1:99999/', 'file:///etc/hostname'].map(
        (url) => [
          url,
          `"${url}" is no url that can be called; it must be absolute, as in http://127.0.0.1:8080/path`,
        ],
      ),
    );
  });

  it('cannot be given further headers by a message', async () => {
    const target = await startTarget();
    const bell = await startBell([{ url: target.url, headers: { 'X-Name': '{{body.name}}' } }]);
    await bell.ring(JSON.stringify({ name: 'a\r\nX-Admin: 1\r\n\r\nGET /secret HTTP/1.1' }));
    expect(await bell.attempts(1)).toMatchObject([
      { error: expect.stringContaining('X-Name holds a line break') },
    ]);
    expect(target.received).toHaveLength(0);
  });

  it('never holds up the mock and never has more than 64 requests in flight', async () => {
    let open = 0;
    let most = 0;
    const release: (() => void)[] = [];
    const target = await startTarget((response, _number, request) => {
      open += 1;
      most = Math.max(most, open);
      release.push(() => {
        open -= 1;
        response.end(request.url);
      });
    });
    const bell = await startBell([{ url: `${target.url}{{request.path}}` }]);
    for (let number = 0; number < 100; number += 1) await bell.ring('', `/${number}`);
    await eventually(() => open === 64);
    expect(bell.history()).toHaveLength(0);
    while (bell.history().length < 100) {
      release.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(most).toBe(64);
    expect(target.received.slice(64).map(({ url }) => url)).toEqual(
      Array.from({ length: 36 }, (_, index) => `/${64 + index}`),
    );
  });

  it('is dropped with a record when too many wait', async () => {
    const bell = await startBell(
      Array.from({ length: 1_000 }, () => ({ url: 'http://127.0.0.1:9/', delay: '1h' })),
    );
    for (let number = 0; number < 11; number += 1) await bell.ring();
    expect(bell.history()).toHaveLength(1_000);
    expect(bell.history()[0]).toMatchObject({
      url: 'http://127.0.0.1:9/',
      error: 'dropped: 10000 webhooks wait to be sent already',
    });
    bell.host.reset();
    await bell.ring();
    expect(bell.history()).toHaveLength(0);
  });

  it('is not sent at all when webhooks are off', async () => {
    const target = await startTarget();
    const bell = await startBell([{ url: target.url }], { enabled: false });
    await bell.ring();
    await expect(bell.host.webhooks?.send({ url: target.url })).rejects.toMatchObject({
      code: 'not_enabled',
    });
    expect(target.received).toHaveLength(0);
    expect(bell.history()).toHaveLength(0);
  });
});

describe('the history', () => {
  it('holds the newest 1,000 and can be cleared', async () => {
    const bell = await startBell([{ url: '{{request.path}}' }]);
    for (let number = 0; number < 1_010; number += 1) await bell.ring('', `x${number}`);
    await eventually(() => bell.history().at(-1)?.url === 'x1009');
    expect(bell.history()).toHaveLength(1_000);
    expect(bell.history()[0]?.url).toBe('x10');
    bell.host.webhooks?.clear();
    expect(bell.history()).toEqual([]);
  });

  it('is bounded by bytes too', async () => {
    const bell = await startBell([{ url: '{{request.path}}', body: '{{request.raw_body}}' }]);
    const body = 'x'.repeat(4 * 1024 * 1024);
    for (let number = 0; number < 12; number += 1) await bell.ring(body, `x${number}`);
    await eventually(() => bell.history().at(-1)?.url === 'x11');
    expect(bell.history().length).toBeLessThan(9);
    expect(bell.history().length).toBeGreaterThan(4);
  });
});

describe('a reset', () => {
  it('cancels what waits and records nothing of what is under way', async () => {
    let arrived = 0;
    let left = 0;
    const target = await startTarget((_response, _number, request) => {
      arrived += 1;
      request.socket.once('close', () => (left += 1));
    });
    const bell = await startBell([
      { url: `${target.url}/now`, retries: 3, retry_delay: '0s' },
      { url: `${target.url}/later`, delay: '50s' },
    ]);
    await bell.ring();
    await eventually(() => arrived === 1);
    bell.host.reset();
    await eventually(() => left === 1);
    await bell.host.clock.advance(60_000);
    expect(target.received.map(({ url }) => url)).toEqual(['/now']);
    expect(bell.history()).toEqual([]);
  });

  it('ends a webhook that calls its own mock, even when its request has left already', async () => {
    const remotes: string[] = [];
    const target = await startTarget((_response, _number, { socket }) =>
      remotes.push(`${socket.remoteAddress ?? ''}:${socket.remotePort ?? 0}`),
    );
    const bell = await startBell([{ url: `${target.url}{{request.path}}` }]);
    const paths = (): string[] => target.received.map(({ url }) => url);
    await bell.ring('{}', '/first');
    await eventually(() => remotes.length === 1);
    bell.host.reset();
    await bell.ring('{}', '/its-own', remotes[0]);
    // Whatever the one before has sent is there before the last of these.
    for (const [index, path] of ['/second', '/third', '/last'].entries()) {
      await bell.ring('{}', path, `127.0.0.1:${index + 2}`);
      await eventually(() => paths().includes(path));
    }
    expect(paths()).toEqual(['/first', '/second', '/third', '/last']);
  });

  it('lets a request that was sent by hand reach whoever asked for it, without a record', async () => {
    let answer: (() => void) | undefined;
    const target = await startTarget((response) => {
      answer = () => response.end('late');
    });
    const bell = await startBell([]);
    const sent = bell.host.webhooks?.send({ url: target.url });
    await eventually(() => answer !== undefined);
    bell.host.reset();
    answer?.();
    expect(await sent).toMatchObject({ protocol: 'manual', status_code: 200, response_body: 'late' });
    expect(bell.history()).toEqual([]);
  });
});

describe('a stop', () => {
  it('frees sockets and ends what was sent by hand', async () => {
    let arrived = 0;
    const target = await startTarget(() => (arrived += 1));
    const bell = await startBell([{ url: target.url }]);
    for (let number = 0; number < 70; number += 1) await bell.ring();
    const sent = bell.host.webhooks?.send({ url: target.url });
    await eventually(() => arrived === 64);
    await bell.host.stop(0);
    expect(await sent).toMatchObject({ error: 'cancelled: the server is stopping' });
    expect(bell.history()).toHaveLength(1);
    await bell.ring();
    expect(arrived).toBe(64);
  });
});
