/** Callbacks that are told of changes. What one of them throws affects neither the others nor who made the change. */
export class Listeners<T extends readonly unknown[] = []> {
  readonly #onThrown: (thrown: unknown) => void;
  readonly #listeners = new Set<(...change: T) => void>();

  /** @param onThrown - told what a callback has thrown */
  constructor(onThrown: (thrown: unknown) => void) {
    this.#onThrown = onThrown;
  }

  /** Whether nobody is told. */
  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** @returns a function that ends the subscription */
  add(listener: (...change: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(...change: T): void {
    for (const listener of this.#listeners) {
      try {
        listener(...change);
      } catch (thrown) {
        this.#onThrown(thrown);
      }
    }
  }
}
