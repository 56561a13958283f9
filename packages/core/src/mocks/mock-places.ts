import type { StoredMock } from '../contract/given.js';
import type { Clock } from '../time/clock.js';
import type { Effects } from './effects.js';
import type { MockTable } from './mock-table.js';
import { alreadyThere, type PlacedMock, type PreparedMock } from './new-mocks.js';
import type { SlotMap } from './slot-map.js';
import type { Veil } from './veil.js';

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

  /** Gives a new mock its place, hidden by a veil. @throws BacklotError `conflict` when another has its id */
  place({ value, ready }: PreparedMock, veil: Veil): PlacedMock {
    const { slots, effects, clock } = this.#parts;
    if (slots.isTaken(value.id)) throw alreadyThere(this.#noun, value.id);
    const place = { position: this.nextPosition++, createdAt: clock.now() };
    const mock = ready.at(place);
    const slot = { place, base: value, value, ready: mock };
    mock.hide(veil);
    veil.restores ??= slots.restores;
    if (mock.counter.calls > 0) (veil.counted ??= []).push(mock.counter);
    slots.addHidden(slot);
    effects.addHidden(mock);
    return { slot, mock };
  }

  /**
   * Shows all mocks that a veil hides, in one step that is the same for one and for very many; what is left to do for each
   * {@link settleSteps} does.
   *
   * @throws BacklotError `conflict` when a reset brought another
   */
  commit(placed: readonly PlacedMock[], veil: Veil): void {
    const { slots, effects, table } = this.#parts;
    if (veil.restores !== slots.restores) {
      // A reset may have brought another with the same id.
      const lost = placed.find(({ slot }) => !slots.holds(slot));
      if (lost !== undefined) throw alreadyThere(this.#noun, lost.slot.value.id);
    }
    for (const counter of veil.counted ?? []) counter.calls = 0;
    const patched = effects.patchedBehind(veil, placed);
    veil.isHidden = false;
    effects.shown(placed);
    for (const slot of patched) effects.refresh(slot);
    slots.revealed(placed.length);
    table.changed();
  }

  /** Makes each of the mocks that were shown as quick as if it had never been hidden, one in each step; gives what is stored. */
  *settleSteps(placed: readonly PlacedMock[]): Generator<undefined, readonly StoredMock[]> {
    const values: StoredMock[] = [];
    for (const { slot, mock } of placed) {
      mock.settle();
      values.push(slot.value);
      yield;
    }
    return values;
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
