import type { MockCounter } from './counters.js';

/** What is known here of how often a mock has matched on all hosts that count it together. */
export class SharedCount {
  readonly #madeAt: number;
  readonly #counter: MockCounter;
  #known = 0;
  #knownSince = 0;

  /** Begins with the change that is being made now. */
  constructor(counter: MockCounter) {
    this.#counter = counter;
    this.#madeAt = counter.revision;
  }

  /** The change at which the count began. */
  get since(): number {
    return Math.max(this.#madeAt, this.#counter.clearedAt);
  }

  /** The highest number that this host has been given. */
  get known(): number {
    return this.#knownSince === this.since ? this.#known : 0;
  }

  /** Notes a number that was given for a count. */
  note(number: number, since: number): void {
    if (since !== this.since) return;
    this.#known = Math.max(this.known, number);
    this.#knownSince = since;
  }
}
