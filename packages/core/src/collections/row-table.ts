import type { Row } from './row.js';

/** Rows by their keys, in order of creation: those of a collection, or a draft of them. */
export interface RowTable {
  readonly size: number;
  /** The number of the next new row. */
  readonly next: number;
  get(key: string): Row | undefined;
  /** The rows there are now, in order. They may change while they are gone through: new ones are left out. */
  values(): Iterable<Row>;
  /** Whether some row may be out of sight at this time. */
  someHidden(now: number): boolean;
  /** What there is no room for, in words; `undefined` when a row of this size fits in place of `before`. */
  lackFor(size: number, before: Row | undefined): string | undefined;
  /**
   * Adds a row, or puts one in place of that with the same key.
   *
   * @param onRoom - called once there is room for the row, before it is put in; when it throws, nothing changes
   * @throws BacklotError `too_large`
   */
  put(row: Row, onRoom?: () => void): void;
  remove(row: Row): void;
}
