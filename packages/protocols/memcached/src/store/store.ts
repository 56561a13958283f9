import type { Clock } from '@backlot/core/plugin';
import { flatten } from '../wire/latin.js';
import { clearCounters, makeCounters } from './counters.js';
import { expiryOf } from './expiry.js';
import { Item, itemSize, type SavedItem } from './item.js';

/** How much the store takes, in bytes. */
export interface StoreLimits {
  readonly maxMemory: number;
  readonly maxItem: number;
  /** Whether the items that were not used for longest make room for new ones. */
  readonly evicts: boolean;
}

/** The store in a snapshot; the items that were not used for longest come first. */
export interface SavedStore {
  readonly items: readonly SavedItem[];
  readonly cas: number;
  readonly flushAt: number;
}

/** Why something was not stored. */
export type StoreProblem = 'too large' | 'no memory';

/** Items by key, within bounds. */
export class Store {
  readonly clock: Clock;
  readonly limits: StoreLimits;
  readonly counters = makeCounters();
  readonly #items = new Map<string, Item>();
  #newest: Item | undefined;
  #oldest: Item | undefined;
  #bytes = 0;
  #cas = 0;
  /** When everything expires, in ms since 1970; 0 is never. */
  #flushAt = 0;

  constructor(clock: Clock, limits: StoreLimits) {
    this.clock = clock;
    this.limits = limits;
  }

  get size(): number {
    return this.#items.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The items that are there, the ones used last first. */
  *items(): Generator<Item> {
    this.#flushWhenDue();
    const now = this.clock.now();
    for (let item = this.#newest; item !== undefined; item = item.older) {
      if (item.expiresAt === 0 || item.expiresAt > now) yield item;
    }
  }

  /** The items that are there, while they may change: those that come meanwhile are left out once there were enough. */
  *everything(): Generator<Item> {
    this.#flushWhenDue();
    let left = this.#items.size;
    for (const item of this.#items.values()) {
      if (left === 0) return;
      left -= 1;
      if (item.expiresAt === 0 || item.expiresAt > this.clock.now()) yield item;
    }
  }

  /** Finds an item that is there, without using it. */
  find(key: string): Item | undefined {
    if (this.#flushAt !== 0) this.#flushWhenDue();
    const item = this.#items.get(key);
    if (item === undefined || item.expiresAt === 0 || item.expiresAt > this.clock.now()) return item;
    this.remove(item);
    return undefined;
  }

  /** An item was read: it is the last one to make room. */
  use(item: Item): void {
    item.lastAccess = this.clock.now();
    item.isFetched = true;
    if (item === this.#newest) return;
    this.#unlink(item);
    this.#link(item);
  }

  /** Whether an item of this size may be stored at all. */
  isTooLarge(keyLength: number, valueLength: number): boolean {
    return itemSize(keyLength, valueLength) > this.limits.maxItem;
  }

  /** Something was too large to be read. What it was to take the place of goes, so that nobody reads old data. */
  refuseTooLarge(key: string | undefined): void {
    this.counters.store_too_large += 1;
    const old = key === undefined ? undefined : this.find(key);
    if (old !== undefined) this.remove(old);
  }

  /**
   * Stores an item in place of the one with the same key.
   *
   * @param expiresAt - milliseconds since 1970; 0 is never
   */
  put(key: string, value: string, flags: number, expiresAt: number): Item | StoreProblem {
    const { limits, counters } = this;
    const size = itemSize(key.length, value.length);
    if (size > limits.maxItem) {
      counters.store_too_large += 1;
      return 'too large';
    }
    const old = this.#items.get(key);
    const others = this.#bytes - (old?.size ?? 0);
    if (others + size > limits.maxMemory && (!limits.evicts || size > limits.maxMemory)) {
      counters.store_no_memory += 1;
      return 'no memory';
    }
    if (old !== undefined) this.remove(old);
    while (this.#bytes + size > limits.maxMemory && this.#oldest !== undefined) {
      this.remove(this.#oldest);
      counters.evictions += 1;
    }
    const item = new Item(flatten(key), value, flags, expiresAt, this.nextCas(), this.clock.now());
    this.#items.set(item.key, item);
    this.#bytes += size;
    this.#link(item);
    counters.total_items += 1;
    return item;
  }

  remove(item: Item): void {
    if (!this.#items.delete(item.key)) return;
    this.#bytes -= item.size;
    this.#unlink(item);
  }

  nextCas(): number {
    this.#cas += 1;
    return this.#cas;
  }

  /** Everything that is there expires: now, or when `exptime` says so unless it is stored anew after that. */
  flush(exptime: number): void {
    this.#flushWhenDue();
    const now = this.clock.now();
    this.#flushAt = exptime === 0 ? now : expiryOf(exptime, now);
    this.#flushWhenDue();
  }

  save(): SavedStore {
    const items = Array.from(this.items(), (item) => ({
      key: item.key,
      value: item.value,
      flags: item.flags,
      expiresAt: item.expiresAt,
      cas: item.cas,
      lastAccess: item.lastAccess,
      isFetched: item.isFetched,
      isStale: item.isStale,
      hasWinner: item.hasWinner,
    }));
    return { items: items.reverse(), cas: this.#cas, flushAt: this.#flushAt };
  }

  restore(saved: SavedStore): void {
    this.#clear();
    clearCounters(this.counters);
    for (const { key, value, flags, expiresAt, cas, lastAccess, ...marks } of saved.items) {
      const item = new Item(key, value, flags, expiresAt, cas, lastAccess);
      Object.assign(item, marks);
      this.#items.set(key, item);
      this.#bytes += item.size;
      this.#link(item);
    }
    this.#cas = saved.cas;
    this.#flushAt = saved.flushAt;
  }

  #flushWhenDue(): void {
    if (this.#flushAt === 0 || this.#flushAt > this.clock.now()) return;
    this.#flushAt = 0;
    this.#clear();
  }

  #clear(): void {
    this.#items.clear();
    this.#newest = undefined;
    this.#oldest = undefined;
    this.#bytes = 0;
  }

  #link(item: Item): void {
    item.older = this.#newest;
    item.newer = undefined;
    if (this.#newest !== undefined) this.#newest.newer = item;
    this.#newest = item;
    this.#oldest ??= item;
  }

  #unlink(item: Item): void {
    if (item.older === undefined) this.#oldest = item.newer;
    else item.older.newer = item.newer;
    if (item.newer === undefined) this.#newest = item.older;
    else item.newer.older = item.older;
    item.newer = undefined;
    item.older = undefined;
  }
}
