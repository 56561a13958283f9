import { BacklotError } from '../errors.js';
import type { Row } from './row.js';
import type { RowTable } from './row-table.js';
import { lackOf, type Room, type Rows } from './rows.js';

/** The rows of a collection with changes that it does not have yet. */
export class DraftRows implements RowTable {
  readonly #base: Rows;
  readonly #growth: Room;
  /** Rows in place of those of the collection with their keys; `undefined` for one that is removed. */
  readonly #changed = new Map<string, Row | undefined>();
  /** Rows behind those of the collection. */
  readonly #added = new Map<string, Row>();
  #removed = 0;
  #next: number;
  #hiddenUntil = 0;

  /** @param growth - how many bytes all drafts of one message hold more than their collections */
  constructor(base: Rows, growth: Room) {
    this.#base = base;
    this.#growth = growth;
    this.#next = base.next;
  }

  get size(): number {
    return this.#base.size - this.#removed + this.#added.size;
  }

  get next(): number {
    return this.#next;
  }

  get(key: string): Row | undefined {
    const added = this.#added.get(key);
    if (added !== undefined) return added;
    return this.#changed.has(key) ? this.#changed.get(key) : this.#base.get(key);
  }

  values(): Iterable<Row> {
    return this.#changed.size === 0 && this.#added.size === 0 ? this.#base.values() : this.#all();
  }

  someHidden(now: number): boolean {
    return now < this.#hiddenUntil || this.#base.someHidden(now);
  }

  lackFor(size: number, before: Row | undefined): string | undefined {
    return lackOf(this.size, this.#base.room.bytes + this.#growth.bytes, size, before);
  }

  put(row: Row, onRoom?: () => void): void {
    const { key } = row;
    const before = this.get(key);
    const lack = this.lackFor(row.size, before);
    if (lack !== undefined) throw new BacklotError('too_large', `the collection ${lack}`);
    onRoom?.();
    if (before !== undefined && !this.#added.has(key)) this.#changed.set(key, row);
    else this.#added.set(key, row);
    this.#growth.bytes += row.size - (before?.size ?? 0);
    if (row.number >= this.#next) this.#next = row.number + 1;
    if (row.hiddenUntil > this.#hiddenUntil) this.#hiddenUntil = row.hiddenUntil;
  }

  remove({ key }: Row): void {
    const before = this.get(key);
    if (before === undefined) return;
    this.#growth.bytes -= before.size;
    if (this.#added.delete(key)) return;
    this.#changed.set(key, undefined);
    this.#removed += 1;
  }

  /** Makes the changes in the collection, in an order that leaves the rows as they stand here. */
  commit(store: (row: Row) => void): void {
    for (const [key, row] of this.#changed) {
      const before = this.#base.get(key);
      if (row !== undefined) store(row);
      else if (before !== undefined) this.#base.remove(before);
    }
    for (const row of this.#added.values()) store(row);
  }

  /** What {@link commit} would do, in its order: the rows that are put in, and the keys of those that go. */
  *changes(): Generator<Row | string, void> {
    for (const [key, row] of this.#changed) yield row ?? key;
    yield* this.#added.values();
  }

  *#all(): Generator<Row, void> {
    for (const row of this.#base.values()) {
      const now = this.#changed.has(row.key) ? this.#changed.get(row.key) : row;
      if (now !== undefined) yield now;
    }
    yield* this.#added.values();
  }
}
