import { COST, type Check, type Mismatch } from './check.js';
import { unfit } from './json-checks.js';

/** A number as JSON writes it; a text of that form counts as one. */
const NUMBER = /^\s*-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,4})?\s*$/;

const COMPARISONS = {
  gt: { sign: '>', holds: (value: number, bound: number) => value > bound },
  gte: { sign: '>=', holds: (value: number, bound: number) => value >= bound },
  lt: { sign: '<', holds: (value: number, bound: number) => value < bound },
  lte: { sign: '<=', holds: (value: number, bound: number) => value <= bound },
} as const;

/** Names of the fields that compare numbers. */
export const NUMBER_FIELDS = Object.keys(COMPARISONS) as (keyof typeof COMPARISONS)[];

/** `gt`, `gte`, `lt`, `lte`. */
export function numberCheck(name: keyof typeof COMPARISONS, bound: unknown): Check {
  if (typeof bound !== 'number' || !Number.isFinite(bound)) throw unfit(name, bound, 'a number');
  const { sign, holds } = COMPARISONS[name];
  return scalarCheck((value) => {
    const number = typeof value === 'number' ? value : readNumber(value);
    return number !== undefined && holds(number, bound);
  }, `${sign} ${bound}`);
}

/** Exactly this number; a text that is the number counts. */
export function sameNumberCheck(wanted: number): Check {
  return scalarCheck(
    (value) => (typeof value === 'number' ? value : readNumber(value)) === wanted,
    String(wanted),
  );
}

/** A check of what is a text or a number. */
export function scalarCheck(holds: (value: string | number) => boolean, words: string): Check {
  const compare = (value: unknown): Mismatch | undefined =>
    (typeof value === 'string' || typeof value === 'number') && holds(value)
      ? undefined
      : { steps: [], got: value, want: words };
  return { present: holds, compare, absent: false, cost: COST.parse, words };
}

function readNumber(text: string): number | undefined {
  return text.length <= 1000 && NUMBER.test(text) ? Number(text) : undefined;
}
