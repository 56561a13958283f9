import { runInSlices } from '../time/slices.js';
import type { KindHost, SavedKind } from './kind-host.js';
import type { PreparedKind } from './prepared-kind.js';
import type { PreparedParts } from './snapshot-parts.js';

/** What was prepared of each kind; nothing where there is little to do. */
export type Prepared = readonly PreparedKind[];

/** Prepares snapshots to be put back in one step, one after another. */
export class Preparations {
  readonly #kinds: readonly KindHost[];
  #last: Promise<void> = Promise.resolve();
  /** How many are under way or wait. */
  #open = 0;

  constructor(kinds: readonly KindHost[]) {
    this.#kinds = kinds;
  }

  /**
   * Prepares the mocks of a snapshot, and what protocols keep beside them, in slices; then puts it back: at once where
   * there is little to do.
   *
   * @param saved - of each kind
   * @param putBack - puts everything back with what was prepared, in one step
   * @param signal - when it is aborted before all is prepared, nothing is put back
   */
  async run(
    saved: readonly SavedKind[],
    putBack: (prepared: Prepared) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    const isQuick = this.#kinds.every(({ mocks, snapshotParts }, index) => {
      const savedKind = saved[index];
      if (savedKind === undefined) return true;
      return mocks.isQuick(savedKind.mocks) && snapshotParts.prepare(savedKind.kept) === undefined;
    });
    if (isQuick && this.#open === 0) {
      putBack([]);
      return;
    }
    await this.alone(() => this.#run(saved, putBack, signal));
  }

  /** Does other work that makes mocks ready, while no snapshot is prepared. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    this.#open += 1;
    const done = this.#last.then(work).finally(() => {
      this.#open -= 1;
    });
    this.#last = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  async #run(
    saved: readonly SavedKind[],
    putBack: (prepared: Prepared) => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const parts = await this.#prepareParts(saved, signal);
    const prepared: PreparedKind[] = [];
    try {
      for (const [index, { mocks }] of this.#kinds.entries()) {
        signal?.throwIfAborted();
        const savedKind = saved[index];
        const next = savedKind === undefined ? undefined : await mocks.prepareRestore(savedKind.mocks);
        prepared.push({ mocks: next, kept: parts[index] });
      }
      signal?.throwIfAborted();
    } catch (thrown) {
      for (const [index, { mocks }] of prepared.entries())
        if (mocks !== undefined) this.#kinds[index]?.mocks.withdraw(mocks);
      throw thrown;
    }
    putBack(prepared);
  }

  /** What protocols keep; it is made of the snapshot alone, so nothing is to be withdrawn of it. */
  async #prepareParts(
    saved: readonly SavedKind[],
    signal: AbortSignal | undefined,
  ): Promise<readonly (PreparedParts | undefined)[]> {
    const parts: (PreparedParts | undefined)[] = [];
    for (const [index, { snapshotParts }] of this.#kinds.entries()) {
      const steps = snapshotParts.prepare(saved[index]?.kept ?? []);
      parts.push(steps === undefined ? undefined : await runInSlices(steps, signal));
    }
    return parts;
  }
}
