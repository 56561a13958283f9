import type { Problem } from '../errors.js';

/** How many problems one answer names; what is beyond them is counted where that costs nothing. */
export const MAX_PROBLEMS = 100;

/** Problems of values that were given together: the first hundred, and how many more there were. */
export class ProblemList {
  readonly #problems: Problem[] = [];
  #more = 0;

  add(problem: Problem): void {
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(problem);
    else this.#more += 1;
  }

  /** Whether nothing further will be named, so that nothing further needs to be looked for. */
  get isFull(): boolean {
    return this.#problems.length >= MAX_PROBLEMS;
  }

  get count(): number {
    return this.#problems.length + this.#more;
  }

  get problems(): readonly Problem[] {
    return this.#problems;
  }
}

/** What is said where the rest of a list was not looked at, since so many problems were found before it. */
export function onlyTheFirst(checked: number, all: number, problems: number): string {
  return `only the first ${checked} of ${all} were checked, which have ${problems} problems`;
}
