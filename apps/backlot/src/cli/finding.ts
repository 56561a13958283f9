/** How many of what is wrong are listed one by one. */
const MAX_LISTED = 50;

/** One thing that was looked at after the command of `backlot run` has ended. */
export interface Finding {
  /** What was looked at. */
  readonly name: string;
  /** What is wrong, a line each; none when all is well. */
  readonly problems: readonly string[];
}

/** The first of what is wrong, and how many there are beyond those. */
export class Excerpt {
  readonly #lines: string[] = [];
  #count = 0;

  /** @param describe - makes the lines of one, and is asked only for those that are listed */
  add(describe: () => readonly string[]): void {
    this.#count += 1;
    if (this.#count <= MAX_LISTED) this.#lines.push(...describe());
  }

  /** @param head - the line above the others, by how many there are */
  finding(name: string, head: (count: number) => string): Finding {
    if (this.#count === 0) return { name, problems: [] };
    const more = this.#count - MAX_LISTED;
    return {
      name,
      problems: [
        head(this.#count),
        ...this.#lines.map((line) => `  ${line}`),
        ...(more > 0 ? [`  and ${more} more`] : []),
      ],
    };
  }
}
