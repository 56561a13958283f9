import type { Journal } from '../journal/journal.js';
import { Tallies, type MockTally } from './tallies.js';

/** The tallies of one kind's mocks by id; they outlive their mocks as long as the journal or somebody who waits needs them. */
export class TallyBook {
  readonly counts = new Tallies();
  readonly #kind: string;
  readonly #journal: Journal;
  readonly #tallies = new Map<string, MockTally>();

  constructor(kind: string, journal: Journal) {
    this.#kind = kind;
    this.#journal = journal;
  }

  /** The tally of a mock id; made when there is none. */
  of(id: string): MockTally {
    let tally = this.#tallies.get(id);
    if (tally === undefined) {
      tally = this.counts.create(id);
      this.#tallies.set(id, tally);
      this.#journal.registerMock(this.#kind, id, tally);
    }
    return tally;
  }

  /** The tally of a mock id, when it has one. */
  find(id: string): MockTally | undefined {
    return this.#tallies.get(id);
  }

  /** Sets all counts of calls to 0, and forgets the tallies that nobody needs. */
  clear(isStored: (id: string) => boolean): void {
    for (const tally of this.#tallies.values()) {
      tally.calls = 0;
      const isForgotten = !isStored(tally.id) && tally.logged === 0 && !tally.hasWaiters;
      if (!isForgotten) continue;
      this.#tallies.delete(tally.id);
      this.counts.release(tally);
      this.#journal.forgetMock(this.#kind, tally.id);
    }
  }

  /** The counts of calls by id. */
  save(): readonly (readonly [string, number])[] {
    return Array.from(this.#tallies.values(), (tally) => [tally.id, tally.calls] as const);
  }
}
