import type { NearMiss } from '../contract/outcome.js';

/** The form of most reasons: the field, what came, what was wanted. */
const SENTENCE = /^([^:]*): got "((?:[^"\\]|\\.)*)", want (?:a match of )?"((?:[^"\\]|\\.)*)"/;
/** Longer texts are compared by so many of their first and last characters. */
const MAX_COMPARED = 200;

/**
 * Puts misses in order, the closest first: before all others the mocks that the index finds and that fail by another
 * field than the one it finds them by, in their own order; then those whose text is most like what came.
 *
 * @param found - mocks that the index finds, in rank order
 * @param others - further mocks, which the index leaves out
 */
export function sortByCloseness(found: readonly NearMiss[], others: readonly NearMiss[]): NearMiss[] {
  const indexed = others[0] && fieldOf(others[0].reason);
  const near = found.filter(({ reason }) => fieldOf(reason) !== indexed);
  const far = [...found.filter((miss) => !near.includes(miss)), ...others]
    .map((miss) => ({ miss, likeness: likenessIn(miss.reason) }))
    .sort((a, b) => b.likeness - a.likeness);
  return [...near, ...far.map(({ miss }) => miss)];
}

function fieldOf(reason: string): string {
  return /^\w+/.exec(reason)?.[0] ?? '';
}

/** How much of the two texts in a reason is the same at their starts and ends: 0 is nothing. */
function likenessIn(reason: string): number {
  const [, , got, want] = SENTENCE.exec(reason) ?? [];
  if (got === undefined || want === undefined) return 0;
  const most = Math.min(got.length, want.length);
  let start = 0;
  while (start < most && start < MAX_COMPARED && got[start] === want[start]) start += 1;
  let end = 0;
  while (end < most - start && end < MAX_COMPARED && got.at(-1 - end) === want.at(-1 - end)) end += 1;
  return (start + end) / Math.max(got.length, want.length, 1);
}
