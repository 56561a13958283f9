import { ERRORS, fail } from '../wire/errors.js';
import { ExpiryHeap } from './expiry-heap.js';
import { HashValue } from './hash-value.js';
import { LargeMap } from './large-map.js';
import { ListValue } from './list-value.js';
import { SetValue } from './set-value.js';
import { SortedSetValue } from './sorted-set-value.js';
import { StreamValue } from './stream-value.js';
import { isText, type Text } from './text.js';
import { bytesOf, copyValue, type SavedEntry, type Value } from './value.js';

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

/** All that a database holds. */
export interface Contents {
  readonly entries: LargeMap<Entry>;
  /** All entries by places: one that is removed is replaced by the last. See {@link Database.scan}. */
  readonly places: Entry[];
  readonly expiring: ExpiryHeap<Entry>;
  bytes: number;
}

/** What a database tells: memory in use, and keys that have changed. */
export interface DatabaseOwner {
  now(): number;
  /** Bytes more (or less) are in use. */
  metered(bytes: number): void;
  /** A key is about to be removed since it has expired. */
  expires(database: Database, key: string): void;
  /** It was set when a key expires; 0: never. */
  timed(database: Database, key: string, expireAt: number): void;
  /** A key was changed, made or removed. */
  changed(database: Database, key: string): void;
  /** All keys for which `isAffected` holds were changed, made or removed. */
  replaced(database: Database, isAffected: (key: string) => boolean): void;
}

/** One of the numbered databases. */
export class Database {
  readonly index: number;
  readonly #owner: DatabaseOwner;
  #contents = noContents();

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
    const entry = this.#contents.entries.get(key);
    if (entry === undefined || entry.expireAt === 0 || entry.expireAt > this.#owner.now()) return entry;
    this.#owner.expires(this, key);
    this.delete(key);
    return undefined;
  }

  has(key: string): boolean {
    return this.find(key) !== undefined;
  }

  /** @throws CommandError WRONGTYPE */
  text(key: string): Text | undefined {
    const value = this.find(key)?.value;
    return value === undefined || isText(value) ? value : fail(ERRORS.wrongType);
  }

  /** The whole text, which is copied together when it is in pages. @throws CommandError WRONGTYPE */
  string(key: string): string | undefined {
    return this.text(key)?.toString();
  }

  /** @throws CommandError WRONGTYPE */
  list(key: string): ListValue | undefined {
    const value = this.find(key)?.value;
    return value === undefined || value instanceof ListValue ? value : fail(ERRORS.wrongType);
  }

  /** @throws CommandError WRONGTYPE */
  hash(key: string): HashValue | undefined {
    const value = this.find(key)?.value;
    return value === undefined || value instanceof HashValue ? value : fail(ERRORS.wrongType);
  }

  /** @throws CommandError WRONGTYPE */
  set(key: string): SetValue | undefined {
    const value = this.find(key)?.value;
    return value === undefined || value instanceof SetValue ? value : fail(ERRORS.wrongType);
  }

  /** @throws CommandError WRONGTYPE */
  sortedSet(key: string): SortedSetValue | undefined {
    const value = this.find(key)?.value;
    return value === undefined || value instanceof SortedSetValue ? value : fail(ERRORS.wrongType);
  }

  /** @throws CommandError WRONGTYPE */
  stream(key: string): StreamValue | undefined {
    const value = this.find(key)?.value;
    return value === undefined || value instanceof StreamValue ? value : fail(ERRORS.wrongType);
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

  /** See {@link listToChange}. */
  streamToChange(key: string): StreamValue {
    return this.stream(key) ?? this.#begin(key, new StreamValue());
  }

  /**
   * Puts a value in place of what is there.
   *
   * @param expireAt - milliseconds since 1970; 0: never
   */
  put(key: string, value: Value, expireAt = 0): void {
    const known = this.#contents.entries.get(key);
    const entry = known ?? this.#make(key, value);
    if (known !== undefined) known.value = value;
    if (expireAt > 0 || this.#contents.expiring.size > 0) this.expire(key, expireAt);
    this.#settle(entry);
  }

  /** Settles the account of a key whose value was changed in place, and removes it when it is an empty collection (a stream stays). */
  changed(key: string): void {
    const entry = this.#contents.entries.get(key);
    if (entry === undefined) this.#owner.changed(this, key);
    else this.#settle(entry);
  }

  /** Whether the key was there. */
  delete(key: string): boolean {
    const entry = this.#contents.entries.get(key);
    if (entry === undefined) return false;
    this.#meter(-entry.counted);
    this.#contents.entries.delete(key);
    this.#contents.expiring.remove(entry);
    const last = this.#contents.places.pop();
    if (last !== undefined && last !== entry) {
      this.#contents.places[entry.place] = last;
      last.place = entry.place;
    }
    this.#owner.changed(this, key);
    return true;
  }

  /** Sets when a key goes away; 0: never. */
  expire(key: string, expireAt: number): void {
    const entry = this.#contents.entries.get(key);
    if (entry === undefined || entry.expireAt === expireAt) return;
    entry.expireAt = expireAt;
    if (expireAt === 0) this.#contents.expiring.remove(entry);
    else this.#contents.expiring.put(entry);
    this.#owner.timed(this, key, expireAt);
  }

  /** When the next key expires, in milliseconds since 1970. */
  get nextExpiry(): number {
    return this.#contents.expiring.first?.expireAt ?? Infinity;
  }

  /** Whether a key is there, expired or not. */
  holds(key: string): boolean {
    return this.#contents.entries.has(key);
  }

  /** Whether there is a key that has expired and was not removed yet. */
  get hasExpired(): boolean {
    const { first } = this.#contents.expiring;
    return first !== undefined && first.expireAt <= this.#owner.now();
  }

  /** Removes what has expired, step by step. */
  *sweep(): Generator<undefined, void> {
    while (this.hasExpired) {
      const key = this.#contents.expiring.first?.key ?? '';
      this.#owner.expires(this, key);
      this.delete(key);
      yield;
    }
  }

  /** How many keys there are, with those that have expired and were not removed yet. */
  get size(): number {
    return this.#contents.entries.size;
  }

  /** How many keys will expire. */
  get expiring(): number {
    return this.#contents.expiring.size;
  }

  /** The keys that have not expired, in the order in which they were made, with their values. */
  *live(): Generator<readonly [key: string, value: Value], void> {
    for (const { key, value, expireAt } of this.#contents.entries.values())
      if (expireAt === 0 || expireAt > this.#owner.now()) yield [key, value];
  }

  /** The key at a place from 0 up to the size; `undefined` when it has expired. */
  keyAt(place: number): string | undefined {
    const entry = this.#contents.places[place];
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
    const { length } = this.#contents.places;
    let place = cursor === 0 ? length : Math.min(cursor, length);
    const now = this.#owner.now();
    for (let left = count; left > 0 && place > 0; left -= 1) {
      place -= 1;
      const entry = this.#contents.places[place];
      if (entry !== undefined && (entry.expireAt === 0 || entry.expireAt > now))
        visit(entry.key, entry.value);
      yield;
    }
    return place;
  }

  /** What is there now, for a snapshot, step by step; it must not change meanwhile. */
  *save(): Generator<undefined, readonly SavedEntry[]> {
    const saved: SavedEntry[] = [];
    for (const { key, value, expireAt } of this.#contents.entries.values()) {
      saved.push({ key, value: yield* copyValue(value), expireAt });
      yield;
    }
    return saved;
  }

  /** Makes the contents that a snapshot has, step by step, for {@link adopt}. */
  static *build(saved: readonly SavedEntry[]): Generator<undefined, Contents> {
    const contents = noContents();
    for (const { key, value, expireAt } of saved) {
      const entry = addEntry(contents, key, yield* copyValue(value));
      entry.counted = bytesOf(key, value);
      contents.bytes += entry.counted;
      if (expireAt > 0) {
        entry.expireAt = expireAt;
        contents.expiring.put(entry);
      }
      yield;
    }
    return contents;
  }

  /** Puts contents in place of what is there. They are its own from now on. */
  adopt(contents: Contents): void {
    const old = this.#contents;
    this.#owner.metered(contents.bytes - old.bytes);
    this.#contents = contents;
    this.#owner.replaced(this, (key) => old.entries.has(key) || contents.entries.has(key));
  }

  /** Removes all. */
  clear(): void {
    this.adopt(noContents());
  }

  /** Exchanges the contents of two databases. */
  swap(other: Database): void {
    [this.#contents, other.#contents] = [other.#contents, this.#contents];
    const isAffected = (key: string): boolean =>
      this.#contents.entries.has(key) || other.#contents.entries.has(key);
    this.#owner.replaced(this, isAffected);
    this.#owner.replaced(other, isAffected);
  }

  #meter(bytes: number): void {
    this.#contents.bytes += bytes;
    this.#owner.metered(bytes);
  }

  #settle(entry: Entry): void {
    const { key, value } = entry;
    if (typeof value !== 'string' && value.size === 0 && !(value instanceof StreamValue)) {
      this.delete(key);
      return;
    }
    const bytes = bytesOf(key, value);
    this.#meter(bytes - entry.counted);
    entry.counted = bytes;
    this.#owner.changed(this, key);
  }

  #begin<V extends Value>(key: string, value: V): V {
    this.#make(key, value);
    return value;
  }

  #make(key: string, value: Value): Entry {
    return addEntry(this.#contents, key, value);
  }
}

function noContents(): Contents {
  return { entries: new LargeMap(), places: [], expiring: new ExpiryHeap(), bytes: 0 };
}

function addEntry({ entries, places }: Contents, key: string, value: Value): Entry {
  const entry = { key, value, expireAt: 0, counted: 0, place: places.length, heapPlace: -1 };
  entries.set(key, entry);
  places.push(entry);
  return entry;
}
