import type { CollectionStore } from './collection-store.js';
import type { RowChange } from '../contract/shared-changes.js';
import { toSharedJson } from '../values/shared-json.js';
import { DraftRows } from './draft-rows.js';
import { RowWriter } from './row-writer.js';
import type { Room } from './rows.js';
import type { StoredCollection } from './stored-collection.js';

/** One collection as a draft has it. */
export interface DraftCollection {
  readonly stored: StoredCollection;
  readonly key: string;
  readonly rows: DraftRows;
  readonly writer: RowWriter;
  /** Checks that the collection may have rows. @throws BacklotError `too_large` when there are too many collections */
  readonly admit: () => void;
}

/**
 * Changes of collections that are seen by who makes them alone, until all of them are taken over. It is made, used and
 * committed, or dropped, at once: nothing else must change the collections meanwhile.
 */
export class Draft {
  readonly #store: CollectionStore;
  readonly #drafted = new Map<string, DraftCollection>();
  /** How many bytes the collections hold more than they did. */
  readonly #growth: Room = { bytes: 0 };
  /** Those that get their first row. */
  readonly #filled = new Set<StoredCollection>();

  constructor(store: CollectionStore) {
    this.#store = store;
  }

  of(name: string): DraftCollection {
    const known = this.#drafted.get(name);
    if (known !== undefined) return known;
    const stored = this.#store.of(name);
    const rows = new DraftRows(stored.rows, this.#growth);
    const admit = (): void => this.#admit(stored);
    const drafted = {
      stored,
      key: stored.key,
      rows,
      writer: new RowWriter(name, () => stored.shape, rows, admit),
      admit,
    };
    this.#drafted.set(name, drafted);
    return drafted;
  }

  /** Makes the changes in the collections themselves. */
  commit(): void {
    for (const { stored, rows } of this.#drafted.values()) rows.commit((row) => stored.store(row));
  }

  /** What {@link commit} would do, as data. */
  *changes(): Generator<RowChange, void> {
    for (const [collection, { rows }] of this.#drafted) {
      for (const row of rows.changes()) {
        if (typeof row === 'string') yield { collection, key: row };
        else {
          const { key, number, hiddenUntil } = row;
          yield { collection, key, value: toSharedJson(row.value), number, hiddenUntil };
        }
      }
    }
  }

  #admit(stored: StoredCollection): void {
    if (this.#store.has(stored.name) || this.#filled.has(stored)) return;
    this.#store.checkRoomFor(this.#filled.size + 1);
    this.#filled.add(stored);
  }
}
