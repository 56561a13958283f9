import { CommandError, ERRORS } from '../wire/errors.js';
import { ExpiryHeap } from './expiry-heap.js';
import { HashValue } from './hash-value.js';
import { ListValue } from './list-value.js';
import { SetValue } from './set-value.js';
import { SortedSetValue } from './sorted-set-value.js';
import type { Value } from './value.js';

/** What a key takes in memory beside its name and its value. */
const ENTRY_BYTES = 160;

/** A key's value. */
interface Entry {
  readonly key: string;
  value: Value;
  /** Milliseconds since 1970; 0: never. */
  expireAt: number;
  /** Bytes that the meter has counted for it. */
  counted: number;
  /** Where it stands among all entries. */
  place: number;
  /** Where it stands among those that will expire; -1: it will not. */
  heapPlace: number;
}

/** What a database tells: memory in use, and keys that have changed. */
export interface DatabaseOwner {
  now(): number;
  /** Bytes more (or less) are in use. */
  metered(bytes: number): void;
  /** A key was changed, made or removed. */
  changed(database: Database, key: string): void;
  /** All keys for which `isAffected` holds were changed, made or removed. */
  replaced(database: Database, isAffected: (key: string) => boolean): void;
}

/** One of the numbered databases. */
export class Database {
  readonly index: number;
  readonly #owner: DatabaseOwner;
  #entries = new Map<string, Entry>();
  /** All entries by places: one that is removed is replaced by the last. See {@link scan}. */
  #places: Entry[] = [];
  #expiring = new ExpiryHeap<Entry>();
  #bytes = 0;

  constructor(index: number, owner: DatabaseOwner) {
    this.index = index;
    this.#owner = owner;
  }

  /** Milliseconds since 1970, by the host's clock. */
  now(): number {
    return this.#owner.now();
  }

  /** The entry of a key that is there and has not expired. */
  find(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.expireAt === 0 || entry.expireAt > this.#owner.now()) return entry;
    this.delete(key);
    return undefined;
  }

  has(key: string): boolean {
    return this.find(key) !== undefined;
  }

  /** @throws CommandError WRONGTYPE */
  string(key: string): string | undefined {
    const value = this.find(key)?.value;
    if (value === undefined || typeof value === 'string') return value;
    throw new CommandError(ERRORS.wrongType);
  }

  /** @throws CommandError WRONGTYPE */
  list(key: string): ListValue | undefined {
    const value = this.find(key)?.value;
    if (value === undefined || value instanceof ListValue) return value;
    throw new CommandError(ERRORS.wrongType);
  }

  /** @throws CommandError WRONGTYPE */
  hash(key: string): HashValue | undefined {
    const value = this.find(key)?.value;
    if (value === undefined || value instanceof HashValue) return value;
    throw new CommandError(ERRORS.wrongType);
  }

  /** @throws CommandError WRONGTYPE */
  set(key: string): SetValue | undefined {
    const value = this.find(key)?.value;
    if (value === undefined || value instanceof SetValue) return value;
    throw new CommandError(ERRORS.wrongType);
  }

  /** @throws CommandError WRONGTYPE */
  sortedSet(key: string): SortedSetValue | undefined {
    const value = this.find(key)?.value;
    if (value === undefined || value instanceof SortedSetValue) return value;
    throw new CommandError(ERRORS.wrongType);
  }

  /** The list of a key, made when there is none: {@link changed} is to be called. */
  listToChange(key: string): ListValue {
    return this.list(key) ?? this.#begin(key, new ListValue());
  }

  /** See {@link listToChange}. */
  hashToChange(key: string): HashValue {
    return this.hash(key) ?? this.#begin(key, new HashValue());
  }

  /** See {@link listToChange}. */
  setToChange(key: string): SetValue {
    return this.set(key) ?? this.#begin(key, new SetValue());
  }

  /** See {@link listToChange}. */
  sortedSetToChange(key: string): SortedSetValue {
    return this.sortedSet(key) ?? this.#begin(key, new SortedSetValue());
  }

  /**
   * Puts a value in place of what is there.
   *
   * @param expireAt - milliseconds since 1970; 0: never
   */
  put(key: string, value: Value, expireAt = 0): void {
    const known = this.#entries.get(key);
    const entry = known ?? this.#make(key, value);
    if (known !== undefined) known.value = value;
    if (expireAt > 0 || this.#expiring.size > 0) this.expire(key, expireAt);
    this.#settle(entry);
  }

  /** Settles the account of a key whose value was changed in place, and removes it when it is an empty collection. */
  changed(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) this.#owner.changed(this, key);
    else this.#settle(entry);
  }

  /** Whether the key was there. */
  delete(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#meter(-entry.counted);
    this.#entries.delete(key);
    this.#expiring.remove(entry);
    const last = this.#places.pop();
    if (last !== undefined && last !== entry) {
      this.#places[entry.place] = last;
      last.place = entry.place;
    }
    this.#owner.changed(this, key);
    return true;
  }

  /** Sets when a key goes away; 0: never. */
  expire(key: string, expireAt: number): void {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.expireAt === expireAt) return;
    entry.expireAt = expireAt;
    if (expireAt === 0) this.#expiring.remove(entry);
    else this.#expiring.put(entry);
  }

  /** Whether there is a key that has expired and was not removed yet. */
  get hasExpired(): boolean {
    const { first } = this.#expiring;
    return first !== undefined && first.expireAt <= this.#owner.now();
  }

  /** Removes what has expired, step by step. */
  *sweep(): Generator<undefined, void> {
    while (this.hasExpired) {
      this.delete(this.#expiring.first?.key ?? '');
      yield;
    }
  }

  /** How many keys there are, with those that have expired and were not removed yet. */
  get size(): number {
    return this.#entries.size;
  }

  /** How many keys will expire. */
  get expiring(): number {
    return this.#expiring.size;
  }

  /** The keys that have not expired, in the order in which they were made, with their values. */
  *live(): Generator<readonly [key: string, value: Value], void> {
    for (const [key, { value, expireAt }] of this.#entries)
      if (expireAt === 0 || expireAt > this.#owner.now()) yield [key, value];
  }

  /** The key at a place from 0 up to the size; `undefined` when it has expired. */
  keyAt(place: number): string | undefined {
    const entry = this.#places[place];
    return entry === undefined ? undefined : this.find(entry.key)?.key;
  }

  /**
   * Goes through keys from the last place down. What is there from the first to the last step is seen, whatever else
   * changes: a key that is removed is replaced by the last one, which has been seen by then.
   *
   * @param cursor - 0, or the cursor of the step before
   * @param count - most keys to look at
   * @returns the cursor of the next step; 0 after the last
   */
  *scan(
    cursor: number,
    count: number,
    visit: (key: string, value: Value) => void,
  ): Generator<undefined, number> {
    const { length } = this.#places;
    let place = cursor === 0 ? length : Math.min(cursor, length);
    const now = this.#owner.now();
    for (let left = count; left > 0 && place > 0; left -= 1) {
      place -= 1;
      const entry = this.#places[place];
      if (entry !== undefined && (entry.expireAt === 0 || entry.expireAt > now))
        visit(entry.key, entry.value);
      yield;
    }
    return place;
  }

  /** The entries, for a snapshot of the data. */
  entries(): IterableIterator<[string, Entry]> {
    return this.#entries.entries();
  }

  /** Removes all. */
  clear(): void {
    const old = this.#entries;
    this.#meter(-this.#bytes);
    this.#entries = new Map();
    this.#places = [];
    this.#expiring = new ExpiryHeap();
    this.#owner.replaced(this, (key) => old.has(key));
  }

  /** Exchanges the contents of two databases. */
  swap(other: Database): void {
    [this.#entries, other.#entries] = [other.#entries, this.#entries];
    [this.#places, other.#places] = [other.#places, this.#places];
    [this.#expiring, other.#expiring] = [other.#expiring, this.#expiring];
    [this.#bytes, other.#bytes] = [other.#bytes, this.#bytes];
    const isAffected = (key: string): boolean => this.#entries.has(key) || other.#entries.has(key);
    this.#owner.replaced(this, isAffected);
    this.#owner.replaced(other, isAffected);
  }

  #meter(bytes: number): void {
    this.#bytes += bytes;
    this.#owner.metered(bytes);
  }

  #settle(entry: Entry): void {
    const { key, value } = entry;
    const isText = typeof value === 'string';
    if (!isText && value.size === 0) {
      this.delete(key);
      return;
    }
    const bytes = ENTRY_BYTES + key.length + (isText ? value.length : value.bytes);
    this.#meter(bytes - entry.counted);
    entry.counted = bytes;
    this.#owner.changed(this, key);
  }

  #begin<V extends Value>(key: string, value: V): V {
    this.#make(key, value);
    return value;
  }

  #make(key: string, value: Value): Entry {
    const entry = { key, value, expireAt: 0, counted: 0, place: this.#places.length, heapPlace: -1 };
    this.#entries.set(key, entry);
    this.#places.push(entry);
    return entry;
  }
}
