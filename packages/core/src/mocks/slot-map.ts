import type { StoredMock } from '../contract/given.js';
import type { MockCounter } from './counters.js';
import type { EffectiveMock, MockPlace } from './live-mock.js';
import type { NextMocks } from './next-mocks.js';
import type { Veil } from './veil.js';

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
  /** The counts of those that were called. */
  readonly calls: readonly (readonly [string, number])[];
  readonly nextPosition: number;
}

/**
 * The stored mocks of a kind by id, in order; those that are being created hold their ids and do not show. It knows what
 * has changed since one snapshot, so that putting that back costs what has changed.
 */
export class SlotMap {
  readonly #counterOf: (id: string) => MockCounter;
  #slots = new Map<string, Slot>();
  #hidden = 0;
  /** A number that is another one after every change. */
  changes = 0;
  /** How often a snapshot was put back. */
  restores = 0;
  /** Whether there may be mocks that expire. */
  #mayExpire = false;
  /** Whether the map has them in the order of their positions. */
  #isOrdered = true;
  /** The snapshot that changes are noted against: the first, later the one that was put back last. */
  #saved: readonly Slot[] | undefined;
  /** Those of it that expire. */
  #expiring: readonly Slot[] = [];
  /** What has changed since then, by id, with what is to be put back; undefined when there was nothing. */
  #changed = new Map<string, Slot | undefined>();

  /** @param counterOf - gives the counter of an id */
  constructor(counterOf: (id: string) => MockCounter) {
    this.#counterOf = counterOf;
  }

  /** How many show. */
  get size(): number {
    return this.#slots.size - this.#hidden;
  }

  /** How many ids are taken. */
  get taken(): number {
    return this.#slots.size;
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

  /** Whether an id is taken by a mock that is being created. */
  isHidden(id: string): boolean {
    return this.#slots.get(id)?.ready.isHidden === true;
  }

  /** The slot of an id, when its mock is hidden by this veil. */
  behind(veil: Veil, id: string): Slot | undefined {
    const slot = this.#slots.get(id);
    return slot?.ready.isBehind(veil) === true ? slot : undefined;
  }

  /** Whether this very slot is there, hidden or not. */
  holds(slot: Slot): boolean {
    return this.#slots.get(slot.value.id) === slot;
  }

  set(slot: Slot): void {
    this.#note(slot.value.id);
    this.#slots.set(slot.value.id, slot);
    if (expires(slot)) this.#mayExpire = true;
  }

  /** Adds the slot of a mock that is hidden. */
  addHidden(slot: Slot): void {
    this.set(slot);
    this.#hidden += 1;
  }

  /** So many that were hidden show now. */
  revealed(count: number): void {
    this.changes += 1;
    this.#hidden -= count;
  }

  /** Takes a hidden slot away, unless another has its place. */
  dropHidden(slot: Slot): void {
    if (!this.holds(slot)) return;
    this.delete(slot.value.id);
    this.#hidden -= 1;
  }

  delete(id: string): void {
    this.#note(id);
    this.#slots.delete(id);
    if (this.#changed.get(id) === undefined) this.#changed.delete(id);
  }

  /** Those that show, in order. */
  *values(): Generator<Slot> {
    if (!this.#isOrdered) this.#order();
    for (const slot of this.#slots.values()) if (!slot.ready.isHidden) yield slot;
  }

  /** A snapshot of those that show. */
  save(): readonly Slot[] {
    if (this.#saved !== undefined && this.#changed.size === 0) return this.#saved;
    // All at once, so nothing looks at each slot that need not.
    if (!this.#isOrdered) this.#order();
    const slots = this.#hidden === 0 ? [...this.#slots.values()] : [...this.values()];
    if (this.#saved === undefined) {
      this.#saved = slots;
      this.#expiring = this.#mayExpire ? slots.filter(expires) : [];
      if (this.#hidden > 0)
        for (const [id, { ready }] of this.#slots) if (ready.isHidden) this.#changed.set(id, undefined);
    }
    return slots;
  }

  /**
   * Puts a snapshot back in place of those that show. What is being created stays, unless its id is taken now.
   *
   * @param createdAt - mocks that expire are as if made at that time; absent, they keep theirs
   * @returns the ids of those that are not as they were; undefined when that may be any, because something else was put
   * back before
   */
  restore(saved: readonly Slot[], createdAt?: number): readonly string[] | undefined {
    this.changes += 1;
    this.restores += 1;
    if (saved !== this.#saved) {
      this.#replace(saved, createdAt);
      return undefined;
    }
    const ids: string[] = [];
    const changed = this.#changed;
    this.#changed = new Map();
    for (const [id, before] of changed) {
      const now = this.#slots.get(id);
      const isBeingCreated = now?.ready.isHidden === true;
      if (before === undefined && isBeingCreated) {
        this.#changed.set(id, undefined);
        continue;
      }
      if (isBeingCreated) this.#hidden -= 1;
      if (before === undefined) this.#slots.delete(id);
      else {
        if (now?.place.position !== before.place.position) this.#isOrdered = false;
        this.#slots.set(id, this.#anew(before));
      }
      ids.push(id);
    }
    for (const slot of this.#expiring) {
      const renewed = this.#anew(slot, createdAt);
      if (renewed === this.#slots.get(slot.value.id)) continue;
      this.set(renewed);
      ids.push(slot.value.id);
    }
    return ids;
  }

  /** How many slots putting a snapshot back goes through. */
  countSteps(saved: readonly Slot[]): number {
    return saved === this.#saved ? this.#changed.size : saved.length + this.#slots.size;
  }

  /**
   * Puts a snapshot back whose slots were made beforehand. See {@link restore}.
   *
   * @returns the slots that were being created and stay
   */
  adopt({ saved, slots, expiring }: NextMocks, createdAt?: number): readonly Slot[] {
    this.changes += 1;
    this.restores += 1;
    const before = this.#slots;
    const hidden = this.#hidden;
    this.#slots = slots;
    this.#hidden = 0;
    this.#isOrdered = true;
    this.#saved = saved;
    this.#expiring = expiring;
    this.#changed = new Map();
    for (const slot of expiring) this.set(this.#anew(slot, createdAt));
    return hidden === 0 ? [] : this.#keepHidden(before.values());
  }

  /** Makes a slot fit to be in effect again, whatever became of it and its counter meanwhile. */
  renew(slot: Slot): Slot {
    this.changes += 1;
    const renewed = this.#anew(slot);
    this.#slots.set(slot.value.id, renewed);
    return renewed;
  }

  #order(): void {
    const slots = [...this.#slots].sort(([, one], [, other]) => one.place.position - other.place.position);
    this.#slots = new Map(slots);
    this.#isOrdered = true;
  }

  #keepHidden(slots: Iterable<Slot>): readonly Slot[] {
    const kept: Slot[] = [];
    for (const slot of slots) {
      if (!slot.ready.isHidden || this.isTaken(slot.value.id)) continue;
      this.addHidden(slot);
      kept.push(slot);
    }
    return kept;
  }

  #replace(saved: readonly Slot[], createdAt: number | undefined): void {
    const before = this.#slots;
    const hidden = this.#hidden;
    this.#slots = new Map();
    this.#hidden = 0;
    this.#isOrdered = true;
    this.#saved = saved;
    this.#expiring = saved.filter(expires);
    if (this.#expiring.length > 0) this.#mayExpire = true;
    this.#changed.clear();
    for (const slot of saved) {
      const { id } = slot.value;
      const renewed = this.#anew(slot, createdAt);
      this.#slots.set(id, renewed);
      if (renewed.place !== slot.place) this.#changed.set(id, slot);
    }
    if (hidden > 0) this.#keepHidden(before.values());
  }

  /** A stored mock as if it had been made at a time; the very same where that makes no difference. */
  #anew(slot: Slot, createdAt = slot.place.createdAt): Slot {
    const place = expires(slot) ? { ...slot.place, createdAt } : slot.place;
    let { ready } = slot;
    // One that was hidden is on its way out of the table; a counter that was forgotten may count for another.
    if (ready.isHidden || ready.counter.isReleased) ready = ready.copy(slot.place, this.#counterOf(ready.id));
    return place === slot.place && ready === slot.ready ? slot : { ...slot, place, ready };
  }

  /** Notes how an id was before its first change since the snapshot. */
  #note(id: string): void {
    this.changes += 1;
    if (this.#saved !== undefined && !this.#changed.has(id)) this.#changed.set(id, this.#slots.get(id));
  }
}

/** Whether a mock expires. */
export function expires({ ready }: Slot): boolean {
  return ready.lifetime !== undefined;
}
