import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Effects } from '../src/mocks/effects.js';
import { MockCompiler } from '../src/mocks/mock-compiler.js';
import { MockTable } from '../src/mocks/mock-table.js';
import { ScenarioStore } from '../src/scenarios/scenario-store.js';
import { nextTurn } from '../src/time/turns.js';
import { startsProbes } from './support.js';

afterEach(() => void jest.restoreAllMocks());
const start = startsProbes();

const COUNT = 3_000;
const numbers = Array.from({ length: COUNT }, (_, n) => n);
const mock = (id: string, more: object = {}): object => ({ id, match: id, answer: `of ${id}`, ...more });
const many = (): object[] => numbers.map((n) => mock(`m${n}`));
const patches = numbers.map((n) => ({ mock_id: `m${n}`, body: `patched ${n}` }));

/** Counts the turns of the event loop until something is done. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const ended = work.finally(() => (isDone = true));
  let turns = 0;
  while (!isDone) {
    await nextTurn();
    turns += 1;
  }
  await ended;
  return turns;
}

describe('a scenario for very many mocks', () => {
  it('is checked in slices, and each patch of it once', async () => {
    const { host } = await start({ mocks: many() });
    const patch = jest.spyOn(MockCompiler.prototype, 'patch');
    const made = host.scenarios.inSlices.create({ id: 's', patches });
    expect(patch.mock.calls.length).toBeLessThan(COUNT);
    expect(await turnsOf(made)).toBeGreaterThan(1);
    expect(patch).toHaveBeenCalledTimes(COUNT);
    expect((await made).problems).toBeUndefined();
    await host.scenarios.inSlices.list();
    host.scenarios.get('s');
    expect(patch).toHaveBeenCalledTimes(COUNT);
    host.kind('probe').mocks.replace('m1', mock('m1', { answer: 'new' }));
    await host.scenarios.inSlices.get('s');
    // Replacing a mock has looked for its patches as well.
    expect(patch).toHaveBeenCalledTimes(COUNT + 2);
  });

  it('takes effect at once in the end, when nothing is compiled and put into the table any more', async () => {
    const { host, ask } = await start({ mocks: many() });
    await host.scenarios.inSlices.create({ id: 's', patches });
    const calls = [
      jest.spyOn(MockTable.prototype, 'add'),
      jest.spyOn(MockCompiler.prototype, 'patch'),
      jest.spyOn(Effects.prototype, 'patchesOf'),
    ] as const;
    const counted: number[][] = [];
    const { commit } = ScenarioStore.prototype;
    jest.spyOn(ScenarioStore.prototype, 'commit').mockImplementation(function (
      this: ScenarioStore,
      ...given
    ) {
      const before = calls.map((spy) => spy.mock.calls.length);
      const isDone = commit.apply(this, given);
      counted.push(calls.map((spy, index) => spy.mock.calls.length - (before[index] ?? 0)));
      return isDone;
    });
    const activated = host.scenarios.inSlices.activate('s');
    await nextTurn();
    // Until then everything is as it was.
    expect([await ask('m0'), await ask('m2999'), host.scenarios.active()]).toEqual(['of m0', 'of m2999', []]);
    expect(await activated).toEqual(['s']);
    expect([await ask('m0'), await ask('m2999')]).toEqual(['patched 0', 'patched 2999']);
    expect(host.kind('probe').mocks.list()).toHaveLength(COUNT);
    expect(await host.scenarios.inSlices.deactivate('s')).toEqual([]);
    expect([await ask('m0'), await ask('m2999')]).toEqual(['of m0', 'of m2999']);
    expect(counted).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });

  it('changes nothing when one of the mocks would not be valid', async () => {
    const { host, ask } = await start({ mocks: many() });
    host.scenarios.create({ id: 'a', patches: [{ mock_id: 'late', merge: { match: null } }, ...patches] });
    host.scenarios.create({ id: 'bad', patches: [{ mock_id: 'late', status: 'x' }, ...patches] });
    host.kind('probe').mocks.create(mock('late'));
    const remove = jest.spyOn(MockTable.prototype, 'remove');
    await expect(host.scenarios.inSlices.activate('bad')).rejects.toThrow('mock "late" with all active');
    while (remove.mock.calls.length < COUNT) await nextTurn();
    expect(host.scenarios.active()).toEqual([]);
    expect([await ask('m1'), await ask('late')]).toEqual(['of m1', 'of late']);
    expect(await host.scenarios.inSlices.activate('a')).toEqual(['a']);
    await expect(
      host.scenarios.inSlices.replace('a', { patches: [{ mock_id: 'm1', status: 'x' }] }),
    ).rejects.toThrow('does not fit mock "m1"');
    expect(await ask('m1')).toBe('patched 1');
  });

  it('is replaced while it is active', async () => {
    const { host, ask } = await start({ mocks: many() });
    const { inSlices } = host.scenarios;
    await inSlices.create({ id: 's', patches: patches.slice(0, 2_000) });
    await inSlices.activate('s');
    const other = patches.slice(1_000).map((patch) => ({ ...patch, body: 'other' }));
    await inSlices.replace('s', { patches: other });
    expect([await ask('m0'), await ask('m1500'), await ask('m2999')]).toEqual(['of m0', 'other', 'other']);
    await inSlices.remove('s');
    expect([await ask('m1500'), host.scenarios.list()]).toEqual(['of m1500', []]);
  });

  it('follows what others change meanwhile', async () => {
    const { host, ask, probe: it } = await start({ mocks: [...many(), mock('gone')] });
    const { mocks } = host.kind('probe');
    const { inSlices } = host.scenarios;
    const all = ['gone', 'new'].map((id) => ({ mock_id: id, body: `patched ${id}` }));
    host.scenarios.create({ id: 's', patches: [...all, ...patches] });
    host.scenarios.create({ id: 't', patches: [{ mock_id: 'm2', body: 'of t' }] });
    const changes: string[] = [];
    it.context().mocks.onChange((change) => changes.push((change as { id: string }).id));
    const activated = inSlices.activate('s');
    await nextTurn();
    mocks.remove('gone');
    mocks.create(mock('new'));
    mocks.replace('m1', mock('m1', { match: 'one' }));
    host.scenarios.activate('t');
    const behind = inSlices.deactivate('t');
    expect(await activated).toEqual(['t', 's']);
    expect([await ask('gone'), await ask('new'), await ask('one'), await ask('m1'), await ask('m2')]).toEqual(
      ['unmatched', 'patched new', 'patched 1', 'unmatched', 'patched 2'],
    );
    expect(await behind).toEqual(['s']);
    expect(changes).toEqual(expect.arrayContaining(['m0', 'm1', 'm2999', 'new']));
    const { id } = host.snapshots.create();
    await inSlices.deactivate('s');
    await host.snapshots.restoreInSlices(id);
    expect([await ask('m5'), await ask('one')]).toEqual(['patched 5', 'patched 1']);
    host.reset();
    expect([await ask('m5'), await ask('gone'), await ask('m1')]).toEqual(['of m5', 'of gone', 'of m1']);
  });

  it('is refused with its problems, a hundred of them, where it has very many', async () => {
    const { host } = await start();
    const wrong = numbers.map(() => ({ mock_id: '' }));
    const refused = await host.scenarios.inSlices.create({ id: 's', patches: [...patches, ...wrong] }).then(
      () => undefined,
      (error: { details: readonly { path: string }[] }) => error.details,
    );
    expect(refused?.[0]?.path).toBe(`/patches/${COUNT}/mock_id`);
    expect(host.scenarios.list()).toEqual([]);
  });
});
