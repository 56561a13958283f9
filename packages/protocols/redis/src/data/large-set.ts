import { LargeMap } from './large-map.js';

/** A set that grows without a pause, however many members it has, as {@link LargeMap} does. */
export class LargeSet {
  readonly #members = new LargeMap<true>();

  get size(): number {
    return this.#members.size;
  }

  /** How many maps it is made of. */
  get parts(): number {
    return this.#members.parts;
  }

  has(member: string): boolean {
    return this.#members.has(member);
  }

  add(member: string): void {
    this.#members.set(member, true);
  }

  /** Whether the member was there. */
  delete(member: string): boolean {
    return this.#members.delete(member);
  }

  [Symbol.iterator](): Generator<string, void> {
    return this.#members.keys();
  }
}
