import type { Collection, CollectionDefinition } from '../contract/collections.js';
import type { Json } from '../contract/given.js';
import { BacklotError, invalid, problemsIn } from '../errors.js';
import { withLocals } from '../templates/scope.js';
import { compileValue, type TemplateScope, type ValueTemplate } from '../templates/template.js';
import { runAtOnce, runInSlices } from '../time/slices.js';
import { mergePatch } from '../validation/merge-patch.js';
import { defineOwn, isObject, pointTo } from '../validation/pointer.js';
import { copyOfRow, keyText, type Row } from './row.js';
import { Rows, type Room, type SavedRows } from './rows.js';

/** A collection as a snapshot keeps it. */
export interface SavedCollection {
  readonly shape: CollectionShape;
  readonly rows: SavedRows;
}

/** What a collection makes of new rows. */
export interface CollectionShape {
  readonly key: string;
  readonly id: ValueTemplate | undefined;
  readonly set: readonly (readonly [string, ValueTemplate])[];
}

/** The shape of a collection that nobody has declared. */
export const PLAIN_SHAPE: CollectionShape = { key: 'id', id: undefined, set: [] };

/** How often another key is made up when one is taken already. */
const MAX_TRIES = 100;

/** What is compiled of a declaration. @throws BacklotError `invalid` with a problem for each template */
export function compileShape({ key = 'id', id, set }: CollectionDefinition): CollectionShape {
  const compile = (value: unknown, at: string): ValueTemplate => {
    try {
      return compileValue(value);
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      throw invalid(message, [{ path: at, message }]);
    }
  };
  return {
    key,
    id: id === undefined ? undefined : compile(id, '/id'),
    set: Object.entries(set ?? {}).map(
      ([name, value]) => [name, compile(value, pointTo('/set', name))] as const,
    ),
  };
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

  /** @param onFill - called before rows are put in, once it is certain that there is room for them; when it throws, none are */
  constructor(
    name: string,
    shape: CollectionShape,
    room: Room,
    scope: () => TemplateScope,
    onFill: () => void = () => undefined,
  ) {
    this.name = name;
    this.rows = new Rows(room);
    this.#shape = shape;
    this.#room = room;
    this.#scope = scope;
    this.#onFill = onFill;
  }

  get key(): string {
    return this.#shape.key;
  }

  get size(): number {
    return this.rows.size;
  }

  list(): readonly Json[] {
    return [...this.values()];
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
    return this.add(row, undefined, this.#scope()).value;
  }

  replace(key: string, row: unknown): Json {
    return this.put(this.#rowOf(key), row).value;
  }

  update(key: string, fields: Readonly<Record<string, unknown>>): Json {
    return this.merge(this.#rowOf(key), fields).value;
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

  /**
   * Adds a row.
   *
   * @param key - its key; absent when the row has one, or one is made up
   * @param scope - what the templates of the collection see
   * @throws BacklotError `invalid`, `conflict`, `too_large`
   */
  add(value: unknown, key: string | undefined, scope: TemplateScope): Row {
    const row = this.#newRow(value, key, scope, this.rows);
    this.rows.put(row, this.#onFill);
    return row;
  }

  /** The row that {@link add} would add, which is not added. */
  sketch(value: unknown, key: string | undefined, scope: TemplateScope): Row {
    return this.#newRow(value, key, scope, this.rows);
  }

  /** Puts other fields in place of those of a row; what the collection has set stays where they say nothing. */
  put(before: Row, value: unknown, isDry = false): Row {
    const kept = this.#shape.set
      .filter(([name]) => Object.hasOwn(before.value, name))
      .map(([name]) => [name, before.value[name]] as const);
    return this.#change(before, { ...Object.fromEntries(kept), ...objectOf(value) }, isDry);
  }

  /** Puts fields over those of a row. */
  merge(before: Row, fields: unknown, isDry = false): Row {
    return this.#change(before, mergePatch(before.value, objectOf(fields)), isDry);
  }

  /** Puts these rows in place of all; they are there at once in the end. */
  *setSteps(rows: readonly unknown[], base = ''): Generator<undefined, void> {
    if (!Array.isArray(rows))
      throw invalid('rows must be a list', [{ path: base, message: 'must be a list' }]);
    // The present ones make room for them.
    const made = new Rows({ bytes: this.#room.bytes - this.rows.bytes });
    const scope = this.#scope();
    for (const [index, value] of rows.entries()) {
      made.put(this.#newRowAt(value, scope, made, pointTo(base, index)));
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

  #newRowAt(value: unknown, scope: TemplateScope, rows: Rows, at: string): Row {
    try {
      return this.#newRow(value, undefined, scope, rows);
    } catch (thrown) {
      if (!(thrown instanceof BacklotError)) throw thrown;
      throw new BacklotError(thrown.code, thrown.message, { details: problemsIn(thrown, at) });
    }
  }

  #newRow(value: unknown, key: string | undefined, scope: TemplateScope, rows: Rows): Row {
    const { key: field, set } = this.#shape;
    const given = objectOf(value);
    const id = key ?? (Object.hasOwn(given, field) ? given[field] : undefined) ?? this.#newKey(scope, rows);
    const text = keyText(id);
    if (text === undefined)
      throw invalid(`the key "${field}" of a row must be a text or a number`, [
        { path: pointTo('', field), message: 'must be a text or a number that is not empty' },
      ]);
    if (rows.get(text) !== undefined)
      throw new BacklotError('conflict', `collection "${this.name}" has a row "${text}" already`);
    const own: Record<string, unknown> = {};
    defineOwn(own, field, id);
    for (const [name, inner] of Object.entries(given)) if (name !== field) defineOwn(own, name, inner);
    if (set.length > 0) {
      const withRow = withLocals(scope, { row: own });
      for (const [name, template] of set)
        if (!Object.hasOwn(own, name)) defineOwn(own, name, template.render(withRow));
    }
    return { key: text, ...copyOfRow(own), number: rows.next, hiddenUntil: 0 };
  }

  #newKey(scope: TemplateScope, rows: Rows): unknown {
    const { id } = this.#shape;
    if (id === undefined) return scope.random().uuid();
    for (let tried = 0; tried < MAX_TRIES; tried += 1) {
      const made = id.render(scope);
      const text = keyText(made);
      if (text === undefined || rows.get(text) === undefined) return made;
      if (id.constant) return made;
    }
    throw new BacklotError(
      'conflict',
      `the template "id" of collection "${this.name}" gives keys that are taken`,
    );
  }

  #change(before: Row, value: unknown, isDry: boolean): Row {
    const { key: field } = this.#shape;
    const own: Record<string, unknown> = {};
    defineOwn(own, field, before.value[field]);
    for (const [name, inner] of Object.entries(value as Json))
      if (name !== field) defineOwn(own, name, inner);
    const row = { ...before, ...copyOfRow(own) };
    if (!isDry) this.rows.put(row);
    return row;
  }

  #rowOf(key: string): Row {
    const row = this.rows.get(key);
    if (row === undefined)
      throw new BacklotError('not_found', `collection "${this.name}" has no row "${key}"`);
    return row;
  }
}

function objectOf(value: unknown): Json {
  if (isObject(value) && !(value instanceof Uint8Array)) return value;
  const message = 'must be an object';
  throw invalid(`a row ${message}`, [{ path: '', message }]);
}
