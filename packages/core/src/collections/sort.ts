import { readJsonPath, parseJsonPath } from '../patterns/json-path.js';
import type { Row } from './row.js';

/** A place to sort by. */
interface SortKey {
  readonly steps: readonly string[];
  readonly isDown: boolean;
}

/** Puts rows in order. */
export type Compare = (a: Row, b: Row) => number;

/** The order by places such as `-created`; rows that are equal keep the order of creation. */
export function compareBy(places: readonly string[]): Compare {
  const keys = places
    .filter((place) => place !== '' && place !== '-')
    .map((place): SortKey => {
      const isDown = place.startsWith('-');
      return { steps: parseJsonPath(isDown ? place.slice(1) : place), isDown };
    });
  return (a, b) => {
    for (const { steps, isDown } of keys) {
      const left = readJsonPath(a.value, steps) ?? undefined;
      const right = readJsonPath(b.value, steps) ?? undefined;
      const order = compareValues(left, right);
      // What is not there comes last in both directions.
      if (order !== 0) return isDown && left !== undefined && right !== undefined ? -order : order;
    }
    return a.number - b.number;
  };
}

/** The place among sorted rows of the first one behind a row, which may be none of them. */
export function placeBehind(rows: readonly Row[], row: Row, compare: Compare): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = rows[middle];
    if (other !== undefined && compare(other, row) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Numbers before texts before truth values before what is neither, and what is not there last. */
function compareValues(a: unknown, b: unknown): number {
  const ranks = rankOf(a) - rankOf(b);
  if (ranks !== 0) return ranks;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === 'boolean' ? Number(a) - Number(b) : 0;
}

function rankOf(value: unknown): number {
  switch (typeof value) {
    case 'number':
      return 0;
    case 'string':
      return 1;
    case 'boolean':
      return 2;
    default:
      return value === undefined ? 4 : 3;
  }
}
