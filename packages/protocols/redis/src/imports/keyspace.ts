import type { Imported, ImportNotes, Json } from '@backlot/core/plugin';
import { DATABASES } from '../data/store.js';
import { fromWire, toWire } from '../wire/text.js';

/** A value whose texts have one character a byte. */
export type PlainValue =
  | { readonly type: 'string'; text: string }
  | { readonly type: 'list'; readonly items: string[] }
  | { readonly type: 'set'; readonly items: Set<string> }
  | { readonly type: 'hash'; readonly fields: Map<string, string> }
  | { readonly type: 'zset'; readonly scores: Map<string, number> }
  /** Entries without an id get one when they are put in. */
  | {
      readonly type: 'stream';
      readonly entries: { readonly id: string | undefined; readonly fields: readonly string[] }[];
    };

/** A key of an import. */
export interface PlainKey {
  readonly database: number;
  readonly key: string;
  value: PlainValue;
  /** Milliseconds. */
  ttl: number | undefined;
}

/** Keys that a file makes, in their order. */
export class Keyspace {
  readonly #keys = new Map<string, PlainKey>();

  get size(): number {
    return this.#keys.size;
  }

  get(database: number, key: string): PlainKey | undefined {
    return this.#keys.get(`${database}:${key}`);
  }

  set(database: number, key: string, value: PlainValue, ttl?: number): void {
    this.#keys.set(`${database}:${key}`, { database, key, value, ttl });
  }

  delete(database: number, key: string): void {
    this.#keys.delete(`${database}:${key}`);
  }

  /** Removes all keys, or those of one database. */
  clear(database?: number): void {
    for (const [id, one] of this.#keys)
      if (database === undefined || one.database === database) this.#keys.delete(id);
  }

  /** The keys as `data` of a configuration, and as what a running server takes. */
  *finish(notes: ImportNotes): Generator<undefined, Imported, undefined> {
    const data = new Map<string, unknown>();
    const entries: Json[] = [];
    for (const { database, key, value, ttl } of this.#keys.values()) {
      yield;
      const name = fromWire(key);
      if (toWire(name) !== key) notes.refused('', 'keys that are no UTF-8 are left out');
      else if (database >= DATABASES)
        notes.refused(name, `keys of databases beyond ${DATABASES - 1} are left out`);
      else if (data.has(name))
        notes.refused(
          name,
          `a key that another database has as well is left out, here of database ${database}`,
        );
      else {
        const shown = yield* showValue(value, name, notes);
        if (shown === undefined) continue;
        const duration = ttl === undefined ? {} : { ttl: `${ttl}ms` };
        const isPlain =
          value.type === 'string' && database === 0 && ttl === undefined && typeof shown === 'string';
        data.set(
          name,
          isPlain
            ? shown
            : { type: value.type, value: shown, ...duration, ...(database === 0 ? {} : { database }) },
        );
        entries.push({ key: name, database, type: value.type, value: shown, ...duration });
      }
    }
    return {
      protocols: { redis: { data: Object.fromEntries(data) } },
      data: { redis: { data: { section: 'keys', entries } } },
    };
  }
}

/** A value as `data` has it; `undefined` for one of which nothing is left. */
function* showValue(
  value: PlainValue,
  place: string,
  notes: ImportNotes,
): Generator<undefined, unknown, undefined> {
  switch (value.type) {
    case 'string':
      return showText(value.text);
    case 'list':
      return filled(value.items.map(showText));
    case 'set':
      return filled(Array.from(value.items, showText));
    case 'hash':
      return named(value.fields, showText, place, notes);
    case 'zset':
      return named(
        value.scores,
        (score) => (Number.isFinite(score) ? score : score > 0 ? 'inf' : '-inf'),
        place,
        notes,
      );
    case 'stream': {
      const entries: (readonly [string | undefined, unknown])[] = [];
      for (const { id, fields } of value.entries) {
        if (entries.length % 64 === 0) yield;
        const pairs = new Map<string, string>();
        for (let at = 0; at + 1 < fields.length; at += 2) {
          const [field = '', text = ''] = fields.slice(at, at + 2);
          if (pairs.has(field))
            notes.refused(place, 'of a field that an entry of a stream has twice the first is left out');
          pairs.set(field, text);
        }
        const shown = named(pairs, showText, place, notes);
        if (shown !== undefined) entries.push([id, shown]);
      }
      if (entries.length === 0) return undefined;
      return entries.every(([id]) => id !== undefined)
        ? Object.fromEntries(entries as [string, unknown][])
        : entries.map(([, fields]) => fields);
    }
  }
}

function showText(text: string): unknown {
  const shown = fromWire(text);
  return toWire(shown) === text ? shown : { base64: Buffer.from(text, 'latin1').toString('base64') };
}

function filled(items: readonly unknown[]): readonly unknown[] | undefined {
  return items.length === 0 ? undefined : items;
}

function named<T>(
  of: ReadonlyMap<string, T>,
  show: (value: T) => unknown,
  place: string,
  notes: ImportNotes,
): Json | undefined {
  const shown: [string, unknown][] = [];
  for (const [name, value] of of) {
    const text = fromWire(name);
    if (toWire(text) === name) shown.push([text, show(value)]);
    else notes.refused(place, 'fields and members that are no UTF-8 are left out');
  }
  return shown.length === 0 ? undefined : Object.fromEntries(shown);
}
