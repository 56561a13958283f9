import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { INSTALLED_PROTOCOLS } from '../src/installed.generated.js';
import { FREE_PORTS, makeFolder, startCommand, type StartedServer } from './command.js';
import { SAMPLES, type Sample } from './samples.js';

// The endpoint tables of the interface, row by row, against the command as people start it.

let folder: ReturnType<typeof makeFolder>;
let server: StartedServer;
beforeAll(async () => {
  folder = makeFolder();
  server = await startCommand(FREE_PORTS, { cwd: folder.path });
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});
beforeEach(async () => {
  await ask('POST', '/api/reset');
});

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function ask(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${server.urls['api'] ?? ''}${path}`, {
    method,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, body: isJson ? (JSON.parse(text) as unknown) : text };
}

async function call(path: string, options: RequestInit = {}): Promise<Answer> {
  const response = await fetch(`${server.urls['http'] ?? ''}${path}`, options);
  return { status: response.status, body: await response.text() };
}

/** Every protocol that comes with the app; one without a sample fails here. */
const KINDS = INSTALLED_PROTOCOLS.map(({ kind }): [string, Sample] => {
  const sample = SAMPLES[kind];
  if (sample === undefined) throw new Error(`test/samples.ts has no sample for ${kind}`);
  return [kind, sample];
});
const HTTP_MOCK = SAMPLES['http']?.mock;

describe('system', () => {
  it('GET /api/health', async () => {
    expect(await ask('GET', '/api/health')).toEqual({
      status: 200,
      body: { status: 'ok', version: expect.any(String), uptime_ms: expect.any(Number) },
    });
  });

  it('GET /api/protocols', async () => {
    const { status, body } = await ask('GET', '/api/protocols');
    expect(status).toBe(200);
    expect(body).toEqual(
      KINDS.map(([kind]) =>
        expect.objectContaining({
          protocol: kind,
          title: expect.stringMatching(/./),
          enabled: true,
          state: 'running',
          host: expect.any(String),
          port: expect.any(Number),
          transport: expect.stringMatching(/^(stream|datagram|both)$/),
          tls: false,
          connections: 0,
          mocks: expect.any(Number),
        }),
      ),
    );
    const [http] = body as [{ port: number }];
    expect(http.port).toBe(Number(new URL(server.urls['http'] ?? '').port));
  });

  it('POST /api/reset', async () => {
    expect(await ask('POST', '/api/reset')).toEqual({ status: 200, body: { status: 'reset' } });
  });
});

describe.each(KINDS)('mocks of %s', (kind, { mock, noun = 'mock', patch }) => {
  const path = `/api/mocks/${kind}`;

  it('GET, POST, PUT, DELETE', async () => {
    expect(await ask('GET', path)).toEqual({ status: 200, body: [] });
    expect(await ask('POST', path, { id: 'm', ...mock })).toEqual({
      status: 201,
      body: { id: 'm', ...mock },
    });
    expect(await ask('POST', path, { id: 'm', ...mock })).toEqual({
      status: 409,
      body: { error: `${kind} ${noun} "m" already exists; replace it with PUT` },
    });
    expect(await ask('GET', `${path}/m`)).toEqual({ status: 200, body: { id: 'm', ...mock } });
    expect(await ask('PUT', `${path}/m`, { id: 'ignored', ...mock, priority: 2 })).toEqual({
      status: 200,
      body: { id: 'm', ...mock, priority: 2 },
    });
    expect(await ask('PUT', `${path}/none`, mock)).toMatchObject({
      status: 404,
      body: { error: expect.any(String) },
    });
    expect(await ask('PUT', `${path}/m`, { ...mock, nope: 1 })).toMatchObject({
      status: 400,
      body: { details: [{ path: '/nope' }] },
    });
    expect(await ask('GET', `${path}?unused=true`)).toMatchObject({ status: 200, body: [{ id: 'm' }] });
    expect(await ask('DELETE', `${path}/m`)).toEqual({
      status: 200,
      body: { status: 'deleted', deleted: 'm' },
    });
    expect(await ask('DELETE', `${path}/m`)).toMatchObject({ status: 404 });
    const made = await ask('POST', path, mock);
    expect(made).toMatchObject({ status: 201, body: { id: expect.stringMatching(new RegExp(`^${kind}-`)) } });
    expect(
      await ask('POST', path, [
        { id: 'a', ...mock },
        { id: 'b', ...mock },
      ]),
    ).toMatchObject({
      status: 201,
      body: [{ id: 'a' }, { id: 'b' }],
    });
    expect(
      await ask('POST', path, [
        { id: 'c', ...mock },
        { id: 'a', ...mock },
      ]),
    ).toMatchObject({ status: 409 });
    expect(await ask('GET', `${path}/c`)).toMatchObject({ status: 404 });
  });

  it('refuses what is no JSON, empty, or wrong, and changes nothing', async () => {
    for (const body of [
      '{',
      '',
      '5',
      '[]',
      '{"id": 5}',
      '{"__proto__": {"x": 1}}',
      `${'['.repeat(100)}${']'.repeat(100)}`,
    ]) {
      expect(await ask('POST', path, body)).toMatchObject({
        status: 400,
        body: { error: expect.any(String) },
      });
    }
    expect(await ask('GET', path)).toEqual({ status: 200, body: [] });
  });

  it('takes ids of any characters', async () => {
    for (const id of ['a/b', '100%', 'zoë ☃', '..', '__proto__', 'constructor']) {
      expect(await ask('POST', path, { id, ...mock })).toMatchObject({ status: 201, body: { id } });
      // Clients resolve `..` in a url before they send it, escaped or not.
      if (id === '..') continue;
      expect(await ask('GET', `${path}/${encodeURIComponent(id)}`)).toMatchObject({
        status: 200,
        body: { id },
      });
    }
    expect((await ask('GET', path)).body).toHaveLength(6);
  });

  it('has PATCH where the tables have it', async () => {
    await ask('POST', path, { id: 'm', ...mock });
    const [given, patched] = patch ?? [{ status: 503 }, {}];
    const answer = await ask('PATCH', `${path}/m`, given);
    if (patch === undefined) {
      expect(answer).toMatchObject({ status: 405, body: { error: expect.any(String) } });
      return;
    }
    expect(answer).toMatchObject({ status: 200, body: { id: 'm', ...patched } });
    expect(await ask('PATCH', `${path}/none`, given)).toMatchObject({ status: 404 });
    expect(await ask('PATCH', `${path}/m`, { nope: 1 })).toMatchObject({ status: 400 });
  });

  it('refuses what is read from files', async () => {
    expect(await ask('POST', path, { ...mock, file: '/etc/passwd' })).toMatchObject({ status: 400 });
    if (kind !== 'http') return;
    for (const body of [{ file: '/etc/passwd' }, { dir: '/etc' }]) {
      expect(await ask('POST', path, { id: 'f', ...mock, response: { body } })).toMatchObject({
        status: 400,
      });
      await ask('POST', path, { id: 'g', ...mock });
      expect(await ask('PUT', `${path}/g`, { ...mock, response: { body } })).toMatchObject({ status: 400 });
      expect(
        await ask('POST', '/api/scenarios', {
          id: 's',
          patches: [{ mock_id: 'g', merge: { response: { body } } }],
        }),
      ).toMatchObject({ status: 400 });
      await ask('DELETE', `${path}/g`);
    }
  });
});

describe('PATCH of http', () => {
  it('changes what is answered until the next PUT or PATCH', async () => {
    const path = '/api/mocks/http/m';
    await ask('POST', '/api/mocks/http', { id: 'm', ...HTTP_MOCK });
    await ask('PATCH', path, { status: 503 });
    expect(await call('/m')).toEqual({ status: 503, body: 'hello' });
    expect(await ask('PATCH', path, { status: 99 })).toMatchObject({ status: 400 });
    expect(await ask('PATCH', path, { response: { headers: { 'X-B': '2' } } })).toMatchObject({
      body: { response: { status: 200, headers: { 'X-A': '1', 'X-B': '2' } } },
    });
  });
});

const CAPTURING = KINDS.flatMap(([kind, { captures }]) => (captures === undefined ? [] : [[kind, captures]]));
if (CAPTURING.length > 0) {
  describe.each(CAPTURING)('captured messages of %s', (_kind, path) => {
    it('GET, DELETE', async () => {
      expect(await ask('GET', path)).toEqual({ status: 200, body: [] });
      expect(await ask('DELETE', path)).toEqual({ status: 200, body: { status: 'cleared' } });
      // Brokers publish what is posted there, and this is no message.
      expect(await ask('POST', path, null)).toMatchObject({ status: path === '/api/emails' ? 405 : 400 });
    });

    it('GET with filters, GET of one, POST wait', async () => {
      for (const query of ['id=x*', 'since=1h&until=2100-01-01', 'headers=a:*&limit=1']) {
        const isKnown = !query.startsWith('headers') || path !== '/api/mqtt/messages';
        if (path === '/api/amqp/messages' && query.startsWith('headers')) continue;
        expect(await ask('GET', `${path}?${query}`)).toMatchObject({ status: isKnown ? 200 : 400 });
      }
      expect(await ask('GET', `${path}?nosuch=1`)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('"nosuch" is not known here; known are id, ') },
      });
      expect(await ask('GET', `${path}/none`)).toMatchObject({ status: 404 });
      expect(await ask('POST', `${path}/wait`, { timeout: '1ms', where: { id: 'x*' } })).toMatchObject({
        status: 408,
        body: { want: 1, got: 0 },
      });
      expect(await ask('POST', `${path}/wait`, { where: { nosuch: 'x' } })).toMatchObject({ status: 400 });
    });
  });
}

describe('SNMP traps', () => {
  const trap = {
    id: 't',
    target: '127.0.0.1:9',
    version: '2c',
    community: 'public',
    oid: '1.3.6.1.6.3.1.1.5.3',
    bindings: [{ oid: '1.3.6.1.2.1.2.2.1.1.1', type: 'integer', value: 1 }],
  };

  it('GET, POST, POST send', async () => {
    expect(await ask('GET', '/api/snmp/traps')).toEqual({ status: 200, body: [] });
    expect(await ask('POST', '/api/snmp/traps', trap)).toEqual({ status: 201, body: trap });
    expect(await ask('GET', '/api/snmp/traps')).toEqual({ status: 200, body: [trap] });
    for (const wrong of [{}, { ...trap, id: 'u', version: '4' }, { ...trap, id: 'u', oid: 'x' }, '{']) {
      expect(await ask('POST', '/api/snmp/traps', wrong)).toMatchObject({ status: 400 });
    }
    expect(await ask('POST', '/api/snmp/traps/t/send')).toEqual({
      status: 200,
      body: { status: 'sent', sent: 't' },
    });
    expect(await ask('POST', '/api/snmp/traps/none/send')).toMatchObject({ status: 404 });
    await ask('POST', '/api/snmp/traps', { ...trap, id: 'nowhere', target: 'no-such-host.invalid:162' });
    expect(await ask('POST', '/api/snmp/traps/nowhere/send')).toMatchObject({
      status: 500,
      body: { error: expect.any(String) },
    });
    await ask('POST', '/api/reset');
    expect(await ask('GET', '/api/snmp/traps')).toEqual({ status: 200, body: [] });
  });
});

describe('webhooks', () => {
  it('GET, DELETE, POST send', async () => {
    await ask('POST', '/api/mocks/http', {
      id: 'hook',
      request: { method: 'POST', path: '/hook' },
      response: { status: 202 },
    });
    const sent = await ask('POST', '/api/webhooks/send', {
      url: `${server.urls['http'] ?? ''}/hook`,
      body: '{"a":"{{x}}"}',
    });
    expect(sent).toMatchObject({
      status: 200,
      body: {
        id: expect.any(String),
        protocol: 'manual',
        method: 'POST',
        status_code: 202,
        attempt: 1,
        request_body: '{"a":"{{x}}"}',
      },
    });
    expect(await ask('GET', '/api/webhooks')).toEqual({ status: 200, body: [sent.body] });
    for (const body of [
      {},
      { url: '' },
      { url: '/x' },
      { url: 'ftp://localhost/' },
      { url: 'http://localhost:99999/' },
    ]) {
      expect(await ask('POST', '/api/webhooks/send', body)).toMatchObject({ status: 400 });
    }
    expect(await ask('POST', '/api/webhooks/send', { url: 'http://169.254.169.254/latest' })).toMatchObject({
      status: 200,
      body: { error: expect.any(String) },
    });
    expect(await ask('DELETE', '/api/webhooks')).toEqual({ status: 200, body: { status: 'cleared' } });
    expect(await ask('GET', '/api/webhooks')).toEqual({ status: 200, body: [] });
  });
});

describe('call verification', () => {
  it('GET, POST wait, DELETE', async () => {
    await ask('POST', '/api/mocks/http', { id: 'm', ...HTTP_MOCK });
    expect(await ask('GET', '/api/calls/http/m')).toEqual({
      status: 200,
      body: { mock_id: 'm', count: 0, calls: [] },
    });
    const waiting = ask('POST', '/api/calls/http/m/wait', { count: 2, timeout: '5s' });
    await call('/m');
    await call('/m');
    expect(await waiting).toMatchObject({
      status: 200,
      body: { mock_id: 'm', count: 2, calls: [{ path: '/m' }, {}] },
    });
    expect(await ask('POST', '/api/calls/http/m/wait', { count: 3, timeout: '1ms' })).toMatchObject({
      status: 408,
      body: { error: expect.any(String), mock_id: 'm', want: 3, got: 2 },
    });
    expect(await ask('POST', '/api/calls/http/m/wait', { count: 'x' })).toMatchObject({ status: 400 });
    expect(await ask('DELETE', '/api/calls/http/m')).toEqual({ status: 200, body: { status: 'cleared' } });
    expect(await ask('GET', '/api/logs/count?matched_id=m')).toEqual({ status: 200, body: { count: 0 } });
    await call('/m');
    expect(await ask('DELETE', '/api/calls/http')).toEqual({ status: 200, body: { status: 'cleared' } });
    expect(await ask('GET', '/api/calls/http/m')).toMatchObject({ body: { count: 0, calls: [] } });
  });
});

describe('streams', () => {
  it('GET, POST push, POST close', async () => {
    expect(await ask('GET', '/api/streams')).toEqual({ status: 200, body: [] });
    await ask('POST', '/api/mocks/http', {
      id: 's',
      request: { path: '/s' },
      response: { headers: { 'Content-Type': 'text/event-stream' } },
      stream: { keep_open: true },
    });
    const stream = await fetch(`${server.urls['http'] ?? ''}/s`);
    const { body } = await ask('GET', '/api/streams');
    expect(body).toEqual([
      {
        id: expect.any(String),
        protocol: 'http',
        mock_id: 's',
        started_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
    const [{ id }] = body as [{ id: string }];
    expect(
      await ask('POST', '/api/streams/push', { protocol: 'http', conn_id: id, data: 'one {{x}}' }),
    ).toEqual({
      status: 200,
      body: { status: 'pushed', delivered: 1 },
    });
    for (const wrong of [
      { protocol: 'smoke', mock_id: 's', data: 'x' },
      { protocol: 'http', data: 'x' },
      { protocol: 'http', mock_id: 's', conn_id: id, data: 'x' },
      { protocol: 'http', mock_id: 's', data: { a: 1 } },
    ]) {
      expect(await ask('POST', '/api/streams/push', wrong)).toMatchObject({ status: 400 });
    }
    expect(
      await ask('POST', '/api/streams/push', { protocol: 'http', mock_id: 'none', data: 'x' }),
    ).toMatchObject({ status: 404 });
    expect(
      await ask('POST', '/api/streams/close', { protocol: 'http', mock_id: 's', error: 'gone' }),
    ).toEqual({
      status: 200,
      body: { status: 'closed', closed: 1 },
    });
    expect(await stream.text()).toBe('data: one {{x}}\n\nevent: error\ndata: gone\n\n');
    expect(await ask('POST', '/api/streams/close', { protocol: 'http', conn_id: id })).toMatchObject({
      status: 404,
    });
  });
});

describe('scenarios', () => {
  const scenario = {
    id: 'out',
    name: 'Outage',
    patches: [{ mock_id: 'm', status: 502 }],
    faults: { dns: { rcode: 'REFUSED' } },
  };

  it('every row', async () => {
    await ask('POST', '/api/mocks/http', { id: 'm', ...HTTP_MOCK });
    expect(await ask('GET', '/api/scenarios')).toEqual({ status: 200, body: [] });
    expect(await ask('POST', '/api/scenarios', scenario)).toEqual({
      status: 201,
      body: { ...scenario, active: false },
    });
    expect(await ask('POST', '/api/scenarios', scenario)).toMatchObject({ status: 409 });
    expect(await ask('GET', '/api/scenarios/active')).toEqual({
      status: 200,
      body: { active: [], scenarios: [] },
    });
    expect(await ask('GET', '/api/scenarios/out')).toEqual({
      status: 200,
      body: { ...scenario, active: false },
    });
    expect(await ask('POST', '/api/scenarios/out/activate')).toEqual({
      status: 200,
      body: { activated: 'out', active: ['out'] },
    });
    expect(await call('/m')).toMatchObject({ status: 502 });
    expect(await ask('GET', '/api/mocks/http/m')).toMatchObject({ body: { response: { status: 200 } } });
    expect(await ask('GET', '/api/scenarios/active')).toMatchObject({
      body: { active: ['out'], scenarios: [{ id: 'out', active: true }] },
    });
    expect(await ask('GET', '/api/fault/dns/effective')).toEqual({ status: 200, body: { rcode: 'REFUSED' } });
    expect(
      await ask('PUT', '/api/scenarios/out', {
        ...scenario,
        patches: [{ mock_id: 'm', status: 504 }],
        active: true,
      }),
    ).toMatchObject({
      status: 200,
      body: { active: true },
    });
    expect(await call('/m')).toMatchObject({ status: 504 });
    expect(await ask('DELETE', '/api/scenarios/out/activate')).toEqual({
      status: 200,
      body: { deactivated: 'out', active: [] },
    });
    expect(await call('/m')).toMatchObject({ status: 200 });
    await ask('POST', '/api/scenarios/out/activate');
    expect(await ask('POST', '/api/scenarios/out/deactivate')).toMatchObject({
      status: 200,
      body: { deactivated: 'out' },
    });
    await ask('POST', '/api/scenarios/out/activate');
    expect(await ask('DELETE', '/api/scenarios/out')).toEqual({
      status: 200,
      body: { status: 'deleted', deleted: 'out' },
    });
    expect(await call('/m')).toMatchObject({ status: 200 });
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/activate'],
      ['DELETE', '/activate'],
      ['POST', '/deactivate'],
    ] as const) {
      expect(
        await ask(method, `/api/scenarios/none${path}`, method === 'PUT' ? {} : undefined),
      ).toMatchObject({ status: 404 });
    }
  });
});

describe('fault injection', () => {
  it.each(KINDS)('%s', async (kind, sample) => {
    const path = `/api/fault/${kind}`;
    expect(await ask('GET', path)).toEqual({ status: 200, body: null });
    expect(await ask('GET', `${path}/effective`)).toEqual({ status: 200, body: null });
    const fault = { ...sample.fault, delay: '1ms', error_rate: 0.5, enabled: true };
    expect(await ask('POST', path, fault)).toEqual({ status: 200, body: fault });
    expect(await ask('GET', path)).toEqual({ status: 200, body: fault });
    expect(await ask('GET', `${path}/effective`)).toEqual({ status: 200, body: fault });
    expect(await ask('GET', '/api/fault')).toEqual({ status: 200, body: { [kind]: fault } });
    expect(await ask('POST', path, { nope: 1 })).toMatchObject({ status: 400 });
    expect(await ask('POST', path, { error_rate: 2 })).toMatchObject({ status: 400 });
    expect(await ask('DELETE', path)).toMatchObject({ status: 200 });
    await ask('POST', path, {});
    expect(await ask('DELETE', '/api/fault')).toMatchObject({ status: 200 });
    expect(await ask('GET', '/api/fault')).toEqual({ status: 200, body: {} });
  });

  it('has the fields of HTTP and no unknown protocols', async () => {
    await ask('POST', '/api/fault/http', { status: 418, body: 'tea', delay: '1ms', error_rate: 1 });
    expect(await call('/whatever')).toEqual({ status: 418, body: 'tea' });
    for (const kind of ['nothing', '__proto__', 'constructor']) {
      expect(await ask('GET', `/api/fault/${kind}`)).toMatchObject({ status: 404 });
      expect(await ask('POST', `/api/fault/${kind}`, {})).toMatchObject({ status: 404 });
    }
  });
});

describe('state', () => {
  it('every row', async () => {
    expect(await ask('POST', '/api/state', { 'a:1': 'x', 'a:2': 'y', b: 'z' })).toEqual({
      status: 200,
      body: { 'a:1': 'x', 'a:2': 'y', b: 'z' },
    });
    expect(await ask('POST', '/api/state?ttl=1h', { t: '1' })).toMatchObject({
      status: 200,
      body: { t: '1' },
    });
    expect(await ask('POST', '/api/clock', { advance: '1h' })).toMatchObject({ status: 200 });
    expect(await ask('GET', '/api/state')).toEqual({ status: 200, body: { 'a:1': 'x', 'a:2': 'y', b: 'z' } });
    expect(await ask('DELETE', '/api/state/b')).toEqual({ status: 200, body: { deleted: 'b' } });
    expect(await ask('DELETE', '/api/state/b')).toEqual({ status: 200, body: { deleted: 'b' } });
    expect(await ask('DELETE', '/api/state?prefix=a:')).toEqual({
      status: 200,
      body: { status: 'cleared', reset_prefix: 'a:', deleted: 2 },
    });
    for (const ttl of ['', '0', '0s', '-1s', 'soon', '5']) {
      expect(await ask('POST', `/api/state?ttl=${ttl}`, { q: '1' })).toMatchObject({ status: 400 });
    }
    expect(await ask('POST', '/api/state', { q: 1 })).toMatchObject({ status: 400 });
    expect(await ask('GET', '/api/state')).toEqual({ status: 200, body: {} });
    await ask('POST', '/api/state', { x: '1' });
    expect(await ask('DELETE', '/api/state')).toMatchObject({ status: 200, body: { status: 'cleared' } });
    expect(await ask('GET', '/api/state')).toEqual({ status: 200, body: {} });
  });
});

describe('logs', () => {
  it('every row', async () => {
    await ask('POST', '/api/mocks/http', { id: 'm', ...HTTP_MOCK });
    await call('/m?a=1', { headers: { 'X-T': 'v' } });
    await call('/none', { method: 'POST', body: 'text' });
    expect(await ask('GET', '/api/logs')).toMatchObject({
      status: 200,
      body: [
        {
          id: expect.any(String),
          protocol: 'http',
          method: 'GET',
          path: '/m',
          status: 200,
          matched_id: 'm',
          query: { a: '1' },
          headers: { 'x-t': 'v' },
          duration_ms: expect.any(Number),
          remote: expect.stringMatching(/:\d+$/),
          response: { status: 200, body: 'hello' },
        },
        {
          method: 'POST',
          path: '/none',
          status: 404,
          body: 'text',
          near_misses: [{ mock_id: 'm', reason: expect.any(String) }],
        },
      ],
    });
    expect(await ask('GET', '/api/logs?matched_id=m')).toMatchObject({ body: [{ path: '/m' }] });
    expect(await ask('GET', '/api/logs?unmatched=true')).toMatchObject({ body: [{ path: '/none' }] });
    expect(await ask('GET', '/api/logs/count')).toEqual({ status: 200, body: { count: 2 } });
    expect(await ask('GET', '/api/logs/count?matched_id=m')).toEqual({ status: 200, body: { count: 1 } });
    expect(await ask('GET', '/api/logs/count?unmatched=true')).toEqual({
      status: 200,
      body: { count: 1, complete: false },
    });
    const stop = new AbortController();
    const stream = await fetch(`${server.urls['api'] ?? ''}/api/logs/stream`, { signal: stop.signal });
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    await call('/live');
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (!text.includes('"/live"')) text += Buffer.from((await reader.read()).value ?? []).toString();
    expect(text).toMatch(/id: \d+\ndata: \{.*"path":"\/live".*\}\n\n/);
    stop.abort();
    expect(await ask('DELETE', '/api/logs')).toMatchObject({ status: 200, body: { status: 'cleared' } });
    expect(await ask('GET', '/api/logs')).toEqual({ status: 200, body: [] });
  });
});

describe('beyond the tables', () => {
  it('explains, takes snapshots, and has a certificate', async () => {
    await ask('POST', '/api/mocks/http', { id: 'm', ...HTTP_MOCK });
    expect(await ask('POST', '/api/explain/http', { method: 'GET', path: '/m' })).toMatchObject({
      status: 200,
      body: { outcome: 'matched', mock_id: 'm' },
    });
    const made = await ask('POST', '/api/snapshots', { name: 'one' });
    expect(made).toMatchObject({
      status: 201,
      body: { id: expect.any(String), created_at: expect.any(String) },
    });
    await ask('DELETE', '/api/mocks/http/m');
    const { id } = made.body as { id: string };
    expect(await ask('POST', `/api/snapshots/${id}/restore`)).toMatchObject({ status: 200 });
    expect(await ask('GET', '/api/mocks/http')).toMatchObject({ body: [{ id: 'm' }] });
    expect(await ask('DELETE', `/api/snapshots/${id}`)).toMatchObject({ status: 200 });
    expect((await ask('GET', '/api/ca.pem')).body).toContain('BEGIN CERTIFICATE');
  });

  it('answers unknown paths and methods with JSON', async () => {
    expect(await ask('GET', '/api/nothing')).toMatchObject({
      status: 404,
      body: { error: expect.any(String) },
    });
    expect(await ask('GET', '/api/mocks/redis-like')).toMatchObject({ status: 404 });
    expect(await ask('PUT', '/api/health', {})).toMatchObject({
      status: 405,
      body: { error: expect.any(String) },
    });
    expect(await ask('GET', '/api/mocks/http/%ff')).toMatchObject({
      status: 400,
      body: { error: expect.any(String) },
    });
  });

  it('documents every row', async () => {
    const { body } = await ask('GET', '/api/openapi.json');
    const document = body as {
      openapi: string;
      info: object;
      paths: Record<string, Record<string, unknown>>;
    };
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.0.0', license: { name: 'MIT' } },
    });
    const rows = [
      'GET /api/health',
      'GET /api/protocols',
      'POST /api/reset',
      'GET /api/webhooks',
      'DELETE /api/webhooks',
      'POST /api/webhooks/send',
      'GET /api/calls/http/{mockId}',
      'POST /api/calls/http/{mockId}/wait',
      'DELETE /api/calls/http/{mockId}',
      'DELETE /api/calls/http',
      'GET /api/streams',
      'POST /api/streams/push',
      'POST /api/streams/close',
      'GET /api/scenarios',
      'POST /api/scenarios',
      'GET /api/scenarios/active',
      'GET /api/scenarios/{id}',
      'PUT /api/scenarios/{id}',
      'DELETE /api/scenarios/{id}',
      'POST /api/scenarios/{id}/activate',
      'DELETE /api/scenarios/{id}/activate',
      'GET /api/fault',
      'DELETE /api/fault',
      'GET /api/state',
      'POST /api/state',
      'DELETE /api/state/{key}',
      'DELETE /api/state',
      'GET /api/logs',
      'GET /api/logs/count',
      'DELETE /api/logs',
      'GET /api/logs/stream',
      'GET /api/snmp/traps',
      'POST /api/snmp/traps',
      'POST /api/snmp/traps/{id}/send',
      ...KINDS.flatMap(([kind, { captures, patch }]) => [
        `GET /api/mocks/${kind}`,
        `POST /api/mocks/${kind}`,
        `PUT /api/mocks/${kind}/{id}`,
        `DELETE /api/mocks/${kind}/{id}`,
        `GET /api/fault/${kind}`,
        `POST /api/fault/${kind}`,
        `DELETE /api/fault/${kind}`,
        `GET /api/fault/${kind}/effective`,
        ...(captures === undefined ? [] : [`GET ${captures}`, `DELETE ${captures}`]),
        ...(patch === undefined ? [] : [`PATCH /api/mocks/${kind}/{id}`]),
      ]),
    ];
    const documented = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(documented).toEqual(expect.arrayContaining(rows));
  });
});
