import type { StoredMock } from '../contract/given.js';
import type { EffectiveMock, MockPlace } from './live-mock.js';

/** One mock as it is stored: values never change, a change makes a new one. */
export interface Slot {
  readonly place: MockPlace;
  /** As it was created or replaced. */
  readonly base: StoredMock;
  /** With the PATCH that is in force, else the same as `base`. */
  readonly value: StoredMock;
  /** The value compiled, so that a reset compiles nothing. */
  readonly ready: EffectiveMock;
}

/** A snapshot of a kind's mocks and their call counts. */
export interface SavedMocks {
  readonly slots: readonly Slot[];
  readonly calls: readonly (readonly [string, number])[];
  readonly nextPosition: number;
}

/** The stored mocks of a kind by id, in order; those that are being created hold their ids and do not show. */
export class SlotMap {
  #slots = new Map<string, Slot>();
  #hidden = 0;

  /** How many show. */
  get size(): number {
    return this.#slots.size - this.#hidden;
  }

  /** The slot of an id, when it shows. */
  get(id: string): Slot | undefined {
    const slot = this.#slots.get(id);
    return slot?.ready.isHidden === true ? undefined : slot;
  }

  /** Whether an id is taken, by a mock that shows or one that is being created. */
  isTaken(id: string): boolean {
    return this.#slots.has(id);
  }

  /** Whether this very slot is there, hidden or not. */
  holds(slot: Slot): boolean {
    return this.#slots.get(slot.value.id) === slot;
  }

  set(slot: Slot): void {
    this.#slots.set(slot.value.id, slot);
  }

  /** Adds the slot of a mock that is hidden. */
  addHidden(slot: Slot): void {
    this.#slots.set(slot.value.id, slot);
    this.#hidden += 1;
  }

  /** So many that were hidden show now. */
  revealed(count: number): void {
    this.#hidden -= count;
  }

  /** Takes a hidden slot away, unless another has its place. */
  dropHidden(slot: Slot): void {
    if (!this.holds(slot)) return;
    this.#slots.delete(slot.value.id);
    this.#hidden -= 1;
  }

  delete(id: string): void {
    this.#slots.delete(id);
  }

  /** Those that show, in order. */
  *values(): Generator<Slot> {
    for (const slot of this.#slots.values()) if (!slot.ready.isHidden) yield slot;
  }

  /**
   * Puts other slots in place of those that show. What is being created stays, unless its id is taken now.
   *
   * @returns the slot of an id as it was
   */
  replace(slots: Iterable<Slot>): (id: string) => Slot | undefined {
    const before = this.#slots;
    this.#slots = new Map();
    for (const slot of slots) this.set(slot);
    const hidden = this.#hidden;
    this.#hidden = 0;
    if (hidden > 0) {
      for (const slot of before.values())
        if (slot.ready.isHidden && !this.isTaken(slot.value.id)) this.addHidden(slot);
    }
    return (id) => before.get(id);
  }
}

/** A stored mock as if it had been made at a time; the very same where that makes no difference. */
export function anew(slot: Slot, createdAt = slot.place.createdAt): Slot {
  const place = slot.ready.lifetime === undefined ? slot.place : { ...slot.place, createdAt };
  // One that was hidden is on its way out of the table.
  const ready = slot.ready.isHidden ? slot.ready.copy() : slot.ready;
  return place === slot.place && ready === slot.ready ? slot : { ...slot, place, ready };
}
