/** Takes what ends something that a service follows; answers what ends it now. */
export type Until = (end: () => void) => () => void;

/** What the service of a kind follows outside of itself. It ends with the service: another one may be made of other settings. */
export class Following {
  readonly #ends = new Set<() => void>();

  /** @returns what ends it now */
  add(end: () => void): () => void {
    const once = (): void => {
      if (this.#ends.delete(once)) end();
    };
    this.#ends.add(once);
    return once;
  }

  endAll(): void {
    for (const end of [...this.#ends]) end();
  }
}
