/** So many are sorted, or merged, before others may be let in. */
const RUN = 1000;

/** Sorts in steps: yields wherever others may be let in, see `runInSlices`. Of equals the first comes first. */
export function* sortSteps<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<undefined, T[]> {
  let runs: T[][] = [];
  for (let start = 0; start < items.length; start += RUN) {
    runs.push(items.slice(start, start + RUN).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      longer.push(yield* merge(runs[index] ?? [], runs[index + 1] ?? [], compare));
    }
    runs = longer;
  }
  return runs[0] ?? [];
}

function* merge<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<undefined, T[]> {
  const merged: T[] = [];
  let next = 0;
  for (const item of left) {
    for (let other = right[next]; next < right.length && other !== undefined; other = right[next]) {
      if (compare(item, other) <= 0) break;
      merged.push(other);
      next += 1;
      if (merged.length % RUN === 0) yield;
    }
    merged.push(item);
    if (merged.length % RUN === 0) yield;
  }
  for (; next < right.length; next += RUN) {
    merged.push(...right.slice(next, next + RUN));
    yield;
  }
  return merged;
}
