import { suffixesOf } from './wire/name.js';

/** The names that mocks have, and those above them: what exists, as wildcards mean it (RFC 4592 section 2.2). */
export class MockNames {
  /** By the key, how many mocks stand at or below it. */
  readonly #counts = new Map<string, number>();

  add(key: string): void {
    this.#change(key, 1);
  }

  remove(key: string): void {
    this.#change(key, -1);
  }

  has(key: string): boolean {
    return this.#counts.has(key);
  }

  #change(key: string, by: number): void {
    for (const name of suffixesOf(key)) {
      const count = (this.#counts.get(name) ?? 0) + by;
      if (count === 0) this.#counts.delete(name);
      else this.#counts.set(name, count);
    }
  }
}
