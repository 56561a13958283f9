import { afterEach, describe, expect, it } from '@jest/globals';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

describe('mocks', () => {
  it('are created, listed, read, replaced and deleted', async () => {
    const { call, ask } = await start();
    expect((await call('GET', '/api/mocks/echo')).body).toEqual([]);
    const created = await call('POST', '/api/mocks/echo', { id: 'a', match: 'x', answer: 'one' });
    expect([created.status, created.body]).toEqual([201, { id: 'a', match: 'x', answer: 'one' }]);
    expect(await ask('SAY x')).toBe('one');
    expect((await call('GET', '/api/mocks/echo/a')).body).toEqual(created.body);
    const replaced = await call('PUT', '/api/mocks/echo/a', { id: 'other', match: 'x', answer: 'two' });
    expect([replaced.status, replaced.body]).toEqual([200, { id: 'a', match: 'x', answer: 'two' }]);
    expect(await ask('SAY x')).toBe('two');
    const removed = await call('DELETE', '/api/mocks/echo/a');
    expect([removed.status, removed.body]).toEqual([200, { status: 'deleted', deleted: 'a' }]);
    expect(await ask('SAY x')).toBe('unmatched');
  });

  it('get an id when they have none', async () => {
    const { call } = await start();
    const { body } = await call('POST', '/api/mocks/echo', { match: 'x' });
    expect(body.id).toMatch(/^echo-\w+$/);
  });

  it('are refused when the id exists', async () => {
    const { call } = await start();
    await call('POST', '/api/mocks/echo', { id: 'x', answer: 'first' });
    const { status, body } = await call('POST', '/api/mocks/echo', { id: 'x', answer: 'second' });
    expect(status).toBe(409);
    expect(body.error).toBe('echo mock "x" already exists; replace it with PUT');
    expect((await call('GET', '/api/mocks/echo')).body).toEqual([{ id: 'x', answer: 'first' }]);
  });

  it('are created together or not at all', async () => {
    const { call } = await start();
    const both = await call('POST', '/api/mocks/echo', [{ id: 'a' }, { id: 'b' }]);
    expect([both.status, both.body]).toEqual([201, [{ id: 'a' }, { id: 'b' }]]);
    const bad = await call('POST', '/api/mocks/echo', [{ id: 'c' }, { id: 'd', answer: 7 }]);
    expect(bad.status).toBe(400);
    expect(bad.body.details[0].path).toBe('/1/answer');
    expect((await call('POST', '/api/mocks/echo', [])).status).toBe(400);
    expect((await call('GET', '/api/mocks/echo')).body).toHaveLength(2);
  });

  it('name every problem of what is not valid', async () => {
    const { call } = await start();
    const { status, body } = await call('POST', '/api/mocks/echo', { id: 'a', anser: 'x', stream: 'yes' });
    expect(status).toBe(400);
    expect(body.details.map((problem: { path: string }) => problem.path).sort()).toEqual([
      '/anser',
      '/stream',
    ]);
    for (const wrong of [7, 'text', null, true]) {
      expect((await call('POST', '/api/mocks/echo', wrong)).status).toBe(400);
    }
    expect((await call('GET', '/api/mocks/echo')).body).toEqual([]);
  });

  it('answer 404 for ids that are unknown', async () => {
    const { call } = await start();
    for (const [method, body] of [['GET'], ['PUT', {}], ['PATCH', {}], ['DELETE']] as const) {
      const answer = await call(method, '/api/mocks/echo/none', body);
      expect([method, answer.status]).toEqual([method, 404]);
      expect(answer.body.error).toContain('none');
    }
  });

  it('are patched where the kind declares it, and only there', async () => {
    const { call, ask } = await start();
    await call('POST', '/api/mocks/echo', { id: 'a', match: 'x', answer: 'one' });
    const patched = await call('PATCH', '/api/mocks/echo/a', { answer: 'patched' });
    expect([patched.status, patched.body.answer]).toEqual([200, 'patched']);
    expect(await ask('SAY x')).toBe('patched');
    expect((await call('PATCH', '/api/mocks/echo/a', { nothing: 1 })).status).toBe(400);
    await call('POST', '/api/mocks/plain-text', { id: 'p' });
    const refused = await call('PATCH', '/api/mocks/plain-text/p', {});
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, PUT, DELETE, HEAD, OPTIONS']);
  });

  it('that never matched are listed alone', async () => {
    const { call, ask } = await start();
    await call('POST', '/api/mocks/echo', [
      { id: 'a', match: 'x' },
      { id: 'b', match: 'y' },
    ]);
    await ask('SAY x');
    expect((await call('GET', '/api/mocks/echo?unused=true')).body).toEqual([{ id: 'b', match: 'y' }]);
    expect((await call('GET', '/api/mocks/echo?unused=false')).body).toHaveLength(2);
    const wrong = await call('GET', '/api/mocks/echo?unused=maybe');
    expect([wrong.status, wrong.body.error]).toEqual([
      400,
      'query parameter unused must be a boolean, got "maybe"',
    ]);
  });

  it('keep ids of any characters', async () => {
    const { call } = await start();
    const id = 'a/b c%\u00e9?#';
    await call('POST', '/api/mocks/echo', { id });
    const path = `/api/mocks/echo/${encodeURIComponent(id)}`;
    expect((await call('GET', path)).body).toEqual({ id });
    expect((await call('DELETE', path)).body.deleted).toBe(id);
  });

  it('are all stored when 200 are created at once', async () => {
    const { call } = await start();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => call('POST', '/api/mocks/echo', { id: `m${index}` })),
    );
    expect(answers.every((answer) => answer.status === 201)).toBe(true);
    expect((await call('GET', '/api/mocks/echo')).body).toHaveLength(200);
  });
});

describe('a kind that is installed but not enabled', () => {
  it('has empty lists, clears, and refuses other changes', async () => {
    const { call } = await start();
    const given: [string, string, number, unknown?][] = [
      ['GET', '/api/mocks/asleep', 200],
      ['GET', '/api/mocks/asleep/x', 404],
      ['GET', '/api/asleep/messages', 200],
      ['GET', '/api/asleep/things', 200],
      ['GET', '/api/fault/asleep', 200],
      ['GET', '/api/fault/asleep/effective', 200],
      ['GET', '/api/calls/asleep/x', 404],
      ['DELETE', '/api/asleep/messages', 200],
      ['DELETE', '/api/fault/asleep', 200],
      ['DELETE', '/api/calls/asleep', 200],
      ['DELETE', '/api/calls/asleep/x', 200],
      ['POST', '/api/mocks/asleep', 503, {}],
      ['PUT', '/api/mocks/asleep/x', 503, {}],
      ['PATCH', '/api/mocks/asleep/x', 503, {}],
      ['DELETE', '/api/mocks/asleep/x', 503],
      ['POST', '/api/asleep/things', 503, {}],
      ['PUT', '/api/asleep/things/x', 503, {}],
      ['DELETE', '/api/asleep/things/x', 503],
      ['POST', '/api/fault/asleep', 503, {}],
      ['POST', '/api/calls/asleep/x/wait', 503, {}],
      ['POST', '/api/explain/asleep', 503, {}],
      ['POST', '/api/asleep/wake', 503],
      ['POST', '/api/streams/push', 503, { protocol: 'asleep', mock_id: 'x', data: 'x' }],
    ];
    for (const [method, path, status, body] of given) {
      const answer = await call(method, path, body);
      expect([method, path, answer.status]).toEqual([method, path, status]);
      if (status === 503) expect(answer.body).toEqual({ error: 'asleep protocol not enabled' });
    }
    expect((await call('GET', '/api/mocks/asleep')).body).toEqual([]);
    expect((await call('GET', '/api/asleep/messages')).body).toEqual([]);
    expect((await call('GET', '/api/asleep/things')).body).toEqual([]);
    expect((await call('GET', '/api/fault/asleep')).body).toBeNull();
  });
});

describe('many mocks in one body', () => {
  it('are created while others are answered', async () => {
    const { call, ask } = await start();
    const list = Array.from({ length: 20_000 }, (_, index) => ({ id: `m${index}`, match: `m${index}` }));
    let isDone = false;
    const creating = call('POST', '/api/mocks/echo', list).finally(() => (isDone = true));
    const sizes = new Set<number>();
    let answered = 0;
    while (!isDone) {
      const { body } = await call('GET', '/api/protocols');
      sizes.add(body[0].mocks as number);
      answered += 1;
    }
    expect((await creating).body).toHaveLength(20_000);
    // None or all, whenever it was asked.
    expect([...sizes].filter((size) => size !== 0 && size !== 20_000)).toEqual([]);
    expect(answered).toBeGreaterThan(3);
    expect(await ask('SAY m19999')).toBe('');
  });

  it('get a short answer when they are not valid', async () => {
    const { call } = await start();
    const list = Array.from({ length: 200_000 }, () => ({ mach: 'x', b: 1 }));
    const { status, body, text } = await call('POST', '/api/mocks/echo', list);
    expect([status, body.details.length]).toEqual([400, 101]);
    expect(body.details[100].message).toBe(
      'only the first 50 of 200000 were checked, which have 100 problems',
    );
    expect(text.length).toBeLessThan(20_000);
  });
});

describe('a kind that is not installed', () => {
  it('is not found', async () => {
    const { call } = await start();
    for (const path of [
      '/api/mocks/nosuch',
      '/api/mocks/nosuch/x',
      '/api/fault/nosuch',
      '/api/calls/nosuch/x',
    ]) {
      const answer = await call('GET', path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.body.error).toBe(
        'protocol "nosuch" is not installed; installed are echo, plain-text, asleep',
      );
    }
    expect((await call('GET', '/api/mocks/__proto__')).status).toBe(404);
    expect((await call('GET', '/api/fault/constructor')).status).toBe(404);
  });
});
