import { randomBytes } from 'node:crypto';
import type { SnapshotChanges, SnapshotCollection, SnapshotView } from '../contract/host.js';
import { BacklotError, invalid } from '../errors.js';
import type { Clock } from '../time/clock.js';
import { runInSlices } from '../time/slices.js';

const MAX_SNAPSHOTS = 100;

/** The snapshots of a host; a snapshot costs references, since stored values never change. */
export class SnapshotStore<T> implements SnapshotCollection {
  readonly #snapshots = new Map<string, { readonly view: SnapshotView; readonly saved: T }>();
  readonly #clock: Clock;
  readonly #save: () => T;
  readonly #restore: (saved: T) => void;
  readonly #restoreInSlices: (saved: T, signal: AbortSignal | undefined) => Promise<void>;
  readonly #compare: (before: T, after: T) => Iterator<unknown, SnapshotChanges>;

  constructor(
    clock: Clock,
    save: () => T,
    restore: (saved: T) => void,
    restoreInSlices: (saved: T, signal: AbortSignal | undefined) => Promise<void>,
    compare: (before: T, after: T) => Iterator<unknown, SnapshotChanges>,
  ) {
    this.#clock = clock;
    this.#save = save;
    this.#restore = restore;
    this.#restoreInSlices = restoreInSlices;
    this.#compare = compare;
  }

  list(): readonly SnapshotView[] {
    return Array.from(this.#snapshots.values(), ({ view }) => view);
  }

  create(name?: string, given?: string): SnapshotView {
    if (this.#snapshots.size >= MAX_SNAPSHOTS) {
      throw invalid(`there are ${MAX_SNAPSHOTS} snapshots already; delete one first`);
    }
    const id = given ?? `snapshot-${randomBytes(4).toString('hex')}`;
    if (this.#snapshots.has(id)) throw new BacklotError('conflict', `the snapshot "${id}" is there already`);
    const view = {
      id,
      ...(name === undefined || name === '' ? {} : { name }),
      created_at: new Date(this.#clock.now()).toISOString(),
    };
    this.#snapshots.set(id, { view, saved: this.#save() });
    return view;
  }

  get(id: string): SnapshotView {
    return this.#find(id).view;
  }

  remove(id: string): void {
    this.#snapshots.delete(this.#find(id).view.id);
  }

  restore(id: string): void {
    this.#restore(this.#find(id).saved);
  }

  async restoreInSlices(id: string, signal?: AbortSignal): Promise<void> {
    await this.#restoreInSlices(this.#find(id).saved, signal);
  }

  async diff(id: string, to?: string, signal?: AbortSignal): Promise<SnapshotChanges> {
    const { saved } = this.#find(id);
    return runInSlices(this.#compare(saved, to === undefined ? this.#save() : this.#find(to).saved), signal);
  }

  /** By its id, else by the name that one has. */
  #find(id: string): { readonly view: SnapshotView; readonly saved: T } {
    const byId = this.#snapshots.get(id);
    if (byId !== undefined) return byId;
    const [found, ...others] = [...this.#snapshots.values()].filter(({ view }) => view.name === id);
    if (found === undefined) throw new BacklotError('not_found', `no snapshot "${id}"`);
    if (others.length === 0) return found;
    const ids = [found, ...others].map(({ view }) => view.id);
    throw new BacklotError(
      'conflict',
      `${ids.length} snapshots are called "${id}": name one by its id, ${ids.join(' or ')}`,
    );
  }
}
