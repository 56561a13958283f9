import { invalid, type DataEntry, type DataSection, type Json } from '@backlot/core/plugin';
import { readSeed } from '../data/seeds.js';
import { isText, lengthOf } from '../data/text.js';
import { bytesOf, typeOf } from '../data/value.js';
import type { Database } from '../data/database.js';
import type { ServerState } from '../server-state.js';
import { fromWire, toWire } from '../wire/text.js';
import { showValue } from './shown-value.js';

/** The keys of all databases, for people. */
export class KeySection implements DataSection {
  readonly #server: ServerState;

  constructor(server: ServerState) {
    this.#server = server;
  }

  get size(): number {
    return this.#server.store.databases.reduce((sum, { size }) => sum + size, 0);
  }

  *entries(): Generator<DataEntry> {
    for (const database of this.#server.store.databases) {
      for (const [key] of database.live()) yield new KeyEntry(database, key);
    }
  }

  find(id: string): DataEntry | undefined {
    const found = this.#split(id);
    if (found === undefined) return undefined;
    const entry = new KeyEntry(found.database, found.key);
    return entry.read() === undefined ? undefined : entry;
  }

  async put(given: Json): Promise<string> {
    const { settings, store, clock } = this.#server;
    if (!settings.isStateful) throw invalid('mode mock keeps no data: start it with mode: stateful');
    const { name, database: index } = this.#placeOf(given);
    const now = clock.now();
    const { type, value, ttl } = given;
    const isWhole = type !== undefined || ttl !== undefined;
    const whole = { type: type ?? guessType(value), value, ...(ttl === undefined ? {} : { ttl }) };
    const seed = readSeed(name, isWhole ? whole : value, now);
    const bytes = bytesOf(seed.key, seed.value);
    if (store.used + bytes > settings.maxMemory) {
      throw invalid(
        `the key takes ${bytes} bytes; ${store.used} of max_memory ${settings.maxMemory} are used`,
      );
    }
    await this.#change(() => {
      const until = seed.ttl === undefined ? 0 : now + seed.ttl;
      store.database(index).put(seed.key, seed.value, until);
    });
    return idOf(index, seed.key);
  }

  async remove(id: string): Promise<void> {
    const found = this.#split(id);
    if (found !== undefined) await this.#change(() => found.database.delete(found.key));
  }

  /** Changes data when it is the turn for that, as commands of clients do. */
  async #change(change: () => unknown): Promise<void> {
    const { dataQueue } = this.#server;
    if (!dataQueue.isOpenTo('write')) {
      await new Promise<void>((resolve) => {
        dataQueue.wait('write', resolve);
      });
    }
    change();
    this.#server.followUp();
  }

  #split(id: string): { readonly database: Database; readonly key: string } | undefined {
    const [, digits, name] = /^(\d{1,2}):([^]*)$/.exec(id) ?? [];
    const database = digits === undefined ? undefined : this.#server.store.databases[Number(digits)];
    return database === undefined || name === undefined ? undefined : { database, key: toWire(name) };
  }

  #placeOf({ id, key, database }: Json): { readonly name: string; readonly database: number } {
    if (typeof id === 'string') {
      const found = this.#split(id);
      if (key !== undefined || database !== undefined)
        throw invalid('give either "id", or "key" and "database"');
      if (found === undefined) {
        throw invalid(
          `the id of a key is its database and its name, such as 0:user:7, got ${JSON.stringify(id)}`,
        );
      }
      return { name: fromWire(found.key), database: found.database.index };
    }
    if (typeof key !== 'string')
      throw invalid('"key" is required', [{ path: '', message: '"key" is required' }]);
    return { name: key, database: typeof database === 'number' ? database : 0 };
  }
}

class KeyEntry implements DataEntry {
  readonly #database: Database;
  readonly #key: string;

  constructor(database: Database, key: string) {
    this.#database = database;
    this.#key = key;
  }

  get id(): string {
    return idOf(this.#database.index, this.#key);
  }

  read(): Json | undefined {
    const entry = this.#database.peek(this.#key);
    if (entry === undefined) return undefined;
    const { value, expireAt } = entry;
    return {
      id: this.id,
      database: this.#database.index,
      key: fromWire(this.#key),
      type: typeOf(value),
      size: isText(value) ? lengthOf(value) : value.size,
      ...showValue(value),
      ...(expireAt === 0 ? {} : { expires_at: new Date(expireAt).toISOString() }),
    };
  }
}

function idOf(database: number, key: string): string {
  return `${database}:${fromWire(key)}`;
}

function guessType(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' && value !== null ? 'hash' : 'string';
}
