import type { NextMocks } from '../mocks/next-mocks.js';
import type { KindHost, SavedKind } from './kind-host.js';

/** What was prepared of the mocks of each kind; nothing where there is little to do. */
export type Prepared = readonly (NextMocks | undefined)[];

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
   * Prepares the mocks of a snapshot in slices, then puts it back: at once where there is little to do.
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
    const isQuick = this.#kinds.every(({ mocks }, index) => {
      const savedKind = saved[index];
      return savedKind === undefined || mocks.isQuick(savedKind.mocks);
    });
    if (isQuick && this.#open === 0) {
      putBack([]);
      return;
    }
    this.#open += 1;
    const done = this.#last
      .then(() => this.#run(saved, putBack, signal))
      .finally(() => {
        this.#open -= 1;
      });
    this.#last = done.catch(() => undefined);
    await done;
  }

  async #run(
    saved: readonly SavedKind[],
    putBack: (prepared: Prepared) => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const prepared: (NextMocks | undefined)[] = [];
    try {
      for (const [index, { mocks }] of this.#kinds.entries()) {
        signal?.throwIfAborted();
        const savedKind = saved[index];
        prepared.push(savedKind === undefined ? undefined : await mocks.prepareRestore(savedKind.mocks));
      }
      signal?.throwIfAborted();
    } catch (thrown) {
      for (const [index, next] of prepared.entries())
        if (next !== undefined) this.#kinds[index]?.mocks.withdraw(next);
      throw thrown;
    }
    putBack(prepared);
  }
}
