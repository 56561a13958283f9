/** Thrown through a library to end what takes too long. */
export class TooMuchWork extends Error {}

/** Steps of a query that every value is allowed, however small: a fifth of a millisecond. */
const BASE = 2_000;
/** Further steps for each unit of the value's size. */
const PER_UNIT = 16;
/** Steps that no query goes beyond: near 30 milliseconds. */
const MOST = 300_000;

/**
 * Counts the steps of one query at a time. A step is what takes about a tenth of a microsecond; how many there may be
 * grows with what is searched, so that a query takes at most about a millisecond for a kilobyte.
 */
export class WorkMeter {
  #left = 0;
  #size: (() => number) | undefined;
  #taken = 0;
  #weight = 1;

  /** The steps of the query that ran last. */
  get taken(): number {
    return this.#taken;
  }

  /**
   * @param size - the size of what is searched, asked for when the query takes more than a few steps
   * @param weight - how many steps each one stands for
   */
  start(size: () => number, weight = 1): void {
    this.#weight = weight;
    this.#left = BASE;
    this.#size = size;
    this.#taken = 0;
  }

  /** @throws TooMuchWork when the query has taken all its steps */
  spend(steps: number): void {
    const weighed = steps * this.#weight;
    this.#taken += weighed;
    this.#left -= weighed;
    if (this.#left >= 0) return;
    if (this.#size !== undefined) {
      this.#left += Math.min(MOST - BASE, Math.ceil(this.#size() * PER_UNIT));
      this.#size = undefined;
    }
    if (this.#left < 0) throw new TooMuchWork();
  }
}

/** What a query gave. */
export interface Found<Value> {
  /** What was found, in the order of the document; nothing when there is a problem. */
  readonly values: readonly Value[];
  /** Why the query could not be answered, in words that continue "the query ..." */
  readonly problem: string | undefined;
  /** The steps it took, each about a tenth of a microsecond. */
  readonly work: number;
}
