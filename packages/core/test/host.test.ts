import { afterEach, describe, expect, it } from '@jest/globals';
import type { Host, JournalFilter } from '../src/index.js';
import { message, probe, startProbe } from './support.js';

let host: Host | undefined;
afterEach(async () => host?.stop(0));

async function start(...given: Parameters<typeof startProbe>): ReturnType<typeof startProbe> {
  const started = await startProbe(...given);
  host = started.host;
  return started;
}

describe('one message', () => {
  it('is answered by the first mock that matches, in order of priority and creation', async () => {
    const { ask, host } = await start({
      mocks: [
        { id: 'any', match: '*', answer: 'any' },
        { id: 'late', match: 'x', answer: 'late' },
        { id: 'first', match: 'x', answer: 'first', priority: 1 },
      ],
    });
    expect(await ask('x')).toBe('first');
    expect(await ask('y')).toBe('any');
    host.kind('probe').mocks.remove('first');
    expect(await ask('x')).toBe('any');
  });

  it('renders templates with the message, counts and logs', async () => {
    const { ask, host } = await start({
      mocks: [{ id: 'm', match: 're:^u/', answer: '{{request.path}} {{body.n}} {{seq "s"}}' }],
    });
    expect(await ask('u/1', { body: '{"n":7}' })).toBe('u/1 7 1');
    expect(await ask('nothing')).toBe('unmatched');
    const entries = host.journal.list();
    expect(entries).toHaveLength(2);
    expect(entries[0]).toMatchObject({
      id: '1',
      protocol: 'probe',
      method: 'ASK',
      path: 'u/1',
      matched_id: 'm',
      status: 'matched',
      body: '{"n":7}',
    });
    expect(entries[1]).toMatchObject({
      near_misses: [{ mock_id: 'm', reason: expect.stringContaining('path') }],
    });
    expect(host.journal.count({ matchedId: 'm' })).toEqual({ count: 1, complete: true });
    expect(host.kind('probe').calls.of('m')).toMatchObject({ count: 1, calls: [{ path: 'u/1' }] });
  });

  it('honours state, times, expires and set_state', async () => {
    const { ask, host } = await start({
      mocks: [
        { id: 'once', match: 'x', answer: 'once', times: 1 },
        { id: 'short', match: 'x', answer: 'short', expires: '1m' },
        {
          id: 'state',
          match: 'x',
          answer: 'in',
          state: { key: 'k', value: '1' },
          set_state: { k: '{{request.path}}', gone: null },
        },
        { id: 'rest', match: 'x', answer: 'rest', set_state: { k: '1' } },
      ],
    });
    expect(await ask('x')).toBe('once');
    expect(await ask('x')).toBe('short');
    await host.clock.advance(60_000);
    expect(await ask('x')).toBe('rest');
    expect(await ask('x')).toBe('in');
    expect(host.state.all()).toEqual({ k: 'x' });
  });

  it('lets a mock that expires begin anew with a replace and with a reset', async () => {
    const short = { id: 'short', match: 'x', answer: 'short', expires: '100ms' };
    const { ask, host } = await start({ mocks: [short, { id: 'rest', match: 'x', answer: 'rest' }] });
    await host.clock.advance(100);
    expect(await ask('x')).toBe('rest');
    host.kind('probe').mocks.replace('short', { ...short, expires: '1h' });
    expect(await ask('x')).toBe('short');
    await host.clock.advance(3_600_000);
    expect(await ask('x')).toBe('rest');
    // A reset takes back what the clock was advanced by, so the time must really pass.
    host.reset();
    while ((await ask('x')) === 'short') await new Promise(setImmediate);
    host.reset();
    expect(await ask('x')).toBe('short');
  });

  it('waits for delays on the virtual clock and ends early when the client leaves', async () => {
    const { probe, host } = await start({ mocks: [{ id: 'm', match: 'x', delay: '1h' }] });
    host.clock.freeze(true);
    const waiting = probe.context().receive(message('x'));
    const answered = waiting.resolve();
    expect(answered).toBeInstanceOf(Promise);
    await host.clock.advance(3_600_000);
    expect((await answered).type).toBe('matched');
    waiting.done();
    const left = probe.context().receive(message('x'));
    const outcome = left.resolve();
    expect(host.kind('probe').calls.of('m').calls).toHaveLength(2);
    left.abort();
    expect((await outcome).type).toBe('aborted');
    expect(host.journal.list()[1]).toMatchObject({ aborted: true, matched_id: 'm' });
  });
});

describe('mocks', () => {
  it('refuses what is not valid, with every problem, and changes nothing', async () => {
    const { host } = await start({ mocks: [{ id: 'm', match: 'x' }] });
    const { mocks } = host.kind('probe');
    const refused = (make: () => unknown): Record<string, unknown> => {
      try {
        make();
      } catch (thrown) {
        return { ...(thrown as object), message: (thrown as Error).message };
      }
      throw new Error('was accepted');
    };
    expect(refused(() => mocks.create({ id: 'n', mach: 'x', code: 'a', answer: '{{#x}}' }))).toMatchObject({
      code: 'invalid',
      details: expect.arrayContaining([
        { path: '/mach', message: 'unknown field "mach"; did you mean "match"?' },
        { path: '/code', message: 'must be an integer, got "a"' },
        { path: '/answer', message: expect.stringContaining('x') },
      ]),
    });
    expect(
      refused(() => mocks.create({ id: 'n', match: 're:(', answer: '{{#x}}', delay: '5' })),
    ).toMatchObject({
      details: [{ path: '/delay' }, { path: '/match' }, { path: '/answer' }],
    });
    expect(refused(() => mocks.create({ id: 'm' }))).toMatchObject({
      code: 'conflict',
      message: 'probe mock "m" already exists; replace it with PUT',
    });
    expect(refused(() => mocks.create(JSON.parse('{"__proto__": {"id": "x"}}')))).toMatchObject({
      details: [{ path: '/__proto__' }],
    });
    expect(refused(() => mocks.createAll([{ id: 'a' }, { id: 'b', x: 1 }]))).toMatchObject({
      details: [{ path: '/1/x' }],
    });
    expect(refused(() => mocks.createAll([{ id: 'a' }, { id: 'a' }]))).toMatchObject({ code: 'conflict' });
    expect(refused(() => mocks.replace('zz', {}))).toMatchObject({ code: 'not_found' });
    expect(mocks.list()).toEqual([{ id: 'm', match: 'x' }]);
    expect(mocks.create({ match: 'y' }).id).toMatch(/^probe-[0-9a-f]{8}$/);
  });

  it('keeps the position in a replace and puts a patch over the unpatched mock', async () => {
    const { host, ask } = await start({
      mocks: [
        { id: 'a', match: 'x', answer: 'a' },
        { id: 'b', match: 'x', answer: 'b' },
      ],
    });
    const { mocks } = host.kind('probe');
    mocks.replace('a', { id: 'other', match: 'x', answer: 'a2' });
    expect(await ask('x')).toBe('a2');
    expect(mocks.patch('a', { answer: 'patched' })).toMatchObject({ id: 'a', answer: 'patched' });
    expect(await ask('x')).toBe('patched');
    expect(mocks.patch('a', { code: 7 })).toEqual({ id: 'a', match: 'x', answer: 'a2', code: 7 });
    host.reset();
    expect(mocks.list()).toEqual([
      { id: 'a', match: 'x', answer: 'a' },
      { id: 'b', match: 'x', answer: 'b' },
    ]);
  });
});

describe('scenarios', () => {
  const scenario = {
    id: 'outage',
    patches: [
      { mock_id: 'm', body: 'patched', delay: '0s' },
      { mock_id: 'off', disabled: true },
      { mock_id: 'later', merge: { answer: 'merged' } },
    ],
    faults: { probe: { error_rate: 0 } },
  };

  it('patches mocks and faults while active, mocks that come later too', async () => {
    const { host, ask } = await start({
      mocks: [
        { id: 'off', match: 'x', answer: 'off' },
        { id: 'm', match: 'x', answer: 'm' },
      ],
    });
    host.scenarios.create(scenario);
    expect(await ask('x')).toBe('off');
    expect(host.scenarios.activate('outage')).toEqual(['outage']);
    expect(host.scenarios.activate('outage')).toEqual(['outage']);
    expect(await ask('x')).toBe('patched');
    expect(host.faults.effective('probe')).toEqual({ error_rate: 0 });
    host.kind('probe').mocks.create({ id: 'later', match: 'z', answer: 'plain' });
    expect(await ask('z')).toBe('merged');
    expect(host.kind('probe').mocks.get('later')).toMatchObject({ answer: 'plain' });
    host.scenarios.deactivate('outage');
    expect(await ask('x')).toBe('off');
    expect(await ask('z')).toBe('plain');
    expect(host.faults.effective('probe')).toBeUndefined();
  });

  it('refuses a patch that does not fit its mock, and lists it as a problem when the mock comes later', async () => {
    const { host, ask } = await start({ mocks: [{ id: 'm', match: 'x', answer: 'm' }] });
    const bad = { id: 'bad', patches: [{ mock_id: 'm', merge: { nope: 1 } }] };
    expect(() => host.scenarios.create(bad)).toThrow('unknown field "nope"');
    host.scenarios.create({
      ...bad,
      patches: [
        { mock_id: 'new', merge: { nope: 1 } },
        { mock_id: 'new', body: 'fits' },
      ],
    });
    host.scenarios.activate('bad');
    host.kind('probe').mocks.create({ id: 'new', match: 'n', answer: 'own' });
    expect(await ask('n')).toBe('fits');
    expect(host.scenarios.get('bad').problems).toMatchObject([{ path: '/patches/0' }]);
    expect(() => host.scenarios.create({ id: 'f', faults: { nothing: {} } })).toThrow(
      'protocol "nothing" is not installed or has no faults',
    );
    expect(() => host.scenarios.create({ id: 'i', patches: [{ mock_id: 'm', merge: { id: 'q' } }] })).toThrow(
      'cannot change an id',
    );
  });
});

describe('faults', () => {
  it('hit matched and unmatched messages, leave set_state out and still count', async () => {
    const { host, ask } = await start({
      mocks: [{ id: 'm', match: 'x', answer: 'm', set_state: { k: '1' } }],
    });
    host.faults.set('probe', {});
    expect(await ask('x')).toBe('fault broken');
    expect(await ask('y')).toBe('fault broken');
    expect(host.state.all()).toEqual({});
    expect(host.kind('probe').calls.of('m').count).toBe(1);
    expect(host.journal.list()[0]).toMatchObject({ matched_id: 'm', fault: true });
    host.faults.set('probe', { delay: '5ms' });
    expect(await ask('x')).toBe('m');
    host.faults.set('probe', { error_rate: 0, text: 'no' });
    expect(await ask('x')).toBe('m');
    expect(() => host.faults.set('probe', { delay: '1s', delay_range: { min: '1s', max: '2s' } })).toThrow(
      'delay',
    );
    expect(() => host.faults.set('nothing', {})).toThrow('not installed');
  });

  it('repeat with the seed', async () => {
    const series = async (): Promise<string> => {
      const { host, ask } = await startProbe(
        { mocks: [{ id: 'm', match: 'x', answer: 'm' }] },
        { seed: 42 },
        probe(),
      );
      host.faults.set('probe', { error_rate: 0.5 });
      const rolls = [];
      for (let i = 0; i < 64; i += 1) rolls.push((await ask('x')) === 'm' ? '.' : 'F');
      await host.stop(0);
      return rolls.join('');
    };
    const first = await series();
    expect(await series()).toBe(first);
    expect(first.replaceAll('.', '').length).toBeGreaterThan(16);
    expect(first.replaceAll('F', '').length).toBeGreaterThan(16);
  });
});

describe('calls', () => {
  it('end a wait as soon as the mock is matched', async () => {
    const { host, probe, ask } = await start({ mocks: [{ id: 'm', match: 'x' }] });
    const { calls } = host.kind('probe');
    const waiting = calls.wait('m', 2, 10_000);
    await ask('x');
    const exchange = probe.context().receive(message('x'));
    void exchange.resolve();
    expect(await waiting).toMatchObject({ mock_id: 'm', count: 2, calls: [{}, {}] });
    exchange.done();
    expect(host.journal.list()).toHaveLength(2);
    await expect(calls.wait('m', 9, 5)).rejects.toMatchObject({
      code: 'timeout',
      fields: { mock_id: 'm', want: 9, got: 2 },
    });
    const cancelled = calls.wait('m', 9, 10_000);
    host.reset();
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
    calls.clear('m');
    expect(calls.of('m')).toEqual({ mock_id: 'm', count: 0, calls: [] });
  });
});

describe('reset and snapshots', () => {
  it('put everything back, and record nothing of what began before', async () => {
    const kept = { value: 'start' };
    const made = probe('probe', {
      onCreate: (context) =>
        (context as { addToSnapshots(name: string, part: unknown): void }).addToSnapshots('data', {
          save: () => kept.value,
          restore: (saved: string) => void (kept.value = saved),
        }),
    });
    const { host, ask } = await start(
      { mocks: [{ id: 'm', match: 'x', answer: '{{seq "n"}}' }] },
      { state: { a: '1' } },
      made,
    );
    const old = made.context().receive(message('x'));
    void old.resolve();
    await ask('x');
    host.state.setAll({ b: '2' });
    host.faults.set('probe', { error_rate: 0 });
    host.scenarios.create({ id: 's' });
    host.kind('probe').mocks.create({ id: 'n' });
    made.context().captures.add({ id: '1' }, 10, old);
    kept.value = 'changed';
    let closed = 'open';
    made.context().streams.open('m', {
      push: () => undefined,
      close: (error: string | undefined) => void (closed = error ?? 'normally'),
    });
    const snapshot = host.snapshots.create('before');
    host.reset();
    expect(closed).toBe('normally');
    expect(host.kind('probe').mocks.list()).toHaveLength(1);
    expect(host.state.all()).toEqual({ a: '1' });
    expect(host.faults.all()).toEqual({});
    expect(host.scenarios.list()).toEqual([]);
    expect(host.kind('probe').captures?.values()).toEqual([]);
    expect(kept.value).toBe('start');
    expect(host.kind('probe').calls.of('m').count).toBe(0);
    old.done();
    made.context().captures.add({ id: '2' }, 10, old);
    expect(host.journal.list()).toEqual([]);
    expect(host.kind('probe').captures?.values()).toEqual([]);
    expect(await ask('x')).toBe('1');
    host.snapshots.restore(snapshot.id);
    expect(host.kind('probe').mocks.list()).toHaveLength(2);
    expect(host.state.all()).toEqual({ a: '1', b: '2' });
    expect(kept.value).toBe('changed');
    expect(host.kind('probe').captures?.values()).toEqual([{ id: '1' }]);
    expect(host.kind('probe').calls.of('m').count).toBe(2);
  });
});

describe('snapshots', () => {
  it('are found by the names that they have', async () => {
    const { host } = await start();
    const { snapshots, state } = host;
    state.setAll({ step: 'one' });
    const first = snapshots.create('logged in');
    state.setAll({ step: 'two' });
    // What has an id is found by it first, whatever another one is called.
    const second = snapshots.create(first.id);
    snapshots.restore('logged in');
    expect(state.all()).toEqual({ step: 'one' });
    expect(snapshots.get('logged in')).toEqual(first);
    snapshots.remove(first.id);
    expect(snapshots.list()).toEqual([second]);
    snapshots.restore(first.id);
    expect(state.all()).toEqual({ step: 'two' });
    snapshots.remove(first.id);
    expect(() => snapshots.restore('logged in')).toThrow('no snapshot "logged in"');
    const ids = ['twice', 'twice'].map((name) => snapshots.create(name).id);
    expect(() => snapshots.restore('twice')).toThrow(
      `2 snapshots are called "twice": name one by its id, ${ids.join(' or ')}`,
    );
  });
});

describe('the journal', () => {
  it('is bounded by count and bytes, with exact counters', async () => {
    const { host, ask } = await start(
      { mocks: [{ id: 'm', match: 'x' }] },
      { logs: { max_entries: 10, max_bytes: 100_000 } },
    );
    for (let i = 0; i < 25; i += 1) await ask('x');
    expect(host.journal.list().map((entry) => entry.id)).toEqual(
      Array.from({ length: 10 }, (_, i) => String(16 + i)),
    );
    expect(host.journal.count()).toEqual({ count: 25, complete: true });
    expect(host.journal.list({ after: '23' }).map((entry) => entry.id)).toEqual(['24', '25']);
    for (let i = 0; i < 5; i += 1) await ask('x', { body: Buffer.alloc(200_000, 'a') });
    expect(host.journal.list().length).toBeLessThan(5);
    expect(host.journal.list().at(-1)).toMatchObject({ body_truncated: true, body: 'a'.repeat(65_536) });
    expect(host.journal.count({ protocol: 'probe', unmatched: true })).toEqual({ count: 0, complete: false });
  });

  it('gives entries that are made when they are rendered, whatever becomes of it', async () => {
    const { host, ask } = await start({ mocks: [{ id: 'm', match: 'x' }] }, { logs: { max_entries: 5 } });
    for (const path of ['x', 'y', 'x', 'z', 'x']) await ask(path);
    const before = host.journal.list();
    const ids = (filter: JournalFilter): string[] => host.journal.items(filter).map(({ id }) => id);
    expect(ids({})).toEqual(['1', '2', '3', '4', '5']);
    expect(ids({ limit: 2 })).toEqual(['4', '5']);
    expect(ids({ after: '1', limit: 2 })).toEqual(['2', '3']);
    expect(ids({ after: '0', limit: 2, matchedId: 'm' })).toEqual(['1', '3']);
    expect(ids({ after: '5' })).toEqual([]);
    expect(host.journal.list({ after: '2', limit: 1 })).toEqual([before[2]]);
    expect(host.journal.find('3')).toEqual(before[2]);
    const calls = host.kind('probe').calls.items('m', { after: '1', limit: 1 });
    expect(calls).toMatchObject({ mock_id: 'm', count: 3, calls: [{ id: '3' }] });
    const items = host.journal.items();
    for (let index = 0; index < 5; index += 1) await ask('other');
    host.journal.clear();
    expect(items.map((item) => item.render())).toEqual(before);
    for (const gone of ['1', '0', '-1', '1.5', 'x', '', '3 ']) {
      expect([gone, host.journal.find(gone)]).toEqual([gone, undefined]);
    }
  });

  it('reads a reply that tells its size only when somebody reads the entry', async () => {
    const { host, probe } = await start({ mocks: [{ match: 'x' }] });
    let made = 0;
    const reply = {
      size: 5,
      get status() {
        return 'done';
      },
      get body() {
        made += 1;
        return 'hello';
      },
    };
    const exchange = probe.context().receive(message('x'));
    await exchange.resolve();
    exchange.done(reply);
    expect(made).toBe(0);
    expect(host.journal.list()).toMatchObject([
      { status: 'done', response: { status: 'done', body: 'hello' } },
    ]);
    expect(made).toBeGreaterThan(0);
  });

  it('shows bytes that are no text as base64 and tells subscribers', async () => {
    const { host, ask } = await start({});
    const seen: string[] = [];
    const end = host.journal.subscribe({ unmatched: true }, (entry) => seen.push(entry.id));
    await ask('x', { body: Buffer.from([0xff, 0xfe]) });
    expect(host.journal.list()[0]).toMatchObject({ body: '//4=', body_encoding: 'base64' });
    end();
    await ask('x');
    expect(seen).toEqual(['1']);
  });
});

describe('settings', () => {
  it('are refused with a pointer for every problem', async () => {
    const settings = { port: 'x', sice: 1, mocks: [{ id: 'a', match: 're:(' }, { id: 'a' }, { id: 'a' }] };
    await expect(
      startProbe(settings, {
        scenarios: [{ id: 's' }, { id: 's', patches: [{} as never] }],
        state: { k: 1 as never },
      }),
    ).rejects.toMatchObject({
      details: expect.arrayContaining([
        expect.objectContaining({ path: '/settings/probe/port' }),
        { path: '/settings/probe/sice', message: 'unknown field "sice"; did you mean "size"?' },
        expect.objectContaining({ path: '/settings/probe/mocks/0/match' }),
        {
          path: '/settings/probe/mocks/2/id',
          message: '"a" is the id of an earlier probe mock; give each its own',
        },
        expect.objectContaining({ path: '/scenarios/1/id' }),
        expect.objectContaining({ path: '/scenarios/1/patches/0/mock_id' }),
        expect.objectContaining({ path: '/state/k' }),
      ]),
    });
  });
});
