import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds that long work takes before others have their turn. */
const SLICE = 10;
/** So many items are gone through between two looks at the time. */
const STEP = 32;
/** So many items are sorted by the engine at once. */
const RUN = 512;

async function through(items, act) {
  let begin = performance.now();
  for (let at = 0; at < items.length; at += 1) {
    if (at % STEP === 0 && performance.now() - begin > SLICE) {
      await nextTurn();
      begin = performance.now();
    }
    act(items[at]);
  }
}

/** The items that a test lets through. Others have their turn while a long list is gone through. */
export async function filterInSlices(items, test) {
  const found = [];
  await through(items, (item) => {
    if (test(item)) found.push(item);
  });
  return found;
}

/** What is made of each item. Others have their turn while a long list is gone through. */
export async function mapInSlices(items, make) {
  const made = [];
  await through(items, (item) => made.push(make(item)));
  return made;
}

/** Does something with each item. Others have their turn while a long list is gone through. */
export const eachInSlices = through;

/**
 * The items in their order; those that are equal keep theirs. Others have their turn while a long list is sorted.
 *
 * @param compare - as for `Array.prototype.sort`
 */
export async function sortInSlices(items, compare) {
  const starts = Array.from({ length: Math.ceil(items.length / RUN) }, (_, run) => run * RUN);
  let runs = await mapInSlices(starts, (start) => items.slice(start, start + RUN).sort(compare));
  while (runs.length > 1) {
    const longer = [];
    for (let at = 0; at < runs.length; at += 2)
      longer.push(runs[at + 1] === undefined ? runs[at] : await merge(runs[at], runs[at + 1], compare));
    runs = longer;
  }
  return runs[0] ?? [];
}

async function merge(one, two, compare) {
  const merged = [];
  let left = 0;
  let right = 0;
  await through({ length: one.length + two.length }, () => {
    const isLeft = right >= two.length || (left < one.length && compare(one[left], two[right]) <= 0);
    merged.push(isLeft ? one[left++] : two[right++]);
  });
  return merged;
}
