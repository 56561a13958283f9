import type { Json } from './json.js';
import type { CollectionDefinition } from './fields.generated.js';

export type { CollectionDefinition } from './fields.generated.js';

/** A collection as it is listed. */
export interface CollectionView {
  readonly name: string;
  /** The field that tells a row from the others. */
  readonly key: string;
  /** How many rows there are. */
  readonly rows: number;
}

/**
 * The rows of one collection: JSON objects that mocks of all kinds read and change. Rows that are given are copies
 * that cannot be changed. A change that is refused leaves everything as it was.
 */
export interface Collection<Row = Json> {
  readonly name: string;
  /** The field that tells a row from the others. */
  readonly key: string;
  /** How many rows there are. */
  readonly size: number;
  /** All rows in the order of creation, those that are hidden by a `take` as well. */
  list(): readonly Row[];
  /** The rows of {@link list}, one at a time. Those that are added meanwhile are left out. */
  values(): Iterable<Row>;
  has(key: string): boolean;
  /** The row with this key. @throws BacklotError `not_found` */
  get(key: string): Row;
  /**
   * Adds a row, with the fields that the collection sets, and a key when it has none.
   *
   * @throws BacklotError `invalid` for what is no JSON object, `conflict` when the key is there, `too_large` when there
   * is no room: 100,000 rows, or 64 MiB in all collections together
   */
  create(row: Partial<Row>): Row;
  /** Puts another row in place of one; it keeps its key and its place. @throws as {@link create}; `not_found` */
  replace(key: string, row: Partial<Row>): Row;
  /** Puts fields over those of a row (RFC 7396). @throws as {@link create}; `not_found` */
  update(key: string, fields: Readonly<Record<string, unknown>>): Row;
  /** Removes a row. @throws BacklotError `not_found` */
  remove(key: string): void;
  /** Puts these rows in place of all. @throws as {@link create}; `conflict` when two have the same key */
  setAll(rows: readonly Partial<Row>[]): void;
  /** As {@link setAll}, in slices, between which other work is done; the rows are there at once in the end. */
  setAllInSlices(rows: readonly Partial<Row>[]): Promise<void>;
}

/** What has happened to a collection. Rows are copies that cannot be changed. */
export type CollectionChange<Row = Json> =
  | { readonly type: 'created'; readonly collection: string; readonly key: string; readonly row: Row }
  | {
      readonly type: 'changed';
      readonly collection: string;
      readonly key: string;
      readonly row: Row;
      readonly before: Row;
    }
  | { readonly type: 'removed'; readonly collection: string; readonly key: string; readonly before: Row }
  /** All rows may be others: the collection was declared anew, its rows were set or put back, or more has happened than is told one by one. */
  | { readonly type: 'replaced'; readonly collection: string };

/** The collections of a host, by name: 1,000 at most. */
export interface Collections {
  list(): readonly CollectionView[];
  has(name: string): boolean;
  /**
   * The collection with this name. One that is not there is made when its first row comes.
   */
  get<Row = Json>(name: string): Collection<Row>;
  /**
   * Declares a collection, in place of an earlier one with its rows; done in slices, between which other work is done.
   *
   * @throws BacklotError `invalid` with every problem; `too_large` when there is no room
   */
  define(name: string, definition: CollectionDefinition): Promise<void>;
  /** Removes a collection with its rows; a reset brings a configured one back. @throws BacklotError `not_found` */
  remove(name: string): void;
}
