import type { ExchangeOutcome, OutcomeTally } from '../contract/tally.js';
import { ABORTED, FAULTED, UNMATCHED } from './ring.js';

/** One bit more than those of the journal: a mock has matched. */
const MATCHED = 16;
const ROWS = 32;
/** The columns of a row, as a shift: room for all powers of two below the longest time, and for what is longer. */
const SHIFT = 5;
const COLUMNS = 1 << SHIFT;
/** Microseconds from which on times are not told apart: 16.8 s. */
const LONGEST = 2 ** 24;
const LAST = 25;
const OUTCOMES: readonly ExchangeOutcome[] = ['matched', 'unmatched', 'fault', 'aborted', 'own'];

/**
 * How many exchanges of a kind have ended how, and how long they took: one column of numbers for all, so that an exchange adds one to
 * one of them. Unlike the counts of the journal they are never set back.
 */
export class Tally {
  /** By outcome in bits, then by the power of two of the microseconds that it took. */
  readonly #counts = new Float64Array(ROWS * COLUMNS);
  /** Milliseconds by outcome. */
  readonly #times = new Float64Array(ROWS);

  /** @param flags - as the journal has them. @param duration - milliseconds */
  add(flags: number, isMatched: boolean, duration: number): void {
    const row = isMatched ? flags | MATCHED : flags;
    const micros = duration * 1000;
    const column = micros < LONGEST ? 32 - Math.clz32(micros) : LAST;
    const place = (row << SHIFT) | column;
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    this.#times[row] = (this.#times[row] ?? 0) + duration;
  }

  /** @param needsMatch - whether a message that no mock matches lacks one */
  read(needsMatch: boolean): readonly OutcomeTally[] {
    const found = new Map<ExchangeOutcome, { milliseconds: number; buckets: number[] }>();
    for (let row = 0; row < ROWS; row += 1) {
      const counts = this.#counts.subarray(row << SHIFT, (row << SHIFT) + LAST + 1);
      if (!counts.some((count) => count > 0)) continue;
      const outcome = outcomeOf(row, needsMatch);
      const known = found.get(outcome) ?? { milliseconds: 0, buckets: new Array<number>(LAST + 1).fill(0) };
      known.milliseconds += this.#times[row] ?? 0;
      for (const [column, count] of counts.entries())
        known.buckets[column] = (known.buckets[column] ?? 0) + count;
      found.set(outcome, known);
    }
    return OUTCOMES.flatMap((outcome) => {
      const { milliseconds = 0, buckets } = found.get(outcome) ?? {};
      const count = buckets?.reduce((sum, each) => sum + each, 0) ?? 0;
      return buckets === undefined ? [] : [{ outcome, count, milliseconds, buckets }];
    });
  }
}

function outcomeOf(row: number, needsMatch: boolean): ExchangeOutcome {
  if ((row & ABORTED) !== 0) return 'aborted';
  if ((row & FAULTED) !== 0) return 'fault';
  if ((row & MATCHED) !== 0) return 'matched';
  return needsMatch && (row & UNMATCHED) !== 0 ? 'unmatched' : 'own';
}
