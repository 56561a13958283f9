import { afterEach, describe, expect, it } from '@jest/globals';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

describe('state', () => {
  it('is set, read and deleted', async () => {
    const { call } = await start();
    expect((await call('GET', '/api/state')).body).toEqual({});
    const set = await call('POST', '/api/state', { 'a:1': 'x', 'a:2': 'y', b: 'z' });
    expect([set.status, set.body]).toEqual([200, { 'a:1': 'x', 'a:2': 'y', b: 'z' }]);
    const gone = await call('DELETE', '/api/state/b');
    expect([gone.status, gone.body]).toEqual([200, { deleted: 'b' }]);
    expect((await call('DELETE', '/api/state/b')).body).toEqual({ deleted: 'b' });
    const prefix = await call('DELETE', '/api/state?prefix=a%3A');
    expect([prefix.status, prefix.body]).toEqual([
      200,
      { status: 'cleared', reset_prefix: 'a:', deleted: 2 },
    ]);
    await call('POST', '/api/state', { a: '1' });
    expect((await call('DELETE', '/api/state')).body).toEqual({ status: 'cleared', deleted: 1 });
    await call('POST', '/api/state', { a: '1' });
    expect((await call('DELETE', '/api/state?prefix=')).body).toEqual({
      status: 'cleared',
      reset_prefix: '',
      deleted: 1,
    });
  });

  it('takes keys of any characters', async () => {
    const { call } = await start();
    const keys = ['a/b', 'a b', '\u00fc', '%', '?', '__proto__', 'constructor', 'prefix=x', 'a+b', '.x'];
    const values = `{${keys.map((key) => `${JSON.stringify(key)}:"1"`).join()}}`;
    expect(Object.keys((await call('POST', '/api/state', values)).body).sort()).toEqual([...keys].sort());
    for (const key of keys) {
      expect((await call('DELETE', `/api/state/${encodeURIComponent(key)}`)).body).toEqual({ deleted: key });
    }
    expect((await call('GET', '/api/state')).body).toEqual({});
    expect(Object.hasOwn(Object.prototype, '1')).toBe(false);
  });

  it('expires', async () => {
    const { call, host } = await start();
    await call('POST', '/api/state?ttl=30s', { a: '1' });
    await host.clock.advance(29_000);
    expect((await call('GET', '/api/state')).body).toEqual({ a: '1' });
    await host.clock.advance(1_000);
    expect((await call('GET', '/api/state')).body).toEqual({});
  });

  it('is read in pages by its keys, and whole without', async () => {
    const { call, host } = await start();
    const values = { c: '1', a: '2', '': '3', 'x y&z': '4', e: '5' };
    host.state.setAll(values);
    const page = async (query: string): Promise<readonly string[]> => {
      const { status, body } = await call('GET', `/api/state${query}`);
      expect([query, status]).toEqual([query, 200]);
      expect(values).toMatchObject(body);
      return Object.keys(body);
    };
    expect(await page('')).toEqual(Object.keys(values));
    expect(await page('?limit=2')).toEqual(['c', 'a']);
    expect(await page('?limit=0')).toEqual([]);
    expect(await page('?after=x%20y%26z')).toEqual(['e']);
    const read: string[] = [];
    for (let keys = await page('?limit=1'); keys.length > 0;) {
      read.push(...keys);
      keys = await page(`?limit=1&after=${encodeURIComponent(keys[0] ?? '')}`);
    }
    expect(read).toEqual(Object.keys(values));
    expect(await page('?limit=2&after=a')).toEqual(['', 'x y&z']);
    for (const wrong of ['limit=-1', 'limit=many', 'after=gone']) {
      const { status, body } = await call('GET', `/api/state?${wrong}`);
      expect([wrong, status]).toEqual([wrong, 400]);
      expect(body.details).toEqual([{ path: `/${wrong.split('=')[0]}`, message: expect.any(String) }]);
    }
  });

  it('with keys that are numbers misses none, though JavaScript puts them first', async () => {
    const { call, host } = await start();
    const keys = ['b', '7', '5', 'a', '6', 'c'];
    host.state.setAll(Object.fromEntries(keys.map((key) => [key, 'v'])));
    const seen = new Set<string>();
    for (let after = ''; ;) {
      const { body } = await call('GET', `/api/state?limit=2${after}`);
      const page = Object.keys(body);
      for (const key of page) seen.add(key);
      if (page.length === 0) break;
      after = `&after=${encodeURIComponent(page.at(-1) ?? '')}`;
    }
    expect(seen).toEqual(new Set(keys));
  });

  it('answers what was set alone when there is very much of it', async () => {
    const { call, host } = await start();
    const keys = Object.fromEntries(Array.from({ length: 999 }, (_, index) => [`k${index}`, 'v']));
    host.state.setAll(keys);
    expect((await call('POST', '/api/state', { a: '1' })).body).toEqual({ ...keys, a: '1' });
    expect((await call('POST', '/api/state', { b: '2', c: '3' })).body).toEqual({ b: '2', c: '3' });
    expect((await call('GET', '/api/state')).body).toEqual({ ...keys, a: '1', b: '2', c: '3' });
    expect((await call('DELETE', '/api/state?prefix=k')).body).toMatchObject({ deleted: 999 });
    expect((await call('POST', '/api/state', { d: '4' })).body).toEqual({ a: '1', b: '2', c: '3', d: '4' });
  });

  it('stores nothing of what is not valid', async () => {
    const { call } = await start();
    for (const ttl of ['', '0', '0s', '-1s', 'soon', '5']) {
      const answer = await call('POST', `/api/state?ttl=${ttl}`, { a: '1' });
      const details = [{ path: '/ttl', message: expect.any(String) }];
      expect([ttl, answer.status, answer.body.details]).toEqual([ttl, 400, details]);
    }
    for (const wrong of ['{"a":"1","b":2}', '[]', '"x"', 'null', '{"a":null}', '']) {
      expect([wrong, (await call('POST', '/api/state', wrong)).status]).toEqual([wrong, 400]);
    }
    expect((await call('POST', '/api/state?ttl=1s&ttl=2s', { a: '1' })).status).toBe(400);
    expect((await call('DELETE', '/api/state?prefix=%ff')).status).toBe(400);
    expect((await call('DELETE', '/api/state/')).status).toBe(404);
    expect((await call('GET', '/api/state')).body).toEqual({});
  });
});

describe('snapshots', () => {
  it('are made, listed, restored and deleted', async () => {
    const { call } = await start();
    await call('POST', '/api/state', { a: '1' });
    const made = await call('POST', '/api/snapshots', { name: 'before' });
    expect([made.status, made.body]).toEqual([
      201,
      { id: expect.any(String), name: 'before', created_at: expect.any(String) },
    ]);
    const unnamed = await call('POST', '/api/snapshots');
    expect([unnamed.status, Object.keys(unnamed.body).sort()]).toEqual([201, ['created_at', 'id']]);
    expect((await call('GET', '/api/snapshots')).body).toEqual([made.body, unnamed.body]);
    await call('DELETE', '/api/state');
    const path = `/api/snapshots/${made.body.id}`;
    expect((await call('GET', `${path}/diff?to=${unnamed.body.id}`)).body).toEqual({ changes: [], more: 0 });
    expect((await call('GET', `${path}/diff`)).body).toEqual({
      changes: [{ part: 'state', id: 'a', change: 'removed', before: '1' }],
      more: 0,
    });
    expect((await call('GET', `${path}/diff?to=none`)).status).toBe(404);
    const restored = await call('POST', `${path}/restore`);
    expect([restored.status, restored.body]).toEqual([200, { status: 'restored', restored: made.body.id }]);
    expect((await call('GET', '/api/state')).body).toEqual({ a: '1' });
    expect((await call('GET', path)).body).toEqual(made.body);
    expect((await call('DELETE', path)).body).toEqual({ status: 'deleted', deleted: made.body.id });
    for (const [method, suffix] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/restore'],
    ]) {
      expect((await call(method ?? '', path + suffix)).status).toBe(404);
    }
    expect((await call('POST', '/api/snapshots', { name: 5 })).status).toBe(400);
  });
});

describe('clock', () => {
  it('is driven', async () => {
    const { call } = await start();
    expect((await call('GET', '/api/clock')).body).toEqual({
      now: expect.any(String),
      frozen: false,
      offset_ms: expect.any(Number),
    });
    const set = await call('POST', '/api/clock', { freeze: true, now: '2030-01-01T00:00:00Z' });
    expect([set.status, set.body]).toMatchObject([200, { now: '2030-01-01T00:00:00.000Z', frozen: true }]);
    expect((await call('POST', '/api/clock', { advance: '1h' })).body.now).toBe('2030-01-01T01:00:00.000Z');
    expect((await call('POST', '/api/clock', { freeze: false })).body.frozen).toBe(false);
    await call('POST', '/api/reset');
    expect(Math.abs((await call('GET', '/api/clock')).body.offset_ms)).toBeLessThan(1_000);
  });

  it('refuses what is not valid', async () => {
    const { call } = await start();
    const wrong = [
      {},
      { advance: 5 },
      { advance: '-1s' },
      { advance: 'x' },
      { now: 'noon' },
      { now: '2030-13-01T00:00:00Z' },
      { freeze: 'yes' },
      { other: 1 },
      { advance: '1s', now: '2030-01-01T00:00:00Z' },
    ];
    for (const body of wrong) {
      const answer = await call('POST', '/api/clock', body);
      expect([body, answer.status, answer.body.details]).toEqual([body, 400, [expect.anything()]]);
    }
    const { frozen, offset_ms: offset } = (await call('GET', '/api/clock')).body;
    expect([frozen, Math.abs(offset) < 1_000]).toEqual([false, true]);
  });

  it('ends waits that become due', async () => {
    const { call, connect } = await start(
      {},
      { settings: { echo: { port: 0, mocks: [{ id: 'm', match: 'x', answer: 'late', delay: '1h' }] } } },
    );
    const waiting = call('POST', '/api/calls/echo/m/wait', {});
    const client = await connect();
    client.send('SAY x');
    await waiting;
    await call('POST', '/api/clock', { advance: '1h' });
    expect(await client.nextLine()).toBe('late');
  });
});

describe('explain', () => {
  it('says which mock would answer, without counting', async () => {
    const { call } = await start(
      {},
      {
        settings: {
          echo: {
            port: 0,
            mocks: [
              { id: 'a', match: 'x' },
              { id: 'b', match: 'y' },
            ],
          },
        },
      },
    );
    const { status, body } = await call('POST', '/api/explain/echo', { method: 'SAY', path: 'y' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      outcome: 'matched',
      mock_id: 'b',
      others: [{ mock_id: 'a', reason: expect.any(String) }],
    });
    expect((await call('GET', '/api/calls/echo/b')).body.count).toBe(0);
    expect((await call('GET', '/api/logs')).body).toEqual([]);
    expect((await call('POST', '/api/explain/echo', [])).status).toBe(400);
    const unknown = await call('POST', '/api/explain/echo', { methd: 'SAY', path: 'y' });
    expect([unknown.status, unknown.body.details]).toEqual([
      400,
      [{ path: '/methd', message: 'unknown field "methd"; did you mean "method"?' }],
    ]);
    const line = await call('POST', '/api/explain/echo', '"SAY y"');
    expect([line.status, line.body.error]).toEqual([400, expect.stringContaining('no form in one line')]);
    expect((await call('POST', '/api/explain/nosuch', {})).status).toBe(404);
  });
});
