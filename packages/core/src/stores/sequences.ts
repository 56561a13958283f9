import { BacklotError } from '../errors.js';

/** The most names of `seq`, which templates may make of what messages hold. */
const MAX_SEQUENCES = 100_000;

/** Sequences as a snapshot keeps them: each name with its last number. */
export type SavedSequences = readonly (readonly [string, number])[];

/** The sequences of the template helper `seq`, by their names. Each counts from 1. */
export class Sequences {
  readonly #last = new Map<string, number>();

  /** The next number of a sequence. @throws BacklotError `too_large` when there are too many of them */
  next(name: string): number {
    const next = this.at(name) + 1;
    if (next === 1) this.#checkRoom();
    this.#last.set(name, next);
    return next;
  }

  /** Goes on after a number that another host has given. @throws BacklotError `too_large` when there are too many of them */
  goOnAfter(name: string, last: number): void {
    if (this.at(name) === 0) this.#checkRoom();
    this.#last.set(name, last);
  }

  /** The last number of a sequence; 0 before its first. */
  at(name: string): number {
    return this.#last.get(name) ?? 0;
  }

  #checkRoom(): void {
    if (this.#last.size >= MAX_SEQUENCES)
      throw new BacklotError(
        'too_large',
        `there are ${MAX_SEQUENCES} counters of "seq" already; use fewer names`,
      );
  }

  save(): SavedSequences {
    return [...this.#last];
  }

  restore(saved: SavedSequences): void {
    this.#last.clear();
    for (const [name, last] of saved) this.#last.set(name, last);
  }
}
