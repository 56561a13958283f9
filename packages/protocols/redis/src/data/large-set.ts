import { mergeLittle, PART } from './large-map.js';

/** A set that grows without a pause, however many members it has, as {@link LargeMap} does; it takes less than a map. */
export class LargeSet {
  readonly #most: number;
  #newest = new Set<string>();
  /** Empty as long as one is enough. */
  #older: Set<string>[] = [];
  #size = 0;

  /** @param most - members of one part */
  constructor(most = PART) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  /** How many sets it is made of. */
  get parts(): number {
    return this.#older.length + 1;
  }

  has(member: string): boolean {
    return this.#newest.has(member) || (this.#older.length > 0 && this.#holding(member) !== undefined);
  }

  add(member: string): void {
    if (this.#older.length > 0 && this.#holding(member) !== undefined) return;
    const before = this.#newest.size;
    this.#newest.add(member);
    this.#size += this.#newest.size - before;
    if (this.#newest.size >= this.#most) this.#begin();
  }

  /** Whether the member was there. */
  delete(member: string): boolean {
    if (!this.#newest.delete(member) && this.#holding(member)?.delete(member) !== true) return false;
    this.#size -= 1;
    return true;
  }

  *[Symbol.iterator](): Generator<string, void> {
    for (const part of this.#older) yield* part;
    yield* this.#newest;
  }

  #holding(member: string): Set<string> | undefined {
    for (let index = this.#older.length - 1; index >= 0; index -= 1)
      if (this.#older[index]?.has(member) === true) return this.#older[index];
    return undefined;
  }

  #begin(): void {
    const parts = mergeLittle(this.#older, this.#most, (one, two) => {
      for (const member of two) one.add(member);
    });
    this.#older = [...parts, this.#newest];
    this.#newest = new Set();
  }
}
