import { invalid } from '../errors.js';
import { jsonText, readJsonPath } from '../patterns/json-path.js';
import type { TemplateScope } from '../templates/template.js';
import type { Condition } from './operation.js';
import type { Row } from './row.js';
import type { RowTable } from './row-table.js';
import { placeBehind, type Compare } from './sort.js';

/** A condition for one message. */
interface Test {
  readonly cost: number;
  readonly accepts: (row: Row) => boolean;
}

/** Which rows are looked for. */
export interface Filter {
  readonly tests: readonly Test[];
  /** By the virtual clock, for rows that are out of sight. */
  readonly now: number;
}

/**
 * What looking for single rows may cost at once: a unit is what comparing two values costs, up to 50 ns, so that all of it
 * stays near 25 ms.
 */
const MAX_UNITS = 500_000;

/** What looking for the rows of one message may still cost at once. */
export class LookBudget {
  #left = MAX_UNITS;

  /** @throws BacklotError `invalid` when it is more than is left */
  spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0)
      throw invalid('its "where" looks at too much; ask for values instead of patterns, or keep fewer rows');
  }
}

/** What a pattern costs beside the characters that it looks at. */
const PATTERN_COST = 4;
const CHARACTERS_PER_UNIT = 16;
/** Rows that are gone through before others may be let in. */
const STEP = 64;

/**
 * The conditions of `where` for one message.
 *
 * @param isOptional - whether a template that gives nothing asks for nothing; else it asks for what is not there
 */
export function filterOf(where: readonly Condition[], scope: TemplateScope, isOptional: boolean): Filter {
  const tests = where.flatMap(({ steps, pattern, value }): Test[] => {
    if (pattern !== undefined) {
      if (pattern.any) return [];
      return [
        {
          cost: PATTERN_COST,
          accepts: ({ value: row }) => pattern.testValue(readJsonPath(row, steps), scope.message),
        },
      ];
    }
    const wanted = value.render(scope);
    if (isOptional && !value.constant && (wanted === undefined || wanted === '')) return [];
    const isSame = value.constant ? identicalTo(wanted) : equalTo(wanted);
    return [{ cost: 1, accepts: ({ value: row }) => isSame(readJsonPath(row, steps)) }];
  });
  return { tests, now: scope.now() };
}

/** Whether a value is the same value of JSON; what is not there is the same as null. */
function identicalTo(wanted: unknown): (value: unknown) => boolean {
  return (value) => (value ?? null) === wanted;
}

/**
 * Whether a value is the same as another one, or as its text: what a template gives is often a text, such as a parameter
 * of a path. What is not there is the same as null.
 */
function equalTo(wanted: unknown): (value: unknown) => boolean {
  if (wanted === undefined || wanted === null) return (value) => value === undefined || value === null;
  const text = jsonText(wanted);
  return (value) => {
    if (value === wanted) return true;
    if (value === undefined || value === null || typeof value === 'string') return value === text;
    // Two numbers, or two truth values, that are not the same.
    return typeof value !== typeof wanted || typeof value === 'object' ? jsonText(value) === text : false;
  };
}

/** Whether a row is in sight and fulfils all conditions. */
function accepts({ tests, now }: Filter, row: Row): boolean {
  return row.hiddenUntil <= now && tests.every((test) => test.accepts(row));
}

/**
 * The first rows of those that a filter accepts, at once.
 *
 * @throws BacklotError `invalid` when that takes too long
 */
export function firstRows(
  rows: RowTable,
  filter: Filter,
  compare: Compare | undefined,
  count: number,
  budget: LookBudget,
): readonly Row[] {
  const best: Row[] = [];
  for (const row of rows.values()) {
    budget.spend(costOf(filter, row));
    if (!accepts(filter, row)) continue;
    if (compare === undefined) {
      best.push(row);
      if (best.length === count) break;
      continue;
    }
    const last = best.at(-1);
    if (best.length === count && last !== undefined && compare(last, row) <= 0) continue;
    budget.spend(best.length >> 4);
    best.splice(placeBehind(best, row, compare), 0, row);
    if (best.length > count) best.pop();
  }
  return best;
}

function costOf({ tests }: Filter, row: Row): number {
  let cost = 1;
  for (const test of tests)
    cost += test.cost === 1 ? 1 : test.cost + row.size / CHARACTERS_PER_UNIT / tests.length;
  return cost;
}

/**
 * All rows that a filter accepts, in steps, between which others are served.
 *
 * @param budget - what it may cost, where nobody is served between the steps
 */
export function* acceptedSteps(
  rows: RowTable,
  filter: Filter,
  budget: LookBudget | undefined,
): Generator<undefined, readonly Row[]> {
  const found: Row[] = [];
  let step = 0;
  for (const row of rows.values()) {
    budget?.spend(costOf(filter, row));
    if (accepts(filter, row)) found.push(row);
    step += 1;
    if (step % STEP === 0) yield;
  }
  return found;
}
