/** Of so many spaces that have ended it is known how. */
const KEPT = 1_000;

/** How spaces have ended, for those who still ask for one. */
export class EndedSpaces {
  readonly #ends = new Map<string, string>();

  /** @param how - as in `it was deleted` */
  add(id: string, how: string): void {
    this.#ends.delete(id);
    this.#ends.set(id, `${how} at ${new Date().toISOString()}`);
    const [oldest] = this.#ends.keys();
    if (this.#ends.size > KEPT && oldest !== undefined) this.#ends.delete(oldest);
  }

  find(id: string): string | undefined {
    return this.#ends.get(id);
  }

  /** There is one with this id again. */
  forget(id: string): void {
    this.#ends.delete(id);
  }
}
