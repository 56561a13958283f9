import { randomBytes } from 'node:crypto';
import type { SnapshotCollection, SnapshotView } from '../contract/host.js';
import { BacklotError, invalid } from '../errors.js';
import type { Clock } from '../time/clock.js';

const MOST_SNAPSHOTS = 100;

/** The snapshots of a host; a picture costs references, since stored values never change. */
export class SnapshotStore<T> implements SnapshotCollection {
  readonly #snapshots = new Map<string, { readonly view: SnapshotView; readonly saved: T }>();
  readonly #clock: Clock;
  readonly #save: () => T;
  readonly #restore: (saved: T) => void;

  constructor(clock: Clock, save: () => T, restore: (saved: T) => void) {
    this.#clock = clock;
    this.#save = save;
    this.#restore = restore;
  }

  list(): readonly SnapshotView[] {
    return Array.from(this.#snapshots.values(), ({ view }) => view);
  }

  create(name?: string): SnapshotView {
    if (this.#snapshots.size >= MOST_SNAPSHOTS) {
      throw invalid(`there are ${MOST_SNAPSHOTS} snapshots already; delete one first`);
    }
    const id = `snapshot-${randomBytes(4).toString('hex')}`;
    const view = {
      id,
      ...(name === undefined ? {} : { name }),
      created_at: new Date(this.#clock.now()).toISOString(),
    };
    this.#snapshots.set(id, { view, saved: this.#save() });
    return view;
  }

  get(id: string): SnapshotView {
    return this.#find(id).view;
  }

  remove(id: string): void {
    this.#find(id);
    this.#snapshots.delete(id);
  }

  restore(id: string): void {
    this.#restore(this.#find(id).saved);
  }

  #find(id: string): { readonly view: SnapshotView; readonly saved: T } {
    const snapshot = this.#snapshots.get(id);
    if (snapshot === undefined) throw new BacklotError('not_found', `no snapshot "${id}"`);
    return snapshot;
  }
}
