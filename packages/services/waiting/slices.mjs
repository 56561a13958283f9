import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds that long work takes before others have their turn. */
const SLICE = 10;
/** So many items are gone through between two looks at the time. */
const STEP = 32;
/** So many items are sorted by the engine at once. */
const RUN = 512;

/**
 * Does something with each item, of a list or of what gives them one at a time. Others have their turn while there are many.
 *
 * @param step - so many items are gone through between two looks at the time; fewer where each is long work
 * @param slice - when it began, shared by parts of one work that are short by themselves
 */
export async function eachInSlices(items, act, step = STEP, slice = { begin: performance.now() }) {
  let at = 0;
  for (const item of items) {
    if (at % step === 0 && performance.now() - slice.begin > SLICE) {
      await nextTurn();
      slice.begin = performance.now();
    }
    act(item);
    at += 1;
  }
}

/** The items that a test lets through. Others have their turn while a long list is gone through. */
export async function filterInSlices(items, test) {
  const found = [];
  await eachInSlices(items, (item) => {
    if (test(item)) found.push(item);
  });
  return found;
}

/** What is made of each item. Others have their turn while a long list is gone through. */
export async function mapInSlices(items, make) {
  const made = [];
  await eachInSlices(items, (item) => made.push(make(item)));
  return made;
}

/**
 * The items in their order; those that are equal keep theirs. Others have their turn while a long list is sorted.
 *
 * @param compare - as for `Array.prototype.sort`
 */
export async function sortInSlices(items, compare) {
  const starts = Array.from({ length: Math.ceil(items.length / RUN) }, (_, run) => run * RUN);
  const slice = { begin: performance.now() };
  let runs = [];
  // A run is long work by itself, so that the time is looked at after each.
  await eachInSlices(starts, (start) => runs.push(items.slice(start, start + RUN).sort(compare)), 1, slice);
  while (runs.length > 1) {
    const longer = [];
    for (let at = 0; at < runs.length; at += 2)
      longer.push(
        runs[at + 1] === undefined ? runs[at] : await merge(runs[at], runs[at + 1], compare, slice),
      );
    runs = longer;
  }
  return runs[0] ?? [];
}

async function merge(one, two, compare, slice) {
  const merged = [];
  let left = 0;
  let right = 0;
  const next = () => {
    const isLeft = right >= two.length || (left < one.length && compare(one[left], two[right]) <= 0);
    merged.push(isLeft ? one[left++] : two[right++]);
  };
  await eachInSlices(numbers(one.length + two.length), next, STEP, slice);
  return merged;
}

function* numbers(count) {
  for (let number = 0; number < count; number += 1) yield number;
}
