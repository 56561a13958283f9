import { createRequire } from 'node:module';
import { afterEach, describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import type * as Sentry from '@sentry/node';

const load = createRequire(import.meta.url);
const sentry = load('@sentry/node') as typeof Sentry;

const backlot = useBacklot({ services: ['sentry'] });

/** Starts the SDK as an application does, but for what watches this process. */
function connect(options: Sentry.NodeOptions = {}): Sentry.NodeClient {
  const client = sentry.init({
    dsn: backlot.env.SENTRY_DSN,
    defaultIntegrations: false,
    // It needs hooks of the module loader, which a test runner has of its own.
    enableRuntimeChannelInjection: false,
    ...options,
  });
  if (client === undefined) throw new Error('the SDK did not start');
  return client;
}

afterEach(async () => {
  await sentry.close(1000);
  sentry.getIsolationScope().clearBreadcrumbs();
  sentry.getCurrentScope().clearAttachments();
});

const rows = (name: string): readonly unknown[] => backlot.collection(`sentry:${name}`).list();

/** Calls the web API. */
async function api(path: string, init: RequestInit = {}, token = 'sntryu_backlot'): Promise<Response> {
  return fetch(`${backlot.env.SENTRY_URL}/api/0${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
  });
}

/** Posts an envelope as it is. */
async function post(
  body: string,
  key = 'backlot',
  project = '1',
): Promise<{ status: number; json: unknown }> {
  const response = await fetch(`${backlot.env.SENTRY_URL}/api/${project}/envelope/?sentry_key=${key}`, {
    method: 'POST',
    body,
  });
  return { status: response.status, json: await response.json() };
}

class TeaError extends Error {
  override readonly name = 'TeaError';
}

describe('events', () => {
  it('are kept with what the SDK knows of them', async () => {
    connect({ release: 'tea@1.0.0', environment: 'test' });
    sentry.setTag('pot', 'blue');
    sentry.setUser({ id: '7' });
    sentry.addBreadcrumb({ message: 'kettle on' });
    const id = sentry.captureException(new TeaError('too cold'));
    await sentry.flush();
    expect(backlot.collection('sentry:events').get(id)).toMatchObject({
      project: '1',
      event_id: id,
      release: 'tea@1.0.0',
      environment: 'test',
      tags: { pot: 'blue' },
      user: { id: '7' },
      breadcrumbs: [{ message: 'kettle on' }],
      exception: { values: [{ type: 'TeaError', value: 'too cold' }] },
      sdk: { name: 'sentry.javascript.node' },
    });
    expect(rows('envelopes')).toMatchObject([{ header: { event_id: id }, items: ['event'] }]);
  });

  it('are messages too, and can be waited for', async () => {
    connect();
    sentry.captureMessage('Tea is ready', 'warning');
    const { calls } = await backlot.host.kind('http').calls.wait('sentry:envelope', 1, 10_000);
    expect(calls).toMatchObject([{ method: 'POST', path: '/sentry/api/1/envelope/' }]);
    expect(rows('events')).toMatchObject([{ message: 'Tea is ready', level: 'warning' }]);
  });

  it('have attachments with their bytes', async () => {
    connect();
    const bytes = Uint8Array.from([0, 10, 255, 10]);
    const id = sentry.captureMessage('with a file', {
      attachments: [{ filename: 'a.bin', data: bytes, contentType: 'application/x-tea' }],
    } as never);
    sentry.getCurrentScope().addAttachment({ filename: 'b.bin', data: bytes });
    const second = sentry.captureException(new TeaError('with a file'));
    await sentry.flush();
    expect(id).not.toBe(second);
    expect(rows('attachments')).toMatchObject([
      { event_id: second, filename: 'b.bin', size: 4, content: Buffer.from(bytes).toString('base64') },
    ]);
    const listed = await api(`/projects/backlot/backlot/events/${second}/attachments/`);
    expect(await listed.json()).toMatchObject([{ name: 'b.bin', size: 4 }]);
  });

  it('that are large arrive compressed', async () => {
    connect();
    const id = sentry.captureException(new TeaError('long'), { extra: { text: 'tea '.repeat(20_000) } });
    await sentry.flush();
    const row = backlot.collection<{ extra: { text: string } }>('sentry:events').get(id);
    expect(row.extra.text).toHaveLength(80_000);
  });
});

describe('other items', () => {
  it('are spans, or transactions that hold them', async () => {
    connect({ tracesSampleRate: 1 });
    const brew = (): void =>
      sentry.startSpan({ name: 'brew', op: 'tea' }, () =>
        sentry.startSpan({ name: 'boil' }, () => undefined),
      );
    brew();
    await sentry.flush();
    expect(rows('spans')).toMatchObject([{ name: 'boil' }, { name: 'brew', is_segment: true }]);
    await sentry.close();
    connect({ tracesSampleRate: 1, traceLifecycle: 'static' });
    brew();
    await sentry.flush();
    expect(rows('transactions')).toMatchObject([
      { transaction: 'brew', contexts: { trace: { op: 'tea' } }, spans: [{ description: 'boil' }] },
    ]);
  });

  it('are sessions, whose end is put over their beginning', async () => {
    connect({ release: 'tea@1.0.0' });
    sentry.startSession();
    sentry.captureSession();
    await sentry.flush();
    expect(rows('sessions')).toMatchObject([{ status: 'ok', init: true, attrs: { release: 'tea@1.0.0' } }]);
    sentry.endSession();
    await sentry.flush();
    expect(rows('sessions')).toMatchObject([{ status: 'exited' }]);
  });

  it('are check-ins', async () => {
    connect();
    const id = sentry.captureCheckIn(
      { monitorSlug: 'brew', status: 'in_progress' },
      { schedule: { type: 'interval', value: 1, unit: 'day' } },
    );
    await sentry.flush();
    expect(rows('check-ins')).toMatchObject([{ id, monitor_slug: 'brew', status: 'in_progress' }]);
    sentry.captureCheckIn({ checkInId: id, monitorSlug: 'brew', status: 'ok', duration: 3 });
    await sentry.flush();
    expect(rows('check-ins')).toMatchObject([
      { id, status: 'ok', duration: 3, monitor_config: { schedule: { type: 'interval' } } },
    ]);
    const cron = await fetch(`${backlot.env.SENTRY_URL}/api/1/cron/brew/backlot/?status=error`);
    expect([cron.status, rows('check-ins').length]).toEqual([202, 2]);
  });

  it('are logs, metrics and feedback', async () => {
    connect();
    sentry.logger.warn('the pot is hot', { degrees: 99 });
    sentry.metrics.count('cups', 2);
    sentry.captureFeedback({ message: 'more tea', email: 'ann@example.com' });
    await sentry.flush();
    expect(rows('logs')).toMatchObject([
      { level: 'warn', body: 'the pot is hot', attributes: { degrees: { value: 99 } } },
    ]);
    expect(rows('metrics')).toMatchObject([{ name: 'cups', type: 'counter', value: 2 }]);
    expect(rows('feedback')).toMatchObject([{ contexts: { feedback: { message: 'more tea' } } }]);
  });
});

describe('items of types that are not known', () => {
  it('are kept as they are', async () => {
    expect(
      await post('{}\n{"type": "replay_recording", "length": 3}\n{}\n\n{"type": "profile"}\n{"a": 1}'),
    ).toEqual({
      status: 200,
      json: {},
    });
    expect(rows('items')).toMatchObject([
      { type: 'replay_recording', payload: {}, content: 'e30K' },
      { type: 'profile', payload: { a: 1 } },
    ]);
  });
});

describe('issues', () => {
  it('are made of events with one fingerprint, listed in pages, resolved, and come back', async () => {
    connect();
    for (const message of ['one', 'two', 'two']) sentry.captureException(new TeaError(message));
    await sentry.flush();
    const path = '/projects/backlot/backlot/issues/';
    const first = await api(`${path}?per_page=1`);
    expect(first.headers.get('link')).toContain('rel="next"; results="true"; cursor="0:1:0"');
    expect(await first.json()).toMatchObject([
      { title: 'TeaError: two', count: '2', status: 'unresolved', shortId: 'BACKLOT-2' },
    ]);
    expect(await (await api(`${path}?per_page=1&cursor=0:1:0`)).json()).toMatchObject([
      { title: 'TeaError: one' },
    ]);
    const one = '/organizations/backlot/issues/1/';
    const resolved = await api(one, { method: 'PUT', body: '{"status": "resolved"}' });
    expect(await resolved.json()).toMatchObject({ status: 'resolved' });
    expect(await (await api(path)).json()).toHaveLength(1);
    sentry.captureException(new TeaError('one'));
    await sentry.flush();
    expect(await (await api(one)).json()).toMatchObject({ status: 'unresolved', substatus: 'regressed' });
    const events = (await (await api(`${one}events/`)).json()) as { id: string }[];
    expect(events).toHaveLength(2);
    const whole = await api(`/projects/backlot/backlot/events/${String(events[0]?.id)}/`);
    expect(await whole.json()).toMatchObject({ groupID: '1', entries: [{ type: 'exception' }] });
    expect((await api(one, { method: 'DELETE' })).status).toBe(202);
    expect((await api(one)).status).toBe(404);
  });

  it.each([
    ['/organizations/backlot/issues/99/', {}, 404],
    ['/projects/backlot/nothing/issues/', {}, 404],
    ['/projects/backlot/backlot/issues/?per_page=0', {}, 400],
    ['/projects/backlot/backlot/events/?cursor=x', {}, 400],
    ['/nothing/', {}, 404],
  ])('refuse %s', async (path, init, status) => {
    const answer = await api(path, init);
    expect([answer.status, await answer.json()]).toEqual([status, { detail: expect.any(String) }]);
  });

  it('need a token', async () => {
    expect((await api('/projects/backlot/backlot/issues/', {}, 'invalid')).status).toBe(401);
    backlot.scenarios.activate('sentry:expired-token');
    expect((await api('/projects/backlot/backlot/issues/')).status).toBe(401);
  });
});

describe('what is wrong', () => {
  it.each([
    ['no json', 400],
    ['{}\n{"length": 2}\n{}', 400],
    ['{}\n{"type": "event", "length": 9}\n{}', 400],
    ['{}\n{"type": "event"}\n[]', 400],
    ['{}\n{"type": "event"}\n{}', 400],
    ['{"event_id": "x"}\n{"type": "event"}\n{}', 400],
    ['{}\n{"type": "session"}\n{}', 400],
  ])('with the envelope %j is said as Relay says it', async (body, status) => {
    expect(await post(body)).toEqual({
      status,
      json: { detail: expect.any(String), causes: expect.any(Array) },
    });
    expect(rows('envelopes')).toEqual([]);
  });

  it('with the key or the project is said', async () => {
    expect(await post('{}', 'other')).toMatchObject({ status: 403 });
    expect(await post('{}', 'backlot', '9')).toMatchObject({ status: 403 });
    expect(await post('{}', '')).toMatchObject({ status: 403 });
    const lost = await fetch(`${backlot.env.SENTRY_URL}/api/1/minidump/`, { method: 'POST' });
    const { detail } = (await lost.json()) as { detail: string };
    expect([lost.status, detail]).toEqual([404, expect.stringContaining(' /api/{project}/envelope/,')]);
  });
});

/** The status that the SDK was answered with. */
async function statusOf(client: Sentry.NodeClient): Promise<number | undefined> {
  const answered = new Promise<number | undefined>((resolve) => {
    client.on('afterSendEvent', (_event, { statusCode }) => resolve(statusCode));
  });
  sentry.captureMessage('tea');
  return answered;
}

describe('scenarios', () => {
  it.each([
    ['rate-limited', 429],
    ['outage', 503],
    ['wrong-key', 403],
    ['too-large', 413],
  ])('%s', async (name, status) => {
    backlot.scenarios.activate(`sentry:${name}`);
    expect(await statusOf(connect())).toBe(status);
    expect(rows('events')).toEqual([]);
  });

  it('rate-limited makes the SDK send nothing more', async () => {
    backlot.scenarios.activate('sentry:rate-limited');
    const client = connect();
    await statusOf(client);
    backlot.scenarios.deactivate('sentry:rate-limited');
    sentry.captureMessage('more tea');
    await sentry.flush();
    expect(rows('events')).toEqual([]);
  });

  it('errors-limited takes all but errors, and the SDK tells later what it has dropped', async () => {
    backlot.scenarios.activate('sentry:errors-limited');
    const client = connect();
    expect(await statusOf(client)).toBe(200);
    sentry.captureMessage('dropped by the SDK');
    sentry.captureCheckIn({ monitorSlug: 'brew', status: 'ok' });
    await sentry.flush();
    expect([rows('events').length, rows('check-ins').length]).toEqual([0, 1]);
    expect(rows('client-reports')).toMatchObject([
      { discarded_events: [{ reason: 'ratelimit_backoff', category: 'error', quantity: 1 }] },
    ]);
  });

  it('slow goes on when the clock does', async () => {
    backlot.clock.freeze(true);
    backlot.scenarios.activate('sentry:slow');
    const client = connect();
    const status = statusOf(client);
    await backlot.host.kind('http').calls.wait('sentry:envelope', 1, 10_000);
    await backlot.clock.advance(600_000);
    expect(await status).toBe(200);
  });

  it('broken loses the connection', async () => {
    backlot.scenarios.activate('sentry:broken');
    await expect(post('{}')).rejects.toThrow('fetch failed');
  });
});
