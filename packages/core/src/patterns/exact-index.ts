import type { Change } from '../contract/mock-index.js';

/**
 * An index by one exact value, such as a name or a number: it holds something, mostly mocks, for each value. Mocks
 * without such a value are held under the key `undefined`, when the type `K` includes it.
 */
export class ExactIndex<K, H> {
  readonly #held = new Map<K, H>();

  /** For how many keys something is held. */
  get size(): number {
    return this.#held.size;
  }

  /** Replaces what is held for a key by what `change` makes of it. */
  change(key: K, change: Change<H>): void {
    const next = change(this.#held.get(key));
    if (next === undefined) this.#held.delete(key);
    else this.#held.set(key, next);
  }

  /** What is held for a key; `undefined` when nothing is. */
  get(key: K): H | undefined {
    return this.#held.get(key);
  }

  /** Appends to `found` what is held for a key, if anything is. */
  find(key: K, found: H[]): void {
    if (this.#held.size === 0) return;
    const held = this.#held.get(key);
    if (held !== undefined) found.push(held);
  }

  /** The keys for which something is held. */
  keys(): IterableIterator<K> {
    return this.#held.keys();
  }

  /** What is held for each key. */
  values(): IterableIterator<H> {
    return this.#held.values();
  }
}
