import type { Clock, Keeper } from '@backlot/core/plugin';
import { Database, type DatabaseOwner } from './database.js';
import { cloneValue, type Value } from './value.js';

/** How many numbered databases there are. */
export const DATABASES = 16;

/** A picture of all data. */
type SavedData = readonly (readonly [index: number, key: string, value: Value, expireAt: number])[];

/** Who wants to know that a key has changed; see WATCH. */
export interface Watcher {
  keyChanged(): void;
}

/** All data: the numbered databases, the memory in use, and who waits for keys. */
export class Store implements DatabaseOwner, Keeper<SavedData> {
  readonly #clock: Clock;
  readonly #databases: readonly Database[];
  readonly #watchers = new Map<string, Set<Watcher>>();
  /** Told of every changed key while somebody waits for one. */
  onReady: ((database: Database, key: string) => void) | undefined;
  #used = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#databases = Array.from({ length: DATABASES }, (_, index) => new Database(index, this));
  }

  /** Bytes in use. */
  get used(): number {
    return this.#used;
  }

  get databases(): readonly Database[] {
    return this.#databases;
  }

  now(): number {
    return this.#clock.now();
  }

  metered(bytes: number): void {
    this.#used += bytes;
  }

  /** @throws RangeError for a number that no database has */
  database(index: number): Database {
    const database = this.#databases[index];
    if (database === undefined) throw new RangeError(`there is no database ${index}`);
    return database;
  }

  changed(database: Database, key: string): void {
    if (this.#watchers.size > 0) {
      const watchers = this.#watchers.get(`${database.index} ${key}`);
      if (watchers !== undefined) for (const watcher of watchers) watcher.keyChanged();
    }
    this.onReady?.(database, key);
  }

  /** Tells a watcher of every change of the key from now on. */
  watch(database: Database, key: string, watcher: Watcher): void {
    const id = `${database.index} ${key}`;
    const watchers = this.#watchers.get(id);
    if (watchers === undefined) this.#watchers.set(id, new Set([watcher]));
    else watchers.add(watcher);
  }

  /** Ends {@link watch}. */
  unwatch(database: Database, key: string, watcher: Watcher): void {
    const id = `${database.index} ${key}`;
    const watchers = this.#watchers.get(id);
    watchers?.delete(watcher);
    if (watchers?.size === 0) this.#watchers.delete(id);
  }

  /** Whether there is no room for more, even after what has expired is gone. */
  isFull(most: number): boolean {
    if (this.#used <= most) return false;
    for (const database of this.#databases) database.sweep();
    return this.#used > most;
  }

  save(): SavedData {
    return this.#databases.flatMap((database) =>
      Array.from(
        database.entries(),
        ([key, { value, expireAt }]) => [database.index, key, cloneValue(value), expireAt] as const,
      ),
    );
  }

  restore(saved: SavedData): void {
    for (const database of this.#databases) database.clear();
    for (const [index, key, value, expireAt] of saved) {
      this.#databases[index]?.put(key, cloneValue(value), expireAt);
    }
  }
}
