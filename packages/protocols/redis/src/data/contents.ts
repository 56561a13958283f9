import { ExpiryHeap } from './expiry-heap.js';
import { HashValue } from './hash-value.js';
import { LargeMap } from './large-map.js';
import type { Value } from './value.js';

/** A key's value. */
export interface Entry {
  readonly key: string;
  value: Value;
  /** Milliseconds since 1970; 0: never. */
  expireAt: number;
  /** When it or a part of it goes away: the first field of a hash that does. 0: never. */
  dueAt: number;
  /** Bytes that the meter has counted for it. */
  counted: number;
  /** Where it stands among all entries. */
  place: number;
  /** Where it stands among those that will expire; -1: it will not. */
  heapPlace: number;
}

/** All that a database holds. */
export interface Contents {
  readonly entries: LargeMap<Entry>;
  /** All entries by places: one that is removed is replaced by the last. See `scan` of a database. */
  readonly places: Entry[];
  readonly expiring: ExpiryHeap<Entry>;
  bytes: number;
}

/** Those of a database that is empty. */
export function noContents(): Contents {
  return { entries: new LargeMap(), places: [], expiring: new ExpiryHeap(), bytes: 0 };
}

/** Adds a key that is not there. */
export function addEntry({ entries, places }: Contents, key: string, value: Value): Entry {
  const entry = { key, value, expireAt: 0, dueAt: 0, counted: 0, place: places.length, heapPlace: -1 };
  entries.set(key, entry);
  places.push(entry);
  return entry;
}

/** Puts an entry where it stands among what will go away. */
export function aim({ expiring }: Contents, entry: Entry): void {
  const { value, expireAt } = entry;
  const next = value instanceof HashValue ? value.nextExpiry : 0;
  const dueAt = next === 0 || expireAt === 0 ? next + expireAt : Math.min(next, expireAt);
  if (dueAt === entry.dueAt) return;
  entry.dueAt = dueAt;
  if (dueAt === 0) expiring.remove(entry);
  else expiring.put(entry);
}
