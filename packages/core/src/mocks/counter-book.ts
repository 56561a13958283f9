import type { Journal } from '../journal/journal.js';
import { Counters, type MockCounter } from './counters.js';

/**
 * The counters of one kind's mocks by id. A counter outlives its mock as long as the journal or somebody who waits for
 * calls needs it.
 */
export class CounterBook {
  readonly counts = new Counters();
  readonly #kind: string;
  readonly #journal: Journal;
  readonly #counters = new Map<string, MockCounter>();

  constructor(kind: string, journal: Journal) {
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

  /** Sets all counts of calls to 0, and drops the counters that nothing needs any more. */
  clear(isStored: (id: string) => boolean): void {
    for (const counter of this.#counters.values()) {
      counter.calls = 0;
      const isForgotten = !isStored(counter.id) && counter.logged === 0 && !counter.hasWaiters;
      if (!isForgotten) continue;
      this.#counters.delete(counter.id);
      this.counts.release(counter);
      this.#journal.forgetMock(this.#kind, counter.id);
    }
  }

  /** The counts of calls by id. */
  save(): readonly (readonly [string, number])[] {
    return Array.from(this.#counters.values(), (counter) => [counter.id, counter.calls] as const);
  }
}
