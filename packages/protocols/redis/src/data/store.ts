import type { Clock } from '@backlot/core/plugin';
import { Database, type DatabaseOwner } from './database.js';
import { KeyBook } from './key-book.js';

/** How many numbered databases there are. */
export const DATABASES = 16;

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

/** Who wants to know what commands do to keys. */
export interface KeyListener {
  /** A command that may change keys is about to be carried out. */
  begin(command: string, args: readonly string[]): void;
  changed(database: Database, key: string): void;
  /** A key is about to be removed since it has expired. */
  expires(database: Database, key: string): void;
  /** Fields of a hash have been removed since they have expired, and all with `isGone`: {@link changed} follows. */
  fieldsExpired(database: Database, key: string, isGone: boolean): void;
  /** It was set when a key expires; 0: never. */
  timed(database: Database, key: string, expireAt: number): void;
}

/** Who remembers which clients have read which keys. */
export interface KeyTracking {
  changed(key: string): void;
  /** All keys of a database were changed. */
  flushed(): void;
  /** It was set when a key expires. */
  timed(): void;
}

/** All data: the numbered databases, the memory in use, and who waits for keys. */
export class Store implements DatabaseOwner {
  readonly #clock: Clock;
  readonly #databases: readonly Database[];
  readonly #watchers = new KeyBook<Watcher>();
  /** Who waits for keys, while somebody does. */
  waiting: KeyWaiting | undefined;
  /** Who wants to know what happens to keys, while somebody does. */
  listener: KeyListener | undefined;
  /** Who remembers what clients have read, while a client wants that. */
  tracking: KeyTracking | undefined;
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
    this.listener?.changed(database, key);
    this.tracking?.changed(key);
  }

  expires(database: Database, key: string): void {
    this.listener?.expires(database, key);
  }

  fieldsExpired(database: Database, key: string, isGone: boolean): void {
    this.listener?.fieldsExpired(database, key, isGone);
  }

  timed(database: Database, key: string, expireAt: number): void {
    this.listener?.timed(database, key, expireAt);
    this.tracking?.timed();
  }

  /** When the next key expires, in milliseconds since 1970. */
  get nextExpiry(): number {
    return Math.min(...this.#databases.map((database) => database.nextExpiry));
  }

  replaced(database: Database, isAffected: (key: string) => boolean): void {
    for (const key of this.#watchers.keysOf(database)) {
      if (!isAffected(key)) continue;
      for (const watcher of this.#watchers.of(database, key)) watcher.keyChanged();
    }
    this.waiting?.replaced(database, isAffected);
    this.tracking?.flushed();
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
}
