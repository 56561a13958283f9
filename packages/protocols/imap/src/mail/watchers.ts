import { runInSlices } from '@backlot/core/plugin';

type Watcher = () => void;

/** Who wants to hear that a mailbox may have changed. They are told at the end of the turn, once for all changes in it. */
export class Watchers {
  readonly #byName = new Map<string, Set<Watcher>>();
  readonly #changed = new Set<string>();

  /** @returns a function that ends it */
  watch(name: string, watcher: Watcher): () => void {
    const watchers = this.#byName.get(name) ?? new Set();
    this.#byName.set(name, watchers.add(watcher));
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#byName.get(name) === watchers) this.#byName.delete(name);
    };
  }

  notify(name: string): void {
    if (!this.#byName.has(name)) return;
    if (this.#changed.size === 0) queueMicrotask(() => this.#tell());
    this.#changed.add(name);
  }

  notifyAll(): void {
    for (const name of this.#byName.keys()) this.notify(name);
  }

  #tell(): void {
    const names = [...this.#changed];
    this.#changed.clear();
    // Thousands may wait for one mailbox.
    void runInSlices(this.#tellEach(names));
  }

  *#tellEach(names: readonly string[]): Generator<undefined, void> {
    for (const name of names) {
      const watchers = this.#byName.get(name) ?? [];
      for (const watcher of [...watchers]) {
        watcher();
        yield;
      }
    }
  }
}
