/** How much is left of a fault that counts. */
export interface FaultLeft {
  /** How many messages still pass before the fault begins. */
  readonly after?: number;
  /** How many messages it will still hit. */
  readonly times?: number;
}

/** The counts of a fault, to be put back. */
export interface SavedFaultCounts {
  readonly passed: number;
  readonly hits: number;
}

/** Counts for one fault in effect what has passed before it and what it has hit. */
export class FaultCounts {
  readonly #after: number | undefined;
  readonly #times: number | undefined;
  #passed = 0;
  #hits = 0;

  /**
   * @param after - how many pass before the fault begins; none when absent
   * @param times - how many it hits before it is over; all when absent
   */
  constructor(after: number | undefined, times: number | undefined) {
    this.#after = after;
    this.#times = times;
  }

  /** What is left of the two; absent for what is not counted. */
  get left(): FaultLeft {
    return {
      ...(this.#after === undefined ? {} : { after: Math.max(0, this.#after - this.#passed) }),
      ...(this.#times === undefined ? {} : { times: Math.max(0, this.#times - this.#hits) }),
    };
  }

  /** Why the next one would not be hit; `undefined` when it would. */
  get refusal(): string | undefined {
    const { after = 0, times = 1 } = this.left;
    if (after > 0)
      return `after: ${after === 1 ? 'one more passes' : `${after} more pass`} before the fault begins`;
    return times > 0 ? undefined : 'times: the fault is over';
  }

  /** Whether the next one is hit; one that passes before the fault is counted. */
  admit(): boolean {
    if (this.#passed < (this.#after ?? 0)) {
      this.#passed += 1;
      return false;
    }
    return this.#times === undefined || this.#hits < this.#times;
  }

  /** Counts one that was hit. */
  hit(): void {
    this.#hits += 1;
  }

  save(): SavedFaultCounts {
    return { passed: this.#passed, hits: this.#hits };
  }

  restore({ passed, hits }: SavedFaultCounts): void {
    this.#passed = passed;
    this.#hits = hits;
  }
}
