import { runAtOnce, runInSlices, type SnapshotPart } from '@backlot/core/plugin';
import type { DataQueue } from './data-queue.js';
import type { Contents } from './data/contents.js';
import { Database } from './data/database.js';
import type { Store } from './data/store.js';
import type { SavedEntry } from './data/value.js';
import { readDump } from './dump/reader.js';
import { dumpValue } from './dump/writer.js';
import { CommandError } from './wire/errors.js';

/** A snapshot of all data: the keys of each database. Filled when it is its turn at the data. */
interface SavedData {
  databases: readonly (readonly SavedEntry[])[];
  /** Resolves when it is filled. */
  readonly filled: Promise<void>;
}

/** A key with its value as DUMP gives it, and when it ends. */
type PackedEntry = readonly [key: string, dump: string, expireAt: number];

/** Values that this process has held before may be as large as they were. */
const UNBOUNDED = { mostUnpacked: Number.MAX_SAFE_INTEGER, check: () => undefined };

/**
 * Snapshots of all data. To clients they are like any long command: nobody sees one half done, since those who write wait
 * while one is taken, and all wait while one is put back; the process does other things meanwhile. Little data is saved
 * and put back at once.
 */
export class DataSnapshots implements SnapshotPart<SavedData> {
  readonly passes = { pack, unpack };
  readonly #store: Store;
  readonly #queue: DataQueue;

  constructor(store: Store, queue: DataQueue) {
    this.#store = store;
    this.#queue = queue;
  }

  save(): SavedData {
    let fill = (): void => undefined;
    const filled = new Promise<void>((resolve) => (fill = resolve));
    const saved: SavedData = { databases: [], filled };
    this.#queue.runLasting(() => this.#saveSteps(saved, fill), false);
    return saved;
  }

  restore(saved: SavedData): void {
    const reason = new CommandError('ERR the data was reset meanwhile');
    this.#queue.runLasting(() => this.#restoreSteps(saved), reason);
  }

  *#saveSteps(saved: SavedData, fill: () => void): Generator<undefined, void> {
    const databases: (readonly SavedEntry[])[] = [];
    for (const database of this.#store.databases) databases.push(yield* database.save());
    saved.databases = databases;
    fill();
  }

  /** What comes is built beside what is there, and takes its place in one step. */
  *#restoreSteps({ databases }: SavedData): Generator<undefined, void> {
    const built: Contents[] = [];
    for (const index of this.#store.databases.keys())
      built.push(yield* Database.build(databases[index] ?? []));
    for (const [index, contents] of built.entries()) this.#store.database(index).adopt(contents);
  }
}

/** Each database as the dumps of its keys. */
async function pack(saved: SavedData): Promise<readonly (readonly PackedEntry[])[]> {
  await saved.filled;
  return await runInSlices(packSteps(saved));
}

function* packSteps({ databases }: SavedData): Generator<undefined, readonly (readonly PackedEntry[])[]> {
  const packed: PackedEntry[][] = [];
  for (const entries of databases) {
    const all: PackedEntry[] = [];
    for (const { key, value, expireAt } of entries) {
      all.push([key, yield* dumpValue(value), expireAt]);
      yield;
    }
    packed.push(all);
  }
  return packed;
}

function unpack(packed: unknown): SavedData {
  const databases = (packed as readonly (readonly PackedEntry[])[]).map((entries) =>
    entries.map(([key, dump, expireAt]) => ({ key, value: runAtOnce(readDump(dump, UNBOUNDED)), expireAt })),
  );
  return { databases, filled: Promise.resolve() };
}
