import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Host } from '../src/index.js';
import { isBacklotError } from '../src/plugin.js';
import { StateStore } from '../src/stores/state-store.js';
import { startProbe } from './support.js';

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop(0);
});

const clock = { now: () => 0, after: () => ({ cancel: () => undefined }) };
const keys = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));

function refusal(act: () => void): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return isBacklotError(error) ? { code: error.code, message: error.message } : error;
  }
}

describe('the state', () => {
  it('lets others in while very many keys are set, all of them or none', async () => {
    let now = performance.now();
    // Each look at the clock takes a millisecond, so that slices end after so many steps.
    const time = jest.spyOn(performance, 'now').mockImplementation(() => (now += 1));
    const state = new StateStore(clock);
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    count();
    await state.setAllInSlices(keys(50_000));
    const wrong: Record<string, unknown> = { more: 'x', ...keys(50_000), last: 1 };
    await expect(state.setAllInSlices(wrong)).rejects.toThrow(/last must be a string/);
    isDone = true;
    time.mockRestore();
    expect(turns).toBeGreaterThan(10);
    expect([...state.entries()]).toHaveLength(50_000);
    expect(state.get('more')).toBeUndefined();
  });

  it('has room for what is set at the same time, or refuses it', async () => {
    const state = new StateStore(clock);
    const long = 'x'.repeat(40 * 1024 * 1024);
    const both = await Promise.allSettled([
      state.setAllInSlices({ ...keys(5000), a: long }),
      state.setAllInSlices({ ...keys(5000), b: long }),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await state.setAllInSlices({ c: 'x'.repeat(20 * 1024 * 1024) });
    expect(state.size).toBe(5002);
  });

  it('tells keys while they are deleted and set', () => {
    const state = new StateStore(clock);
    state.setAll(keys(3));
    const seen: string[] = [];
    for (const [key] of state.entries()) {
      seen.push(key);
      state.delete('k1');
      state.set(`new${seen.length}`, 'v');
      if (seen.length > 10) break;
    }
    expect(seen.slice(0, 2)).toEqual(['k0', 'k2']);
    expect(seen.length).toBeLessThanOrEqual(3);
  });

  it('has a million keys at most, and tells once of keys of messages that found no room', () => {
    const told: string[] = [];
    const state = new StateStore(clock, (message) => told.push(message));
    for (let index = 0; index < 1_000_000; index += 1) state.set(`k${index}`, 'v');
    expect(refusal(() => state.setAll({ k1: 'w', more: 'x' }))).toEqual({
      code: 'too_large',
      message: 'state would have 1000001 keys; at most 1000000 are kept',
    });
    expect([state.get('k1'), state.get('more')]).toEqual(['v', undefined]);
    state.set('more', 'x');
    state.set('another', 'x');
    state.setAll({ k1: 'w' });
    expect([state.get('k1'), state.get('more'), state.size]).toEqual(['w', undefined, 1_000_000]);
    expect(told).toEqual([
      'state would have 1000001 keys; at most 1000000 are kept; keys that mocks set are left out',
    ]);
    state.delete('k2');
    state.set('more', 'x');
    state.set('another', 'x');
    expect([state.get('more'), told.length]).toEqual(['x', 2]);
  });

  it('has 64 Mi characters at most, whatever was replaced or deleted before', () => {
    const state = new StateStore(clock);
    const half = 'x'.repeat(32 * 1024 * 1024 - 1);
    state.setAll({ a: half });
    for (let count = 0; count < 3; count += 1) state.setAll({ b: half });
    expect(refusal(() => state.setAll({ c: '' }))).toMatchObject({ code: 'too_large' });
    state.delete('a');
    state.setAll({ c: half });
    expect(refusal(() => state.setAll({ d: half }))).toMatchObject({ code: 'too_large' });
    state.deletePrefix('');
    state.setAll({ d: half, e: half });
    state.restore([]);
    state.setAll({ f: half, g: half });
    expect(state.size).toBe(2);
  });

  it('names a hundred values that are no text, and counts the others', () => {
    const state = new StateStore(clock);
    const wrong = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, index]));
    try {
      state.setAll(wrong);
    } catch (error) {
      const { details = [] } = error as { details?: readonly { message: string }[] };
      expect([details.length, details.at(-1)?.message]).toEqual([101, '4900 more problems are not named']);
    }
    expect(state.size).toBe(0);
  });

  it('deletes many keys in slices, those alone that were there when it began', async () => {
    const state = new StateStore(clock);
    state.setAll({ ...keys(100_000), other: 'x' });
    const deleting = state.deletePrefixInSlices('k');
    state.set('k-late', 'v');
    expect(await deleting).toBe(100_000);
    expect(state.all()).toEqual({ other: 'x', 'k-late': 'v' });
  });

  it('is not gone through for a key that is set, however many keys and mocks there are', async () => {
    const { host } = await startProbe({ mocks: [{ id: 'a', match: 'a', state: { key: 'k1', value: 'v' } }] });
    hosts.push(host);
    host.state.setAll(keys(50_000));
    host
      .kind('probe')
      .mocks.createAll(
        Array.from({ length: 2000 }, (_, index) => ({ match: `m${index}`, set_state: { a: 'b' } })),
      );
    let read = 0;
    const counted = {
      *[Symbol.iterator]() {
        read += 1;
        yield 'k7';
      },
    };
    expect(host.state.pick(counted as Iterable<string>)).toEqual({ k7: 'v' });
    expect(read).toBe(1);
  });
});

describe('set_state', () => {
  it('and conditions take numbers and truth values as texts, as a file does', async () => {
    const { host, ask } = await startProbe();
    const { mocks } = host.kind('probe');
    const stored = mocks.create({
      id: 'a',
      match: 'x',
      answer: 'one',
      state: [
        { key: 'n', not: 5 },
        { key: 't', not: false },
      ],
      set_state: { n: 5, t: true },
    });
    expect(stored).toMatchObject({
      state: [
        { key: 'n', not: '5' },
        { key: 't', not: 'false' },
      ],
      set_state: { n: '5', t: 'true' },
    });
    await ask('x');
    expect(host.state.all()).toEqual({ n: '5', t: 'true' });
    expect(mocks.replace('a', { match: 'x', answer: 'two', state: { key: 'n', value: 5 } })).toMatchObject({
      state: { key: 'n', value: '5' },
    });
    await host.stop(0);
  });

  it('renders its keys', async () => {
    const { host, ask } = await startProbe({
      mocks: [
        {
          id: 'm',
          set_state: {
            'seen:{{request.path}}': '{{request.method}}',
            'gone:{{request.path}}': null,
            '{{first_name}}': 'as it is',
          },
        },
      ],
    });
    hosts.push(host);
    host.state.setAll({ 'gone:x': '1', 'gone:y': '2' });
    await ask('x');
    expect(host.state.all()).toEqual({ 'gone:y': '2', 'seen:x': 'ASK', '{{first_name}}': 'as it is' });
  });

  it('refuses a key that is no template, and more than a thousand of them', async () => {
    const { host } = await startProbe();
    hosts.push(host);
    const { mocks } = host.kind('probe');
    expect(refusal(() => mocks.create({ set_state: { '{{#a}}': 'x' } }))).toMatchObject({ code: 'invalid' });
    expect(refusal(() => mocks.create({ set_state: keys(1001) }))).toMatchObject({
      message: expect.stringContaining('must hold at most 1000, got 1001'),
    });
    const state = Array.from({ length: 1001 }, () => ({ key: 'k', value: 'v' }));
    expect(refusal(() => mocks.create({ state }))).toMatchObject({
      message: expect.stringContaining('must hold at most 1000, got 1001'),
    });
  });
});

it('counters of seq have a hundred thousand names at most', async () => {
  const { host, ask } = await startProbe({ mocks: [{ answer: '{{seq request.path}}' }] });
  hosts.push(host);
  for (let index = 0; index < 100_000; index += 1) await ask(`n${index}`);
  await expect(ask('one more')).rejects.toThrow('100000 counters');
  expect(await ask('n5')).toBe('2');
});
