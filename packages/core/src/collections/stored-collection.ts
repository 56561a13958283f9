import type { Collection } from '../contract/collections.js';
import type { Json } from '../contract/given.js';
import { BacklotError, invalid, problemsIn } from '../errors.js';
import type { TemplateScope } from '../templates/template.js';
import { runAtOnce, runInSlices } from '../time/slices.js';
import { pointTo } from '../validation/pointer.js';
import type { CollectionShape } from './collection-shape.js';
import type { Row } from './row.js';
import { RowWriter } from './row-writer.js';
import { Rows, type Room, type RowsChange, type SavedRows } from './rows.js';

/** A collection as a snapshot keeps it. */
export interface SavedCollection {
  readonly shape: CollectionShape;
  readonly rows: SavedRows;
}

/** One collection with its rows. */
export class StoredCollection implements Collection {
  readonly name: string;
  readonly rows: Rows;
  #shape: CollectionShape;
  readonly #room: Room;
  /** Makes the scope of a template that no message has asked for; it is given what the template sees as `row`. */
  readonly #scope: () => TemplateScope;
  readonly #onFill: () => void;
  readonly #writer: RowWriter;

  /**
   * @param onFill - called before rows are put in, once it is certain that there is room for them; when it throws, none are
   * @param onChange - told after each change of the rows
   */
  constructor(
    name: string,
    shape: CollectionShape,
    room: Room,
    scope: () => TemplateScope,
    onFill: () => void = () => undefined,
    onChange?: (change: RowsChange) => void,
  ) {
    this.name = name;
    this.rows = new Rows(room, onChange);
    this.#shape = shape;
    this.#room = room;
    this.#scope = scope;
    this.#onFill = onFill;
    this.#writer = new RowWriter(name, () => this.#shape, this.rows, onFill);
  }

  get key(): string {
    return this.#shape.key;
  }

  get shape(): CollectionShape {
    return this.#shape;
  }

  get size(): number {
    return this.rows.size;
  }

  list(): readonly Json[] {
    return this.rows.list();
  }

  *values(): Generator<Json, void> {
    for (const row of this.rows.values()) yield row.value;
  }

  has(key: string): boolean {
    return this.rows.get(key) !== undefined;
  }

  get(key: string): Json {
    return this.#rowOf(key).value;
  }

  create(row: unknown): Json {
    return this.#writer.add(row, undefined, this.#scope()).value;
  }

  replace(key: string, row: unknown): Json {
    return this.#writer.put(this.#rowOf(key), row).value;
  }

  update(key: string, fields: Readonly<Record<string, unknown>>): Json {
    return this.#writer.merge(this.#rowOf(key), fields).value;
  }

  remove(key: string): void {
    this.rows.remove(this.#rowOf(key));
  }

  setAll(rows: readonly unknown[]): void {
    runAtOnce(this.setSteps(rows));
  }

  async setAllInSlices(rows: readonly unknown[]): Promise<void> {
    return runInSlices(this.setSteps(rows));
  }

  /** Puts in a row that is ready, in place of that with the same key. @throws BacklotError `too_large` */
  store(row: Row): void {
    this.rows.put(row, this.#onFill);
  }

  /** Puts these rows in place of all; they are there at once in the end. */
  *setSteps(rows: readonly unknown[], base = ''): Generator<undefined, void> {
    if (!Array.isArray(rows))
      throw invalid('rows must be a list', [{ path: base, message: 'must be a list' }]);
    // The present ones make room for them.
    const made = new Rows({ bytes: this.#room.bytes - this.rows.bytes });
    const writer = new RowWriter(
      this.name,
      () => this.#shape,
      made,
      () => undefined,
    );
    const scope = this.#scope();
    for (const [index, value] of rows.entries()) {
      addAt(writer, value, scope, pointTo(base, index));
      if (index % 16 === 0) yield;
    }
    this.#onFill();
    this.rows.become(made);
  }

  /** Takes another shape, for rows that are new from now on. */
  reshape(shape: CollectionShape): void {
    this.#shape = shape;
  }

  save(): SavedCollection {
    return { shape: this.#shape, rows: this.rows.save() };
  }

  restore({ shape, rows }: SavedCollection): void {
    this.#shape = shape;
    this.rows.restore(rows);
  }

  #rowOf(key: string): Row {
    const row = this.rows.get(key);
    if (row === undefined)
      throw new BacklotError('not_found', `collection "${this.name}" has no row "${key}"`);
    return row;
  }
}

function addAt(writer: RowWriter, value: unknown, scope: TemplateScope, at: string): void {
  try {
    writer.add(value, undefined, scope);
  } catch (thrown) {
    if (!(thrown instanceof BacklotError)) throw thrown;
    throw new BacklotError(thrown.code, thrown.message, { details: problemsIn(thrown, at) });
  }
}
