import {
  BacklotError,
  invalid,
  parseDuration,
  readGivenBytes,
  showBytes,
  type DataEntry,
  type DataSection,
  type Json,
} from '@backlot/core/plugin';
import type { ServerState } from '../server-state.js';
import type { Store } from '../store/store.js';
import { fromWire, toWire } from '../wire/latin.js';

const MAX_KEY = 250;

/** An item as it is given. */
export interface GivenItem {
  /** One character a byte, as on the wire. */
  readonly key: string;
  readonly value: string;
  readonly flags: number;
  /** Milliseconds; `undefined`: for ever. */
  readonly ttl: number | undefined;
}

/** Reads an item. @throws BacklotError `invalid` with the field that is wrong */
export function readItem(given: Json): GivenItem {
  const { key: name, ttl, flags = 0 } = given as { key: string; ttl?: string; flags?: number };
  const key = toWire(name);
  if (key.length > MAX_KEY || /[\0- \x7f]/.test(key)) {
    const message = `must have at most ${MAX_KEY} bytes, no spaces and no control characters, got ${JSON.stringify(name)}`;
    throw invalid(`key ${message}`, [{ path: '/key', message }]);
  }
  const value = readGivenBytes(given, 'value').toString('latin1');
  return { key, value, flags, ttl: ttl === undefined ? undefined : parseDuration(ttl) };
}

/** Puts an item where clients find it. @throws BacklotError `too_large` when it is not stored */
export function putItem(store: Store, { key, value, flags, ttl }: GivenItem): void {
  const stored = store.put(key, value, flags, ttl === undefined ? 0 : store.clock.now() + ttl);
  if (stored === 'too large' || stored === 'no memory')
    throw new BacklotError('too_large', `the item of ${value.length} bytes was not stored: ${stored}`);
}

/** The items that are stored, for people. */
export class ItemSection implements DataSection {
  readonly #server: ServerState;

  constructor(server: ServerState) {
    this.#server = server;
  }

  get size(): number {
    return this.#server.store.size;
  }

  *entries(): Generator<DataEntry> {
    for (const { key } of this.#server.store.stored()) yield this.#entry(key);
  }

  find(id: string): DataEntry | undefined {
    const key = toWire(id);
    return this.#server.store.find(key) === undefined ? undefined : this.#entry(key);
  }

  put(given: Json): string {
    const { store, isStateful } = this.#server;
    if (!isStateful) throw invalid('mode mock stores nothing: start it with mode: stateful');
    const item = readItem(given);
    putItem(store, item);
    return fromWire(item.key);
  }

  remove(id: string): void {
    const { store } = this.#server;
    const item = store.find(toWire(id));
    if (item !== undefined) store.remove(item);
  }

  #entry(key: string): DataEntry {
    const id = fromWire(key);
    return {
      id,
      read: () => {
        const item = this.#server.store.find(key);
        if (item === undefined) return undefined;
        const { value, flags, cas, expiresAt } = item;
        return {
          key: id,
          ...showBytes(Buffer.from(value, 'latin1'), 'value'),
          flags,
          size: value.length,
          cas,
          ...(expiresAt === 0 ? {} : { expires_at: new Date(expiresAt).toISOString() }),
        };
      },
    };
  }
}
