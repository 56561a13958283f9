import type { Clock, SnapshotPart } from '@backlot/core/plugin';
import { Database, type DatabaseOwner } from './database.js';
import { KeyBook } from './key-book.js';
import { copyValue, type Value } from './value.js';

/** How many numbered databases there are. */
export const DATABASES = 16;

/** A snapshot of all data. */
type SavedData = readonly (readonly [index: number, key: string, value: Value, expireAt: number])[];

/** Who wants to know that a key has changed; see WATCH. */
export interface Watcher {
  keyChanged(): void;
}

/** Who wants to know that a key may have become what somebody waits for. */
export interface KeyWaiting {
  changed(database: Database, key: string): void;
  /** All keys for which `isAffected` holds were changed. */
  replaced(database: Database, isAffected: (key: string) => boolean): void;
}

/** All data: the numbered databases, the memory in use, and who waits for keys. */
export class Store implements DatabaseOwner, SnapshotPart<SavedData> {
  readonly #clock: Clock;
  readonly #databases: readonly Database[];
  readonly #watchers = new KeyBook<Watcher>();
  /** Who waits for keys, while somebody does. */
  waiting: KeyWaiting | undefined;
  /** Called before all data is replaced by a snapshot: what is half done must not go on. */
  onRestore: (() => void) | undefined;
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
    if (this.#watchers.size > 0) for (const watcher of this.#watchers.of(database, key)) watcher.keyChanged();
    this.waiting?.changed(database, key);
  }

  replaced(database: Database, isAffected: (key: string) => boolean): void {
    for (const key of this.#watchers.keysOf(database)) {
      if (!isAffected(key)) continue;
      for (const watcher of this.#watchers.of(database, key)) watcher.keyChanged();
    }
    this.waiting?.replaced(database, isAffected);
  }

  /** Tells a watcher of every change of the key from now on. */
  watch(database: Database, key: string, watcher: Watcher): void {
    this.#watchers.add(database, key, watcher);
  }

  /** Ends {@link watch}. */
  unwatch(database: Database, key: string, watcher: Watcher): void {
    this.#watchers.delete(database, key, watcher);
  }

  /** Whether a key has expired and was not removed yet. */
  get hasExpired(): boolean {
    return this.#databases.some((database) => database.hasExpired);
  }

  /** Removes what has expired, step by step. */
  *sweep(): Generator<undefined, void> {
    for (const database of this.#databases) yield* database.sweep();
  }

  save(): SavedData {
    return this.#databases.flatMap((database) =>
      Array.from(
        database.entries(),
        ([key, { value, expireAt }]) => [database.index, key, finish(copyValue(value)), expireAt] as const,
      ),
    );
  }

  restore(saved: SavedData): void {
    this.onRestore?.();
    for (const database of this.#databases) database.clear();
    for (const [index, key, value, expireAt] of saved) {
      this.#databases[index]?.put(key, finish(copyValue(value)), expireAt);
    }
  }
}

/** Takes all steps at once. */
function finish<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
