import { CommandError, ERRORS } from '../wire/errors.js';
import { HashValue } from './hash-value.js';
import { ListValue } from './list-value.js';
import { SetValue } from './set-value.js';
import { SortedSetValue } from './sorted-set-value.js';
import type { Value } from './value.js';

/** What a key takes in memory beside its name and its value. */
const ENTRY_BYTES = 80;

/** A key's value. */
interface Entry {
  value: Value;
  /** Grows with every key that is made: the order of the keys. */
  readonly serial: number;
  /** Milliseconds since 1970; 0: never. */
  expireAt: number;
  /** Bytes that the meter has counted for it. */
  counted: number;
}

/** What a database tells: memory in use, and keys that have changed. */
export interface DatabaseOwner {
  now(): number;
  /** Bytes more (or less) are in use. */
  metered(bytes: number): void;
  /** A key was changed, made or removed. */
  changed(database: Database, key: string): void;
}

/** One of the numbered databases. */
export class Database {
  readonly index: number;
  readonly #owner: DatabaseOwner;
  readonly #entries = new Map<string, Entry>();
  #serial = 0;
  /** Where the newest SCAN has stopped: the next step goes on there without a search. */
  #scan: { readonly cursor: number; readonly rest: IterableIterator<[string, Entry]> } | undefined;
  readonly #expiring = new Set<string>();

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
    return this.list(key) ?? this.#make(key, new ListValue());
  }

  /** See {@link listToChange}. */
  hashToChange(key: string): HashValue {
    return this.hash(key) ?? this.#make(key, new HashValue());
  }

  /** See {@link listToChange}. */
  setToChange(key: string): SetValue {
    return this.set(key) ?? this.#make(key, new SetValue());
  }

  /** See {@link listToChange}. */
  sortedSetToChange(key: string): SortedSetValue {
    return this.sortedSet(key) ?? this.#make(key, new SortedSetValue());
  }

  /**
   * Puts a value in place of what is there.
   *
   * @param expireAt - milliseconds since 1970; 0: never
   */
  put(key: string, value: Value, expireAt = 0): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) this.#make(key, value);
    else entry.value = value;
    if (expireAt > 0 || this.#expiring.size > 0) this.expire(key, expireAt);
    this.changed(key);
  }

  /** Settles the account of a key whose value was changed in place, and removes it when it is an empty collection. */
  changed(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) {
      const { value } = entry;
      if (typeof value !== 'string' && value.size === 0) {
        this.delete(key);
        return;
      }
      const bytes = ENTRY_BYTES + key.length + (typeof value === 'string' ? value.length : value.bytes);
      this.#owner.metered(bytes - entry.counted);
      entry.counted = bytes;
    }
    this.#owner.changed(this, key);
  }

  /** Whether the key was there. */
  delete(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#owner.metered(-entry.counted);
    this.#entries.delete(key);
    this.#expiring.delete(key);
    this.#owner.changed(this, key);
    return true;
  }

  /** Sets when a key goes away; 0: never. */
  expire(key: string, expireAt: number): void {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.expireAt === expireAt) return;
    entry.expireAt = expireAt;
    if (expireAt === 0) this.#expiring.delete(key);
    else this.#expiring.add(key);
  }

  /** Removes what has expired. */
  sweep(): void {
    for (const key of [...this.#expiring]) this.find(key);
  }

  /** How many keys there are, those that have expired not counted. */
  get size(): number {
    this.sweep();
    return this.#entries.size;
  }

  /** How many keys will expire. */
  get expiring(): number {
    return this.#expiring.size;
  }

  /** The keys, in the order in which they were made. */
  keys(): string[] {
    this.sweep();
    return [...this.#entries.keys()];
  }

  /**
   * Goes through keys in steps. What is there from the first to the last step is seen once, whatever else changes.
   *
   * @param cursor - 0, or what the step before gave
   * @returns the cursor of the next step; 0 after the last
   */
  scan(cursor: number, count: number, visit: (key: string, value: Value) => void): number {
    const rest = this.#scan?.cursor === cursor && cursor > 0 ? this.#scan.rest : this.#entries.entries();
    this.#scan = undefined;
    const now = this.#owner.now();
    let seen = 0;
    let last = cursor;
    for (let next = rest.next(); next.done !== true; next = rest.next()) {
      const [key, { value, serial, expireAt }] = next.value;
      if (serial <= cursor) continue;
      last = serial;
      if (expireAt === 0 || expireAt > now) visit(key, value);
      seen += 1;
      if (seen < count) continue;
      this.#scan = { cursor: last, rest };
      return last;
    }
    return 0;
  }

  /** The entries, for a picture of the data. */
  entries(): IterableIterator<[string, Entry]> {
    return this.#entries.entries();
  }

  /** Removes all. */
  clear(): void {
    const keys = [...this.#entries.keys()];
    for (const key of keys) this.delete(key);
  }

  /** Exchanges the contents of two databases. */
  swap(other: Database): void {
    const mine = [...this.#entries];
    const theirs = [...other.#entries];
    this.clear();
    other.clear();
    for (const [key, { value, expireAt }] of theirs) this.put(key, value, expireAt);
    for (const [key, { value, expireAt }] of mine) other.put(key, value, expireAt);
  }

  #make<V extends Value>(key: string, value: V): V {
    this.#entries.set(key, { value, serial: (this.#serial += 1), expireAt: 0, counted: 0 });
    return value;
  }
}
