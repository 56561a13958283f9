import type { Clock } from '../time/clock.js';
import type { Effects } from './effects.js';
import type { MockTable } from './mock-table.js';
import { alreadyThere, type PlacedMock, type PreparedMock } from './new-mocks.js';
import type { SlotMap } from './slot-map.js';

/** Where new mocks of a kind are put. */
interface PlaceParts {
  readonly slots: SlotMap;
  readonly effects: Effects;
  readonly table: MockTable;
  readonly clock: Clock;
}

/** Gives the new mocks of one kind their places, hidden at first, and shows them or takes them away again. */
export class MockPlaces {
  readonly #noun: string;
  readonly #parts: PlaceParts;
  /** The position of the next new mock. */
  nextPosition = 0;

  constructor(noun: string, parts: PlaceParts) {
    this.#noun = noun;
    this.#parts = parts;
  }

  /** Gives a new mock its place, hidden. @throws BacklotError `conflict` when another has its id */
  place({ value, ready }: PreparedMock): PlacedMock {
    const { slots, effects, clock } = this.#parts;
    if (slots.isTaken(value.id)) throw alreadyThere(this.#noun, value.id);
    const place = { position: this.nextPosition++, createdAt: clock.now() };
    const mock = ready.at(place);
    const slot = { place, base: value, value, ready: mock };
    mock.hide();
    slots.addHidden(slot);
    effects.addHidden(mock);
    return { slot, mock };
  }

  /** Shows mocks that were placed, all at once. @throws BacklotError `conflict` when a reset brought another */
  commit(placed: readonly PlacedMock[]): void {
    const { slots, effects, table } = this.#parts;
    // A reset may have brought another with the same id.
    const lost = placed.find(({ slot }) => !slots.holds(slot));
    if (lost !== undefined) throw alreadyThere(this.#noun, lost.slot.value.id);
    for (const { slot, mock } of placed) {
      mock.counter.calls = 0;
      mock.show();
      effects.shown(mock.id);
      if (effects.patchesOf(mock.id).length > 0) effects.refresh(slot);
    }
    slots.revealed(placed.length);
    table.changed();
  }

  /** Takes mocks away that were placed and are not wanted, one in each step. */
  *withdrawSteps(placed: readonly PlacedMock[]): Generator<undefined, void> {
    for (const { slot, mock } of placed) {
      this.#parts.slots.dropHidden(slot);
      this.#parts.effects.drop(mock);
      yield;
    }
  }
}
