/** So many items are sorted by the engine, or merged, in one step. */
const RUN = 512;

/**
 * Sorts in steps, for {@link runInSlices}: runs first, which are then merged two by two. Items that compare as equal keep
 * their order.
 *
 * @param compare - negative, 0 or positive, as for `Array.prototype.sort`; its cost decides how long a step takes
 */
export function* sortSteps<T>(
  items: readonly T[],
  compare: (one: T, two: T) => number,
): Generator<undefined, T[]> {
  let runs: T[][] = [];
  for (let start = 0; start < items.length; start += RUN) {
    runs.push(items.slice(start, start + RUN).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let index = 0; index < runs.length; index += 2)
      longer.push(yield* mergeSteps(runs[index] ?? [], runs[index + 1] ?? [], compare));
    runs = longer;
  }
  return runs[0] ?? [];
}

function* mergeSteps<T>(one: T[], two: T[], compare: (one: T, two: T) => number): Generator<undefined, T[]> {
  if (two.length === 0) return one;
  const merged: T[] = [];
  let [left, right] = [0, 0];
  while (left < one.length || right < two.length) {
    const isLeft =
      right >= two.length || (left < one.length && compare(one[left] as T, two[right] as T) <= 0);
    merged.push((isLeft ? one[left++] : two[right++]) as T);
    if (merged.length % RUN === 0) yield;
  }
  return merged;
}
