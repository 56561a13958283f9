import type { Found } from './operation.js';
import { acceptedSteps, type Filter, type LookBudget } from './find-rows.js';
import type { Row } from './row.js';
import type { RowTable } from './row-table.js';
import { sortSteps } from '../time/sort-steps.js';
import { placeBehind, type Compare } from './sort.js';

/** How many rows one list gives at most. */
export const MAX_LISTED = 10_000;
/** How many bytes, roughly, they hold at most, if there is more than one: they are written at once. */
const MAX_LISTED_BYTES = 4 * 1024 * 1024;

/** A part of the rows. */
export interface Page {
  readonly filter: Filter;
  readonly compare: Compare | undefined;
  readonly after: Row | undefined;
  readonly offset: number;
  readonly limit: number;
}

/**
 * Lists rows, in steps, between which others are served. Without conditions and order only what is given is gone through.
 *
 * @param budget - what it may cost, where nobody is served between the steps
 */
export function* listSteps(
  rows: RowTable,
  keyField: string,
  page: Page,
  budget?: LookBudget,
): Generator<undefined, Found> {
  const { filter, compare, after, offset, limit } = page;
  const isWhole = filter.tests.length === 0 && compare === undefined && !rows.someHidden(filter.now);
  if (isWhole) return yield* wholeSteps(rows, keyField, page, budget);
  let found = yield* acceptedSteps(rows, filter, budget);
  if (compare !== undefined) budget?.spend(2 * found.length * Math.ceil(Math.log2(found.length + 1)));
  if (compare !== undefined) found = yield* sortSteps(found, compare);
  const start = after === undefined ? 0 : placeBehind(found, after, compare ?? byNumber);
  const given = found.slice(start + offset, start + offset + limit);
  return foundOf(given, keyField, found.length, start + offset + given.length < found.length);
}

function* wholeSteps(
  rows: RowTable,
  keyField: string,
  { after, offset, limit }: Page,
  budget: LookBudget | undefined,
): Generator<undefined, Found> {
  const given: Row[] = [];
  let skipped = 0;
  let step = 0;
  let hasMore = false;
  for (const row of rows.values()) {
    step += 1;
    budget?.spend(1);
    if (step % 1000 === 0) yield;
    if (after !== undefined && row.number <= after.number) continue;
    if (skipped < offset) {
      skipped += 1;
      continue;
    }
    if (given.length === limit) {
      hasMore = true;
      break;
    }
    given.push(row);
  }
  return foundOf(given, keyField, rows.size, hasMore);
}

function foundOf(given: readonly Row[], keyField: string, total: number, hasMore: boolean): Found {
  let bytes = 0;
  const tooMany = given.findIndex((row, index) => (bytes += row.size) > MAX_LISTED_BYTES && index > 0);
  const values = (tooMany < 0 ? given : given.slice(0, tooMany)).map((row) => row.value);
  return {
    row: undefined,
    rows: values,
    total,
    has_more: hasMore || tooMany >= 0,
    last: values.at(-1)?.[keyField],
  };
}

function byNumber(a: Row, b: Row): number {
  return a.number - b.number;
}
