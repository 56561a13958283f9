import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { randomFor } from '../src/random/random.js';
import { SlotMap } from '../src/mocks/slot-map.js';
import { probe, startsProbes } from './support.js';

afterEach(() => void jest.restoreAllMocks());
const start = startsProbes();

const mock = (id: string, more: object = {}): object => ({ id, match: id, answer: `of ${id}`, ...more });
const many = (count: number): object[] => Array.from({ length: count }, (_, index) => mock(`m${index}`));

describe('a reset', () => {
  it('looks at what has changed alone', async () => {
    const { host, ask } = await start({ mocks: many(2_000) });
    const { mocks } = host.kind('probe');
    const look = jest.spyOn(SlotMap.prototype, 'get');
    host.reset();
    expect(look.mock.calls.length).toBeLessThan(5);
    mocks.replace('m3', mock('m3', { answer: 'new' }));
    mocks.remove('m7');
    mocks.create(mock('own'));
    look.mockClear();
    host.reset();
    expect(look.mock.calls.length).toBeLessThan(20);
    look.mockRestore();
    expect([await ask('m3'), await ask('m7'), await ask('own')]).toEqual(['of m3', 'of m7', 'unmatched']);
    expect(mocks.list().map(({ id }) => id)).toEqual(many(2_000).map((_, index) => `m${index}`));
  });

  it('makes mocks that expire anew each time', async () => {
    const { host, ask } = await start({ mocks: [mock('short', { expires: '10s' })] });
    for (let round = 0; round < 3; round += 1) {
      host.clock.freeze(true);
      await host.clock.advance(9_000);
      expect(await ask('short')).toBe('of short');
      await host.clock.advance(2_000);
      expect(await ask('short')).toBe('unmatched');
      host.reset();
      expect(await ask('short')).toBe('of short');
    }
  });

  it('lets an answer that waits for its delay go out, and counts it nowhere', async () => {
    const { host, ask } = await start({ mocks: [mock('late', { delay: '10s' })] });
    host.clock.freeze(true);
    const answer = ask('late');
    host.reset();
    host.clock.freeze(true);
    await host.clock.advance(11_000);
    expect(await answer).toBe('of late');
    expect([host.journal.list().length, host.kind('probe').calls.of('late').count]).toEqual([0, 0]);
  });

  it('lets a mock that comes back count for itself', async () => {
    const { host, ask } = await start({ mocks: [mock('a')] });
    const kind = host.kind('probe');
    kind.mocks.remove('a');
    const without = host.snapshots.create();
    host.snapshots.restore(without.id);
    // It takes the place of the counter that nobody needed any more.
    kind.mocks.create(mock('b'));
    await ask('b');
    host.reset();
    await ask('a');
    expect([kind.calls.of('a').count, kind.calls.of('b').count]).toEqual([1, 0]);
  });
});

describe('snapshots and resets in any order', () => {
  it('bring mocks, their order, patches and counts back', async () => {
    const ids = ['m0', 'm1', 'm2', 'm3', 'm4', 'm5'];
    const { host, ask } = await start(
      { mocks: many(4) },
      { scenarios: [{ id: 's', patches: [{ mock_id: 'm1', body: 'patched' }] }] },
    );
    const kind = host.kind('probe');
    const { mocks } = kind;
    const random = randomFor(1, 'restore');
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next() * list.length)] as T;
    const look = async (): Promise<unknown> => {
      const counts = ids.map((id) => kind.calls.of(id).count);
      const answers: string[] = [];
      for (const id of ids) answers.push(await ask(id));
      return { list: mocks.list(), counts, answers, active: host.scenarios.active().map(({ id }) => id) };
    };
    const saved = new Map<string, unknown>();
    const first = await look();
    host.reset();
    let resets = 0;
    for (let step = 0; step < 400; step += 1) {
      const id = pick(ids);
      const isThere = mocks.list().some((one) => one.id === id);
      const act = pick([
        'create',
        'replace',
        'patch',
        'remove',
        'call',
        'scenario',
        'save',
        'restore',
        'reset',
      ]);
      if (act === 'create' && !isThere) mocks.create(mock(id, { answer: `number ${step}` }));
      else if (act === 'replace' && isThere) mocks.replace(id, mock(id, { answer: `replaced ${step}` }));
      else if (act === 'patch' && isThere) mocks.patch(id, { answer: `changed ${step}` });
      else if (act === 'remove' && isThere) mocks.remove(id);
      else if (act === 'call') await ask(id);
      else if (act === 'scenario') {
        if (host.scenarios.active().length === 0) host.scenarios.activate('s');
        else host.scenarios.deactivate('s');
      } else if (act === 'save') {
        const { id: name } = host.snapshots.create();
        saved.set(name, await look());
      } else if (act === 'restore' && saved.size > 0) {
        const name = pick([...saved.keys()]);
        host.snapshots.restore(name);
        expect(await look()).toEqual(saved.get(name));
      } else if (act === 'reset') {
        host.reset();
        expect(await look()).toEqual(first);
        resets += 1;
      }
    }
    expect([resets > 20, saved.size > 20]).toEqual([true, true]);
  });
});

describe('a plugin that throws when it is told of changed mocks', () => {
  it('stops neither the change nor others who are told, and the log has it', async () => {
    const errors: string[] = [];
    const made = probe();
    const { host, ask } = await start(
      {},
      { log: ({ level, text }) => void (level === 'error' && errors.push(text)) },
      made,
    );
    const told: unknown[] = [];
    made.context().mocks.onChange(() => {
      throw new Error('out of order');
    });
    made.context().mocks.onChange((change) => told.push(change));
    const { mocks } = host.kind('probe');
    mocks.create(mock('a'));
    expect(await ask('a')).toBe('of a');
    mocks.remove('a');
    await mocks.createInSlices([mock('b')]);
    host.reset();
    expect(told).toEqual([
      { type: 'added', id: 'a' },
      { type: 'removed', id: 'a' },
      { type: 'added', id: 'b' },
      { type: 'reset' },
    ]);
    expect(errors).toHaveLength(4);
    expect(errors.join()).toContain('out of order');
  });
});
