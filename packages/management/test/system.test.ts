import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { start, stopAll } from './support/start.js';

afterEach(async () => {
  jest.restoreAllMocks();
  await stopAll();
});

describe('system', () => {
  it('says that it is up, and that it is stopping', async () => {
    const { call, host } = await start();
    const up = await call('GET', '/api/health');
    expect(up.status).toBe(200);
    expect(up.body).toEqual({ status: 'ok', version: '1.2.3', uptime_ms: expect.any(Number) });
    expect(up.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(up.headers.get('x-powered-by')).toBeNull();
    expect(up.headers.get('etag')).toBeNull();
    await host.stop(0);
    const stopping = await call('GET', '/api/health');
    expect([stopping.status, stopping.body]).toEqual([503, { status: 'stopping' }]);
  });

  it('lists the protocols', async () => {
    const { call, host } = await start();
    const { body } = await call('GET', '/api/protocols');
    expect(body.map((kind: { protocol: string }) => kind.protocol)).toEqual(['echo', 'plain-text', 'asleep']);
    expect(body[0]).toMatchObject({
      title: 'Echo',
      enabled: true,
      state: 'running',
      port: host.kind('echo').address?.port,
    });
    expect(body[2]).toMatchObject({ enabled: false, state: 'stopped' });
  });

  it('resets everything', async () => {
    const { call, ask } = await start(
      {},
      { settings: { echo: { port: 0, mocks: [{ id: 'a', match: 'x' }] } } },
    );
    await ask('KEEP x');
    await call('POST', '/api/mocks/echo', { id: 'b' });
    await call('POST', '/api/state', { k: 'v' });
    await call('POST', '/api/fault/echo', { text: 'no' });
    await call('POST', '/api/scenarios', { id: 's' });
    const { status, body } = await call('POST', '/api/reset');
    expect([status, body]).toEqual([200, { status: 'reset' }]);
    expect((await call('GET', '/api/mocks/echo')).body).toEqual([{ id: 'a', match: 'x' }]);
    expect((await call('GET', '/api/state')).body).toEqual({});
    expect((await call('GET', '/api/fault')).body).toEqual({});
    expect((await call('GET', '/api/scenarios')).body).toEqual([]);
    expect((await call('GET', '/api/logs')).body).toEqual([]);
    expect((await call('GET', '/api/echoes')).body).toEqual([]);
    expect((await call('GET', '/api/calls/echo/a')).body.count).toBe(0);
  });

  it('gives its certificate to clients, where there is one', async () => {
    const pem = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';
    const { call } = await start({ caCertificate: () => Promise.resolve(pem) });
    const found = await call('GET', '/api/ca.pem');
    expect([found.status, found.text, found.headers.get('content-type')]).toEqual([
      200,
      pem,
      'application/x-pem-file',
    ]);
    const without = await start();
    const missing = await without.call('GET', '/api/ca.pem');
    expect([missing.status, missing.body]).toEqual([
      404,
      { error: 'this server has no self-signed certificate' },
    ]);
  });
});

describe('methods', () => {
  it('answer HEAD as GET without a body', async () => {
    const { call } = await start();
    const { text } = await call('GET', '/api/protocols');
    const head = await call('HEAD', '/api/protocols');
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([
      200,
      '',
      String(Buffer.byteLength(text)),
    ]);
    expect((await call('HEAD', '/api/nothing')).status).toBe(404);
    const stream = await call('HEAD', '/api/logs/stream');
    expect([stream.status, stream.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
  });

  it('answer OPTIONS with what is possible', async () => {
    const { call } = await start();
    const { status, headers, text } = await call('OPTIONS', '/api/mocks/echo');
    expect([status, headers.get('allow'), text]).toEqual([204, 'GET, POST, HEAD, OPTIONS', '']);
    expect((await call('OPTIONS', '/api/nothing')).status).toBe(404);
  });

  it('that a path lacks answer 405', async () => {
    const { call } = await start();
    const given: [string, string, string][] = [
      ['DELETE', '/api/mocks/echo', 'GET, POST, HEAD, OPTIONS'],
      ['PUT', '/api/health', 'GET, HEAD, OPTIONS'],
      ['GET', '/api/reset', 'POST, OPTIONS'],
      ['PATCH', '/api/scenarios/x', 'GET, PUT, DELETE, HEAD, OPTIONS'],
      ['POST', '/api/logs', 'GET, DELETE, HEAD, OPTIONS'],
    ];
    for (const [method, path, allowed] of given) {
      const answer = await call(method, path);
      expect([method, path, answer.status, answer.headers.get('allow')]).toEqual([
        method,
        path,
        405,
        allowed,
      ]);
      expect(answer.body.error).toBe(`${method} is not possible here; possible are ${allowed}`);
    }
  });
});

describe('a request that holds the event loop', () => {
  it('is a line of the log that names its route and its client', async () => {
    let ahead = 0;
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
    // A busy machine takes the processor away from the test, which is no stall of its own.
    const usage = process.resourceUsage();
    jest.spyOn(process, 'resourceUsage').mockReturnValue(usage);
    // Nor does anybody look whether the event loop comes round: on such a machine it does not, for other reasons.
    const every = setInterval;
    const beat = 100;
    jest
      .spyOn(globalThis, 'setInterval')
      .mockImplementation((run: () => void, ms?: number) => every(ms === beat ? () => undefined : run, ms));
    const lines: string[] = [];
    const { call, host } = await start(
      {},
      { log: ({ level, kind, text }) => lines.push(`${level} ${kind}: ${text}`), watchEventLoop: true },
    );
    jest.spyOn(host, 'resetInSlices').mockImplementation(() => {
      ahead += 300;
      return Promise.resolve();
    });
    await call('POST', '/api/reset');
    await call('GET', '/api/health');
    expect(lines).toEqual([
      expect.stringMatching(
        /^warn backlot: POST \/api\/reset from 127\.0\.0\.1:\d+ held the event loop for \d+ ms$/,
      ),
    ]);
  });
});
