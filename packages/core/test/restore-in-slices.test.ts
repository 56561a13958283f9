import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { EffectiveMock } from '../src/mocks/live-mock.js';
import { MockTable } from '../src/mocks/mock-table.js';
import { randomFor } from '../src/random/random.js';
import { ScenarioStore } from '../src/scenarios/scenario-store.js';
import { Slice } from '../src/time/slices.js';
import { nextTurn } from '../src/time/turns.js';
import { probe, startsProbes } from './support.js';

afterEach(() => void jest.restoreAllMocks());
const start = startsProbes();

const COUNT = 3_000;
const mock = (id: string, more: object = {}): object => ({ id, match: id, answer: `of ${id}`, ...more });
const many = (count = COUNT): object[] => Array.from({ length: count }, (_, index) => mock(`m${index}`));

describe('a snapshot of very many mocks that is put back in slices', () => {
  it('puts no mock into the table in the step in which all changes', async () => {
    const { host, ask } = await start({ mocks: many() });
    const { mocks } = host.kind('probe');
    const { id } = host.snapshots.create();
    for (let n = 0; n < COUNT; n += 1) mocks.remove(`m${n}`);
    mocks.create(mock('own'));
    const add = jest.spyOn(MockTable.prototype, 'add');
    let before = -1;
    const { restore } = ScenarioStore.prototype;
    jest.spyOn(ScenarioStore.prototype, 'restore').mockImplementation(function (this: ScenarioStore, saved) {
      before = add.mock.calls.length;
      restore.call(this, saved);
    });
    const isDone = host.snapshots.restoreInSlices(id);
    // Until then everything is as it was.
    expect([mocks.list().length, await ask('own'), await ask('m1')]).toEqual([1, 'of own', 'unmatched']);
    await isDone;
    expect([before, add.mock.calls.length]).toEqual([COUNT, COUNT]);
    expect([mocks.list().length, await ask('own'), await ask('m1')]).toEqual([COUNT, 'unmatched', 'of m1']);
  });

  it('takes what its mocks were compiled to as it is, unless that is still needed', async () => {
    const { host, ask } = await start({ mocks: many() });
    const { mocks } = host.kind('probe');
    const { id } = host.snapshots.create();
    const copy = jest.spyOn(EffectiveMock.prototype, 'copy');
    for (let round = 0; round < 3; round += 1) {
      for (let n = 0; n < COUNT; n += 1) mocks.remove(`m${n}`);
      await host.snapshots.restoreInSlices(id);
      expect([mocks.list().length, await ask('m1'), await ask(`m${COUNT - 1}`)]).toEqual([
        COUNT,
        'of m1',
        `of m${COUNT - 1}`,
      ]);
    }
    expect(copy.mock.calls).toHaveLength(0);
    for (let n = 0; n < COUNT; n += 1) mocks.remove(`m${n}`);
    const empty = host.snapshots.create();
    await host.snapshots.restoreInSlices(id);
    // What is taken away is swept in slices: until then it cannot be what is put back.
    await host.snapshots.restoreInSlices(empty.id);
    expect([mocks.list().length, await ask('m1')]).toEqual([0, 'unmatched']);
    await host.snapshots.restoreInSlices(id);
    expect([mocks.list().length, await ask('m1'), await ask(`m${COUNT - 1}`)]).toEqual([
      COUNT,
      'of m1',
      `of m${COUNT - 1}`,
    ]);
  });

  it('resets what was created, with patches and times of mocks that expire', async () => {
    const { host, ask } = await start(
      { mocks: [...many(), mock('short', { expires: '10s' })] },
      { scenarios: [{ id: 's', patches: [{ mock_id: 'm1', body: 'patched' }] }] },
    );
    const { mocks } = host.kind('probe');
    host.scenarios.activate('s');
    const { id } = host.snapshots.create();
    await mocks.createInSlices(many().map((_, n) => mock(`new${n}`)));
    host.scenarios.deactivate('s');
    await host.snapshots.restoreInSlices(id);
    expect([await ask('m1'), await ask('new1'), mocks.list().length]).toEqual([
      'patched',
      'unmatched',
      COUNT + 1,
    ]);
    host.clock.freeze(true);
    await host.clock.advance(11_000);
    expect(await ask('short')).toBe('unmatched');
    await host.resetInSlices();
    expect([await ask('m1'), await ask('short')]).toEqual(['of m1', 'of short']);
  });

  it('is as if it was not asked for when nobody wants it any more', async () => {
    const { host, ask } = await start({ mocks: many() });
    const { mocks } = host.kind('probe');
    for (let n = 0; n < COUNT; n += 1) mocks.remove(`m${n}`);
    const remove = jest.spyOn(MockTable.prototype, 'remove');
    const add = jest.spyOn(MockTable.prototype, 'add');
    const areOver = jest.spyOn(Slice.prototype, 'isOver', 'get').mockReturnValue(true);
    const aborted = new AbortController();
    const isDone = host.resetInSlices(aborted.signal);
    while (add.mock.calls.length === 0) await nextTurn();
    aborted.abort(new Error('gone'));
    areOver.mockRestore();
    await expect(isDone).rejects.toThrow('gone');
    expect([mocks.list().length, await ask('m1')]).toEqual([0, 'unmatched']);
    while (remove.mock.calls.length < COUNT) await nextTurn();
    host.reset();
    expect([mocks.list().length, await ask('m1')]).toEqual([COUNT, 'of m1']);
  });
});

describe('what a protocol keeps', () => {
  /** A part that holds a number, and makes it ready in so many steps. */
  function keep(made: ReturnType<typeof probe>, steps: number) {
    const seen = { value: 1, made: 0, restored: [] as unknown[] };
    made.context().addToSnapshots('number', {
      save: () => seen.value,
      prepare: (saved) => (steps === 0 ? undefined : make(saved)),
      restore(saved, prepared) {
        seen.value = saved as number;
        seen.restored.push(prepared);
      },
    });
    function* make(saved: unknown): Generator<undefined, string> {
      for (let step = 0; step < steps; step += 1) {
        seen.made += 1;
        yield;
      }
      return `of ${String(saved)}`;
    }
    return seen;
  }

  it('is made ready in slices as well, and put back in the step in which all changes', async () => {
    const made = probe();
    const { host, ask } = await start({ mocks: many() }, {}, made);
    const seen = keep(made, 500);
    const { id } = host.snapshots.create();
    for (let n = 0; n < COUNT; n += 1) host.kind('probe').mocks.remove(`m${n}`);
    seen.value = 2;
    const areOver = jest.spyOn(Slice.prototype, 'isOver', 'get').mockReturnValue(true);
    const isDone = host.snapshots.restoreInSlices(id);
    await nextTurn();
    const early = [seen.made < 10, seen.value, await ask('m1')];
    areOver.mockRestore();
    await isDone;
    expect(early).toEqual([true, 2, 'unmatched']);
    expect([seen.made, seen.value, seen.restored, await ask('m1')]).toEqual([500, 1, ['of 1'], 'of m1']);
    host.snapshots.restore(id);
    expect(seen.restored).toEqual(['of 1', undefined]);
  });

  it('is put back at once where it is little, and not at all when nobody wants it any more', async () => {
    const made = probe();
    const { host } = await start({ mocks: [] }, {}, made);
    const little = keep(made, 0);
    const { id } = host.snapshots.create();
    little.value = 2;
    const isDone = host.snapshots.restoreInSlices(id);
    expect(little.value).toBe(1);
    await isDone;
    const other = probe();
    const { host: second } = await start({ mocks: [] }, {}, other);
    const much = keep(other, 50);
    const made2 = second.snapshots.create();
    much.value = 2;
    const aborted = new AbortController();
    const areOver = jest.spyOn(Slice.prototype, 'isOver', 'get').mockReturnValue(true);
    const isGivenUp = second.snapshots.restoreInSlices(made2.id, aborted.signal);
    await nextTurn();
    aborted.abort(new Error('gone'));
    areOver.mockRestore();
    await expect(isGivenUp).rejects.toThrow('gone');
    expect([much.value, much.restored]).toEqual([2, []]);
  });
});

describe('changes while a snapshot is made ready', () => {
  it('are gone when it is put back, and what is being created stays', async () => {
    const made = probe();
    const { host, ask } = await start(
      { mocks: many() },
      { scenarios: [{ id: 's', patches: [{ mock_id: 'm3', body: 'patched' }] }] },
      made,
    );
    const { mocks } = host.kind('probe');
    const random = randomFor(1, 'restore in slices');
    const pick = (count: number): number => Math.floor(random.next() * count);
    const all = mocks.list();
    const { id } = host.snapshots.create();
    for (let round = 0; round < 12; round += 1) {
      // Enough is changed before that it is made ready in slices.
      for (let n = 0; n < COUNT; n += 1) {
        const act = pick(4);
        if (act === 0) mocks.remove(`m${n}`);
        else if (act === 1) mocks.replace(`m${n}`, mock(`m${n}`, { answer: 'other' }));
        else if (act === 2) mocks.patch(`m${n}`, { answer: 'patched' });
      }
      const isDone = round % 2 === 0 ? host.snapshots.restoreInSlices(id) : host.resetInSlices();
      const created = mocks.createInSlices(many(COUNT * 2).map((_, n) => mock(`r${round}-${n}`)));
      for (let turn = 0; turn < 6; turn += 1) {
        const n = pick(COUNT);
        if (mocks.has(`m${n}`)) mocks.remove(`m${n}`);
        mocks.create(mock(`own${round}-${turn}`));
        if (!mocks.has('m7')) mocks.create(mock('m7', { answer: 'mine' }));
        if (host.scenarios.active().length === 0) host.scenarios.activate('s');
        else host.scenarios.deactivate('s');
        if (turn === 3 && round % 4 === 0) host.reset();
        await nextTurn();
      }
      await isDone;
      const isThere = (await created, new Set(mocks.list().map((one) => one.id)));
      for (const name of isThere)
        expect(name).toMatch(new RegExp(`^(m\\d+|r${round}-\\d+|own${round}-\\d+)$`));
      await host.snapshots.restoreInSlices(id);
      expect(mocks.list()).toEqual(all);
      for (const n of [0, 3, 7, ...Array.from({ length: 100 }, () => pick(COUNT))])
        expect(await ask(`m${n}`)).toBe(`of m${n}`);
      expect(
        made
          .context()
          .mocks.values()
          .map((one) => one.id),
      ).toEqual(all.map((one) => one.id));
    }
  });
});
