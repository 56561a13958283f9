/** Keys of one part: a map of the engine that grows beyond it lays all of its keys anew, which takes longer than a slice. */
export const PART = 131_072;

/**
 * A map that grows without a pause, however many keys it has: beyond {@link PART} keys it is several maps, the oldest first. It
 * goes through its keys in the order in which they were set first, as a `Map` does.
 */
export class LargeMap<V> {
  readonly #most: number;
  #newest = new Map<string, V>();
  /** Empty as long as one is enough. */
  #older: Map<string, V>[] = [];
  #size = 0;

  /** @param most - keys of one part */
  constructor(most = PART) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  /** How many maps it is made of. */
  get parts(): number {
    return this.#older.length + 1;
  }

  get(key: string): V | undefined {
    const value = this.#newest.get(key);
    return value !== undefined || this.#older.length === 0 ? value : this.#holding(key)?.get(key);
  }

  has(key: string): boolean {
    return this.#newest.has(key) || (this.#older.length > 0 && this.#holding(key) !== undefined);
  }

  /** Sets a key, which it may have. */
  set(key: string, value: V): void {
    const older = this.#older.length === 0 ? undefined : this.#holding(key);
    if (older !== undefined) {
      older.set(key, value);
      return;
    }
    const before = this.#newest.size;
    this.#newest.set(key, value);
    this.#size += this.#newest.size - before;
    if (this.#newest.size >= this.#most) this.#begin();
  }

  /** Whether it had the key. */
  delete(key: string): boolean {
    if (!this.#newest.delete(key) && this.#holding(key)?.delete(key) !== true) return false;
    this.#size -= 1;
    return true;
  }

  *keys(): Generator<string, void> {
    for (const part of this.#older) yield* part.keys();
    yield* this.#newest.keys();
  }

  *values(): Generator<V, void> {
    for (const part of this.#older) yield* part.values();
    yield* this.#newest.values();
  }

  *entries(): Generator<[string, V], void> {
    for (const part of this.#older) yield* part;
    yield* this.#newest;
  }

  [Symbol.iterator](): Generator<[string, V], void> {
    return this.entries();
  }

  #holding(key: string): Map<string, V> | undefined {
    for (let index = this.#older.length - 1; index >= 0; index -= 1)
      if (this.#older[index]?.has(key) === true) return this.#older[index];
    return undefined;
  }

  #begin(): void {
    const parts = mergeLittle(this.#older, this.#most, (one, two) => {
      for (const [key, value] of two) one.set(key, value);
    });
    this.#older = [...parts, this.#newest];
    this.#newest = new Map();
  }
}

/**
 * The parts of a large map or set that are not empty. What is left of two neighbours becomes one where it is little, so that there are
 * never many of them.
 *
 * @param most - what one part holds at most
 * @param pour - adds to a part all that the one behind it holds
 */
export function mergeLittle<P extends { readonly size: number }>(
  all: readonly P[],
  most: number,
  pour: (one: P, two: P) => void,
): P[] {
  const parts = all.filter(({ size }) => size > 0);
  const at = parts.findIndex((part, index) => part.size + (parts[index + 1]?.size ?? Infinity) <= most / 2);
  const [one, two] = [parts[at], parts[at + 1]];
  if (one !== undefined && two !== undefined) {
    pour(one, two);
    parts.splice(at + 1, 1);
  }
  return parts;
}
