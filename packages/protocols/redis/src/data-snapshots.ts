import type { SnapshotPart } from '@backlot/core/plugin';
import type { DataQueue } from './data-queue.js';
import type { Contents } from './data/contents.js';
import { Database } from './data/database.js';
import type { Store } from './data/store.js';
import type { SavedEntry } from './data/value.js';
import { CommandError } from './wire/errors.js';

/** A snapshot of all data: the keys of each database. Filled when it is its turn at the data. */
interface SavedData {
  databases: readonly (readonly SavedEntry[])[];
}

/**
 * Snapshots of all data. To clients they are like any long command: nobody sees one half done, since those who write wait
 * while one is taken, and all wait while one is put back; the process does other things meanwhile. Little data is saved
 * and put back at once.
 */
export class DataSnapshots implements SnapshotPart<SavedData> {
  readonly #store: Store;
  readonly #queue: DataQueue;

  constructor(store: Store, queue: DataQueue) {
    this.#store = store;
    this.#queue = queue;
  }

  save(): SavedData {
    const saved: SavedData = { databases: [] };
    this.#queue.runLasting(() => this.#saveSteps(saved), false);
    return saved;
  }

  restore(saved: SavedData): void {
    const reason = new CommandError('ERR the data was reset meanwhile');
    this.#queue.runLasting(() => this.#restoreSteps(saved), reason);
  }

  *#saveSteps(saved: SavedData): Generator<undefined, void> {
    const databases: (readonly SavedEntry[])[] = [];
    for (const database of this.#store.databases) databases.push(yield* database.save());
    saved.databases = databases;
  }

  /** What comes is built beside what is there, and takes its place in one step. */
  *#restoreSteps({ databases }: SavedData): Generator<undefined, void> {
    const built: Contents[] = [];
    for (const index of this.#store.databases.keys())
      built.push(yield* Database.build(databases[index] ?? []));
    for (const [index, contents] of built.entries()) this.#store.database(index).adopt(contents);
  }
}
