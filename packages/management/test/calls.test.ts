import { afterEach, describe, expect, it } from '@jest/globals';
import { start, stopAll, type Management } from './support/start.js';

afterEach(stopAll);

const settings = {
  settings: {
    echo: {
      port: 0,
      mocks: [
        { id: 'a', match: 'x' },
        { id: 'b', match: 'y' },
      ],
    },
  },
};

describe('calls', () => {
  it('are counted with their entries', async () => {
    const { call, ask } = await start({}, settings);
    expect((await call('GET', '/api/calls/echo/a')).body).toEqual({ mock_id: 'a', count: 0, calls: [] });
    await ask('SAY x');
    const { body } = await call('GET', '/api/calls/echo/a');
    expect(body).toMatchObject({
      mock_id: 'a',
      count: 1,
      calls: [{ method: 'SAY', path: 'x', matched_id: 'a' }],
    });
    const unknown = await call('GET', '/api/calls/echo/unknown');
    expect([unknown.status, unknown.body]).toEqual([404, { error: 'no mock "unknown" of echo' }]);
    await call('DELETE', '/api/mocks/echo/a');
    expect((await call('GET', '/api/calls/echo/a')).body).toMatchObject({ count: 1 });
  });

  it('are cleared: entries of one mock, counts of all', async () => {
    const { call, ask } = await start({}, settings);
    await ask('SAY x');
    await ask('SAY y');
    const one = await call('DELETE', '/api/calls/echo/a');
    expect([one.status, one.body]).toEqual([200, { status: 'cleared' }]);
    expect((await call('GET', '/api/calls/echo/b')).body).toMatchObject({ count: 0, calls: [{ path: 'y' }] });
    const all = await call('DELETE', '/api/calls/echo');
    expect([all.status, all.body]).toEqual([200, { status: 'cleared' }]);
    expect((await call('GET', '/api/logs')).body).toEqual([]);
  });

  it('are waited for', async () => {
    const { call, ask } = await start({}, settings);
    const waiting = call('POST', '/api/calls/echo/a/wait', { count: 2, timeout: '10s' });
    await ask('SAY x');
    await ask('SAY x');
    expect([(await waiting).status, (await waiting).body]).toEqual([
      200,
      expect.objectContaining({ mock_id: 'a', count: 2 }),
    ]);
    expect((await call('POST', '/api/calls/echo/a/wait', {})).status).toBe(200);
    expect((await call('POST', '/api/calls/echo/a/wait')).status).toBe(200);
  });

  it('are waited for by what their entries have', async () => {
    const { call, ask } = await start({}, settings);
    const wait = (body: object) => call('POST', '/api/calls/echo/a/wait', body);
    await ask('SAY x');
    const there = await wait({ where: { method: 'SAY', path: 'x*' } });
    expect([there.status, there.body]).toMatchObject([
      200,
      { mock_id: 'a', count: 1, calls: [{ path: 'x' }] },
    ]);
    const late = await wait({ where: { method: 'SHOUT' }, timeout: '20ms' });
    expect([late.status, late.body]).toEqual([
      408,
      { error: '0 calls of "a" fit, want 1', mock_id: 'a', want: 1, got: 0 },
    ]);
    const waiting = wait({ count: 2, where: { method: { any_of: ['SHOUT', 'CRY'] } }, timeout: '10s' });
    await ask('CRY x');
    await ask('CRY y');
    await ask('SAY x');
    await ask('SHOUT x');
    await ask('CRY x');
    const { status, body } = await waiting;
    expect(status).toBe(200);
    expect(body.calls.map(({ method }: { method: string }) => method)).toEqual(['CRY', 'SHOUT']);
    for (const where of [{ matched_id: 'a' }, { method: 're:(' }, { since: 'soon' }, 7]) {
      expect((await wait({ where })).status).toBe(400);
    }
  });

  it('that do not come end the wait', async () => {
    const { call, ask } = await start({}, settings);
    await ask('SAY x');
    const { status, body } = await call('POST', '/api/calls/echo/a/wait', { count: 3, timeout: '20ms' });
    expect(status).toBe(408);
    expect(body).toEqual({ error: expect.any(String), mock_id: 'a', want: 3, got: 1 });
  });

  it('that are reset end the wait with a conflict', async () => {
    const management = await start({}, settings);
    const waiting = management
      .call('POST', '/api/calls/echo/a/wait', { timeout: '99999h' })
      .catch((error: unknown) => error);
    await until(management, 1);
    await management.call('POST', '/api/reset');
    expect(await waiting).toMatchObject({ status: 409 });
  });

  it('refuse waits that are not valid', async () => {
    const { call } = await start({}, settings);
    for (const wrong of [
      { count: 0 },
      { count: -1 },
      { count: 1.5 },
      { count: '1' },
      { timeout: 5 },
      { timeout: 'soon' },
      { timeout: '-1s' },
      { other: 1 },
      [],
      'x',
      3,
    ]) {
      const { status, body } = await call('POST', '/api/calls/echo/a/wait', JSON.stringify(wrong));
      expect([wrong, status, body.details]).toEqual([wrong, 400, [expect.anything()]]);
    }
    expect((await call('POST', '/api/calls/echo/a/wait', '{')).status).toBe(400);
  });

  it('free their waits when the client leaves', async () => {
    const management = await start({}, settings);
    const leaving = new AbortController();
    const waits = Array.from({ length: 100 }, () =>
      fetch(`${management.url}/api/calls/echo/a/wait`, {
        method: 'POST',
        body: '{"timeout":"5m"}',
        signal: leaving.signal,
      }).catch(() => 'left'),
    );
    const signals = await until(management, 100);
    leaving.abort();
    expect(await Promise.all(waits)).toEqual(Array.from({ length: 100 }, () => 'left'));
    await Promise.all(signals.map(aborted));
    expect((await management.call('GET', '/api/calls/echo/a')).body.count).toBe(0);
  });
});

/** Resolves once so many waits are under way, with their signals. */
async function until({ host }: Management, count: number): Promise<AbortSignal[]> {
  const { calls } = host.kind('echo');
  const waitUntilCalled = calls.waitUntilCalled.bind(calls);
  const signals: AbortSignal[] = [];
  return new Promise((resolve) => {
    calls.waitUntilCalled = (mockId, want, timeout, signal) => {
      expect(timeout).toBeLessThanOrEqual(300_000);
      if (signal !== undefined) signals.push(signal);
      if (signals.length === count) resolve(signals);
      return waitUntilCalled(mockId, want, timeout, signal);
    };
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });
}
