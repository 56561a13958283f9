import { expect, it } from '@jest/globals';

type Test<T> = (item: T) => boolean;

/** What `@backlot/services/waiting/slices.mjs` has. */
interface Slices {
  filterInSlices<T>(items: readonly T[], test: Test<T>): Promise<T[]>;
  mapInSlices<T, M>(items: readonly T[], make: (item: T) => M): Promise<M[]>;
  sortInSlices<T>(items: readonly T[], compare: (one: T, other: T) => number): Promise<T[]>;
}

const path = '../waiting/slices.mjs';
const { filterInSlices, mapInSlices, sortInSlices } = (await import(path)) as Slices;

/** Works as long as real work would. */
function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

it('others have their turn while long work is done', async () => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    if (isOver) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  await mapInSlices(Array.from({ length: 400 }), () => work(0.5));
  isOver = true;
  expect(turns).toBeGreaterThan(5);
});

it('others have their turn between the runs and the merges of a sort whose comparisons are slow', async () => {
  const items = Array.from({ length: 8192 }, (_, place) => ({ place, run: Math.floor(place / 512) }));
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    if (isOver) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  // How many turns there were when the runs, and when the first merges were done: each of them is shorter than a slice.
  let [afterRuns, afterMerges] = [-1, -1];
  await sortInSlices(items, (one, other) => {
    if (afterRuns < 0 && one.run !== other.run) afterRuns = turns;
    if (afterMerges < 0 && one.run >> 1 !== other.run >> 1) afterMerges = turns;
    if (afterMerges < 0) work(0.01);
    return one.place - other.place;
  });
  isOver = true;
  expect(afterRuns).toBeGreaterThan(2);
  expect(afterMerges).toBeGreaterThan(afterRuns + 1);
});

it('the results are those of lists', async () => {
  const items = Array.from({ length: 5000 }, (_, id) => ({ id, rank: (id * 7919) % 100 }));
  const byRank = (a: { rank: number }, b: { rank: number }): number => a.rank - b.rank;
  expect(await filterInSlices(items, ({ rank }) => rank > 50)).toEqual(items.filter(({ rank }) => rank > 50));
  expect(await mapInSlices(items, ({ id }) => id)).toEqual(items.map(({ id }) => id));
  // Equal ones keep their order.
  expect(await sortInSlices(items, byRank)).toEqual([...items].sort(byRank));
  expect(await sortInSlices([], byRank)).toEqual([]);
});
