import type { Journal } from '../journal/journal.js';
import { runInSlices } from '../time/slices.js';
import { Counters, type MockCounter } from './counters.js';

/**
 * The counters of one kind's mocks by id. A counter outlives its mock as long as the journal or somebody who waits for
 * calls needs it.
 */
export class CounterBook {
  readonly counts: Counters;
  readonly #kind: string;
  readonly #journal: Journal;
  readonly #counters = new Map<string, MockCounter>();

  /** @param revision - gives the number of the change that is being made */
  constructor(kind: string, journal: Journal, revision?: () => number) {
    this.counts = new Counters(revision);
    this.#kind = kind;
    this.#journal = journal;
  }

  /** The counter of a mock id; made when there is none. */
  of(id: string): MockCounter {
    let counter = this.#counters.get(id);
    if (counter === undefined) {
      counter = this.counts.create(id);
      this.#counters.set(id, counter);
      this.#journal.registerMock(this.#kind, id, counter);
    }
    return counter;
  }

  /** The counter of a mock id, when it has one. */
  find(id: string): MockCounter | undefined {
    return this.#counters.get(id);
  }

  /**
   * Sets all counts of calls to 0, and drops the counters that nothing needs any more, in slices.
   *
   * @param stored - how many mocks are stored, each of which has a counter
   */
  clear(isStored: (id: string) => boolean, stored: number): void {
    this.counts.clearCalls();
    if (this.#counters.size !== stored) void runInSlices(this.#forgetSteps(isStored));
  }

  *#forgetSteps(isStored: (id: string) => boolean): Generator<undefined, void> {
    for (const counter of this.#counters.values()) {
      const isForgotten = !isStored(counter.id) && counter.logged === 0 && !counter.hasWaiters;
      if (isForgotten) {
        this.#counters.delete(counter.id);
        this.counts.release(counter);
        this.#journal.forgetMock(this.#kind, counter.id);
      }
      yield;
    }
  }

  /** The counts of calls by id, of those that were called. */
  save(): readonly (readonly [string, number])[] {
    return [...this.counts.called()];
  }
}
