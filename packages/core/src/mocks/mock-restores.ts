import type { CounterBook } from './counter-book.js';
import type { Effects } from './effects.js';
import type { MockPlaces } from './mock-places.js';
import type { NextMocks } from './next-mocks.js';
import type { SavedMocks, SlotMap } from './slot-map.js';

/** What a snapshot of the mocks of a kind is taken of. */
interface RestoreParts {
  readonly slots: SlotMap;
  readonly effects: Effects;
  readonly places: MockPlaces;
  readonly counters: CounterBook;
}

/** Takes snapshots of the mocks of one kind, and switches to them. */
export class MockRestores {
  readonly #parts: RestoreParts;

  constructor(parts: RestoreParts) {
    this.#parts = parts;
  }

  save(): SavedMocks {
    const { slots, counters, places } = this.#parts;
    return { slots: slots.save(), calls: counters.save(), nextPosition: places.nextPosition };
  }

  /**
   * Puts a snapshot back; with `createdAt` as if its mocks were made at that time, for those that expire.
   *
   * @param next - what was prepared of it; made use of where nothing has changed since
   */
  restore(saved: SavedMocks, createdAt?: number, next?: NextMocks): void {
    const { slots, effects, places, counters } = this.#parts;
    const isPrepared = next?.isStale === false;
    if (isPrepared) effects.adopt(next, createdAt);
    else if (next !== undefined) effects.withdraw(next);
    const changed = isPrepared ? undefined : slots.restore(saved.slots, createdAt);
    places.nextPosition = Math.max(places.nextPosition, saved.nextPosition);
    this.clearCalls();
    // Those that are being created begin with no calls.
    for (const [id, calls] of saved.calls) if (!slots.isHidden(id)) counters.of(id).calls = calls;
    if (!isPrepared) effects.restore(changed);
  }

  /** Sets the counts of all mocks to 0, and forgets those of mocks that are gone. */
  clearCalls(): void {
    const { slots, counters } = this.#parts;
    counters.clear((id) => slots.isTaken(id), slots.taken);
  }
}
