/** Elements that are handled in one step. */
const AT_ONCE = 32;

/** What becomes of each element, in steps between which others may be let in. */
export function* mapInSteps<T, R>(
  list: readonly T[],
  map: (element: T) => R | Generator<undefined, R>,
): Generator<undefined, R[]> {
  const mapped: R[] = [];
  for (const [index, element] of list.entries()) {
    const made = map(element);
    mapped.push(isGenerator(made) ? yield* made : made);
    if (index % AT_ONCE === AT_ONCE - 1) yield;
  }
  return mapped;
}

function isGenerator<R>(value: R | Generator<undefined, R>): value is Generator<undefined, R> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value && 'next' in value;
}
