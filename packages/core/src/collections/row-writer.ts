import type { Json } from '../contract/given.js';
import { BacklotError, invalid } from '../errors.js';
import { withLocals } from '../templates/scope.js';
import type { TemplateScope } from '../templates/template.js';
import { mergePatch } from '../validation/merge-patch.js';
import { defineOwn, isObject, pointTo } from '../validation/pointer.js';
import type { CollectionShape } from './collection-shape.js';
import { copyOfRow, keyText, type Row } from './row.js';
import type { RowTable } from './row-table.js';

/** How often another key is made up when one is taken already. */
const MAX_TRIES = 100;

/** Makes rows as the shape of a collection wants them, and puts them into a table. */
export class RowWriter {
  readonly #name: string;
  readonly #shape: () => CollectionShape;
  readonly #rows: RowTable;
  readonly #onFill: () => void;

  /** @param onFill - called before a row is added, once it is certain that there is room for it; when it throws, it is not */
  constructor(name: string, shape: () => CollectionShape, rows: RowTable, onFill: () => void) {
    this.#name = name;
    this.#shape = shape;
    this.#rows = rows;
    this.#onFill = onFill;
  }

  /**
   * Adds a row.
   *
   * @param key - its key; absent when the row has one, or one is made up
   * @param scope - what the templates of the collection see
   * @throws BacklotError `invalid`, `conflict`, `too_large`
   */
  add(value: unknown, key: string | undefined, scope: TemplateScope): Row {
    const row = this.#newRow(value, key, scope);
    this.#rows.put(row, this.#onFill);
    return row;
  }

  /** Puts other fields in place of those of a row; what the collection has set stays where they say nothing. */
  put(before: Row, value: unknown): Row {
    const kept = this.#shape()
      .set.filter(([name]) => Object.hasOwn(before.value, name))
      .map(([name]) => [name, before.value[name]] as const);
    return this.#change(before, { ...Object.fromEntries(kept), ...objectOf(value) });
  }

  /** Puts fields over those of a row. */
  merge(before: Row, fields: unknown): Row {
    return this.#change(before, mergePatch(before.value, objectOf(fields)));
  }

  #newRow(value: unknown, key: string | undefined, scope: TemplateScope): Row {
    const { key: field, set } = this.#shape();
    const given = objectOf(value);
    const id = key ?? (Object.hasOwn(given, field) ? given[field] : undefined) ?? this.#newKey(scope);
    const text = keyText(id);
    if (text === undefined)
      throw invalid(`the key "${field}" of a row must be a text or a number`, [
        { path: pointTo('', field), message: 'must be a text or a number that is not empty' },
      ]);
    if (this.#rows.get(text) !== undefined)
      throw new BacklotError('conflict', `collection "${this.#name}" has a row "${text}" already`);
    const own: Record<string, unknown> = {};
    defineOwn(own, field, id);
    for (const [name, inner] of Object.entries(given)) if (name !== field) defineOwn(own, name, inner);
    if (set.length > 0) {
      const withRow = withLocals(scope, { row: own });
      for (const [name, template] of set)
        if (!Object.hasOwn(own, name)) defineOwn(own, name, template.render(withRow));
    }
    return { key: text, ...copyOfRow(own), number: this.#rows.next, hiddenUntil: 0 };
  }

  #newKey(scope: TemplateScope): unknown {
    const { id } = this.#shape();
    if (id === undefined) return scope.random().uuid();
    for (let tried = 0; tried < MAX_TRIES; tried += 1) {
      const made = id.render(scope);
      const text = keyText(made);
      if (text === undefined || this.#rows.get(text) === undefined) return made;
      if (id.constant) return made;
    }
    throw new BacklotError(
      'conflict',
      `the template "id" of collection "${this.#name}" gives keys that are taken`,
    );
  }

  #change(before: Row, value: unknown): Row {
    const { key: field } = this.#shape();
    const own: Record<string, unknown> = {};
    defineOwn(own, field, before.value[field]);
    for (const [name, inner] of Object.entries(value as Json))
      if (name !== field) defineOwn(own, name, inner);
    const row = { ...before, ...copyOfRow(own) };
    this.#rows.put(row);
    return row;
  }
}

function objectOf(value: unknown): Json {
  if (isObject(value) && !(value instanceof Uint8Array)) return value;
  const message = 'must be an object';
  throw invalid(`a row ${message}`, [{ path: '', message }]);
}
