import { BacklotError } from '../errors.js';
import type { Row } from './row.js';

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
 * The rows of one collection by their keys, in order of creation. What a snapshot has taken is copied before the next
 * change, so that taking one costs nothing.
 */
export class Rows {
  readonly #room: Room;
  #rows = new Map<string, Row>();
  #isShared = false;
  #bytes = 0;
  #next = 1;
  /** Until when the last of them is out of sight. */
  #hiddenUntil = 0;

  constructor(room: Room) {
    this.#room = room;
  }

  get size(): number {
    return this.#rows.size;
  }

  /** About how many bytes they hold. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number of the next new row. */
  get next(): number {
    return this.#next;
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  /**
   * The rows there are now, in order. They may change while they are gone through: new ones are left out.
   */
  *values(): Generator<Row, void> {
    let left = this.#rows.size;
    for (const row of this.#rows.values()) {
      if (left === 0) return;
      left -= 1;
      yield row;
    }
  }

  /** Whether some row may be out of sight at this time. */
  someHidden(now: number): boolean {
    return now < this.#hiddenUntil;
  }

  /** What there is no room for, in words; `undefined` when a row of this size fits in place of `before`. */
  lackFor(size: number, before: Row | undefined): string | undefined {
    if (before === undefined && this.#rows.size >= MAX_ROWS)
      return `has ${MAX_ROWS} rows, and no room for more`;
    if (this.#room.bytes + size - (before?.size ?? 0) > MAX_ROW_BYTES)
      return `has no room: the rows of all collections may hold ${MAX_ROW_BYTES} bytes together`;
    return undefined;
  }

  /**
   * Adds a row, or puts one in place of that with the same key.
   *
   * @param onRoom - called once there is room for the row, before it is put in; when it throws, nothing changes
   * @throws BacklotError `too_large`
   */
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
  }

  remove(row: Row): void {
    this.#own();
    if (this.#rows.delete(row.key)) this.#count(-row.size);
  }

  /** Takes over the rows of another, which must not be used afterwards. */
  become(other: Rows): void {
    const { rows, bytes, hiddenUntil } = other.save();
    this.#count(-this.#bytes);
    other.#room.bytes -= bytes;
    this.#take(rows, bytes, hiddenUntil);
    this.#isShared = false;
    this.#next = Math.max(this.#next, other.#next);
  }

  /** Gives back the room they take. */
  drop(): void {
    this.#count(-this.#bytes);
    this.#rows = new Map();
    this.#isShared = false;
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
