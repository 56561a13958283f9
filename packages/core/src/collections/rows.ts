import type { Json } from '../contract/given.js';
import { BacklotError } from '../errors.js';
import type { Row } from './row.js';
import type { RowTable } from './row-table.js';

/** How many rows one collection may have. */
export const MAX_ROWS = 100_000;
/** How many bytes, roughly, the rows of all collections may hold together. */
export const MAX_ROW_BYTES = 64 * 1024 * 1024;

/** The bytes that the collections of a host hold together. */
export interface Room {
  bytes: number;
}

/** Rows as a snapshot keeps them. */
export interface SavedRows {
  readonly rows: ReadonlyMap<string, Row>;
  readonly bytes: number;
  readonly hiddenUntil: number;
  readonly next: number;
}

/**
 * What a collection of so many rows has no room for, in words; `undefined` when a row of this size fits in place of
 * `before`.
 *
 * @param bytes - what all collections hold
 */
export function lackOf(
  rows: number,
  bytes: number,
  size: number,
  before: Row | undefined,
): string | undefined {
  if (before === undefined && rows >= MAX_ROWS) return `has ${MAX_ROWS} rows, and no room for more`;
  if (bytes + size - (before?.size ?? 0) > MAX_ROW_BYTES)
    return `has no room: the rows of all collections may hold ${MAX_ROW_BYTES} bytes together`;
  return undefined;
}

/** What has happened to the rows: to one of them, or, without `row` and `before`, to all. */
export interface RowsChange {
  /** The row as it is now; absent when it was removed. */
  readonly row?: Row | undefined;
  /** The row as it was; absent when it is new. */
  readonly before?: Row | undefined;
}

/**
 * The rows of one collection by their keys, in order of creation. What a snapshot has taken is copied before the next
 * change, so that taking one costs nothing.
 */
export class Rows implements RowTable {
  readonly #room: Room;
  readonly #onChange: ((change: RowsChange) => void) | undefined;
  #rows = new Map<string, Row>();
  #isShared = false;
  #bytes = 0;
  #next = 1;
  /** Until when the last of them is out of sight. */
  #hiddenUntil = 0;

  /** @param onChange - told after each change */
  constructor(room: Room, onChange?: (change: RowsChange) => void) {
    this.#room = room;
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#rows.size;
  }

  /** About how many bytes they hold. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What the collections of the host hold together. */
  get room(): Readonly<Room> {
    return this.#room;
  }

  get next(): number {
    return this.#next;
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  *values(): Generator<Row, void> {
    let left = this.#rows.size;
    for (const row of this.#rows.values()) {
      if (left === 0) return;
      left -= 1;
      yield row;
    }
  }

  /** What all rows hold, in order. A plain loop: of 100,000 rows the generator takes ten times as long, in one step. */
  list(): Json[] {
    const found = new Array<Json>(this.#rows.size);
    let place = 0;
    for (const row of this.#rows.values()) found[place++] = row.value;
    return found;
  }

  someHidden(now: number): boolean {
    return now < this.#hiddenUntil;
  }

  lackFor(size: number, before: Row | undefined): string | undefined {
    return lackOf(this.#rows.size, this.#room.bytes, size, before);
  }

  put(row: Row, onRoom?: () => void): void {
    const before = this.#rows.get(row.key);
    const lack = this.lackFor(row.size, before);
    if (lack !== undefined) throw new BacklotError('too_large', `the collection ${lack}`);
    onRoom?.();
    this.#own();
    this.#rows.set(row.key, row);
    this.#count(row.size - (before?.size ?? 0));
    if (row.number >= this.#next) this.#next = row.number + 1;
    if (row.hiddenUntil > this.#hiddenUntil) this.#hiddenUntil = row.hiddenUntil;
    // A row that is only put out of sight is the same.
    if (before?.value !== row.value) this.#onChange?.({ row, before });
  }

  remove(row: Row): void {
    this.#own();
    if (!this.#rows.delete(row.key)) return;
    this.#count(-row.size);
    this.#onChange?.({ before: row });
  }

  /** Takes over the rows of another, which must not be used afterwards. */
  become(other: Rows): void {
    const { rows, bytes, hiddenUntil } = other.save();
    this.#count(-this.#bytes);
    other.#room.bytes -= bytes;
    this.#take(rows, bytes, hiddenUntil);
    this.#isShared = false;
    this.#next = Math.max(this.#next, other.#next);
    this.#onChange?.({});
  }

  /** Gives back the room they take. */
  drop(): void {
    this.#count(-this.#bytes);
    this.#rows = new Map();
    this.#isShared = false;
    this.#onChange?.({});
  }

  save(): SavedRows {
    this.#isShared = true;
    return { rows: this.#rows, bytes: this.#bytes, hiddenUntil: this.#hiddenUntil, next: this.#next };
  }

  restore({ rows, bytes, hiddenUntil, next }: SavedRows): void {
    this.#count(-this.#bytes);
    this.#take(rows, bytes, hiddenUntil);
    this.#isShared = true;
    this.#next = next;
    this.#onChange?.({});
  }

  #take(rows: ReadonlyMap<string, Row>, bytes: number, hiddenUntil: number): void {
    // It is copied before the first change.
    this.#rows = rows as Map<string, Row>;
    this.#hiddenUntil = hiddenUntil;
    this.#count(bytes);
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#room.bytes += bytes;
  }

  #own(): void {
    if (!this.#isShared) return;
    this.#rows = new Map(this.#rows);
    this.#isShared = false;
  }
}
