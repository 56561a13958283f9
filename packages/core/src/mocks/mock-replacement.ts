import type { ListedItem, PairedItems } from '../host/pair-items.js';
import type { MockPlace } from './live-mock.js';
import type { PreparedMock } from './new-mocks.js';
import type { SavedMocks, Slot } from './slot-map.js';

/** A slot among the mocks that were given. */
export interface ListedSlot extends ListedItem {
  readonly slot: Slot;
}

/** The mocks that were given before and are given now. */
export type GivenMocks = PairedItems<ListedSlot>;

/** What mocks that are given anew make of those that are there. */
export interface MockReplacement {
  /** The given ones, which a reset puts back. */
  readonly startup: readonly Slot[];
  /** Those that are there then: the given ones, and behind them those that were made meanwhile. */
  readonly live: readonly Slot[];
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Whether some have other places among the rest. */
  readonly isMoved: boolean;
}

/**
 * Works out, in steps, what is there when mocks are given anew. A given mock that is the same as before stays as it is now, whatever was done
 * to it meanwhile; others take the place of what is there.
 *
 * @param now - those that are there
 * @param take - makes one of another host one of this
 * @param move - gives one another place
 */
export function* replaceSteps(
  { pairs, gone }: GivenMocks,
  now: Iterable<Slot>,
  createdAt: number,
  take: (slot: Slot, place: MockPlace) => Slot,
  move: (slot: Slot, position: number) => Slot,
): Generator<undefined, MockReplacement> {
  const left = new Map(Array.from(now, (slot) => [slot.value.id, slot]));
  const startup: Slot[] = [];
  const live: Slot[] = [];
  const added: string[] = [];
  const changed: string[] = [];
  let isMoved = false;
  for (const [position, { before, after, isSame }] of pairs.entries()) {
    yield;
    const id = before?.id ?? after.id;
    const there = left.get(id);
    left.delete(id);
    if (before !== undefined && isSame) {
      startup.push(move(before.slot, position));
      if (before.slot.place.position !== position) isMoved = true;
      if (there !== undefined) live.push(move(there, position));
      continue;
    }
    const slot = take(after.slot, { position, createdAt });
    startup.push(slot);
    live.push(slot);
    (there === undefined ? added : changed).push(id);
  }
  const removed = gone.map(({ id }) => id).filter((id) => left.delete(id));
  let position = pairs.length;
  for (const slot of left.values()) {
    live.push(move(slot, position++));
    yield;
  }
  return { startup, live, added, changed, removed, isMoved };
}

/** The slots of a snapshot as items to be compared. */
export function listSlots({ slots }: SavedMocks): readonly ListedSlot[] {
  return slots.map((slot) => ({ id: slot.value.id, value: slot.base, slot }));
}

/** A slot of a mock that was prepared. */
export function slotOf({ value, ready }: PreparedMock, place: MockPlace): Slot {
  return { place, base: value, value, ready: ready.at(place) };
}
