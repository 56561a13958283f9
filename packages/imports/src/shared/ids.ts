const LONGEST = 200;

/** Gives out ids that are readable and unlike each other. */
export class Ids {
  readonly #taken = new Set<string>();
  readonly #next = new Map<string, number>();

  /** The id that a name asks for, with a number behind it when that is taken. */
  take(name: string): string {
    const wanted =
      name
        .replaceAll(/[^\p{L}\p{N}._~-]+/gu, '-')
        .replaceAll(/^-+|-+$/g, '')
        .slice(0, LONGEST) || 'mock';
    let id = wanted;
    for (let number = this.#next.get(wanted) ?? 2; this.#taken.has(id); number += 1) {
      id = `${wanted}-${number}`;
      this.#next.set(wanted, number + 1);
    }
    this.#taken.add(id);
    return id;
  }
}
