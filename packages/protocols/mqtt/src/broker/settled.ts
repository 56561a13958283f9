/**
 * A result that is there already, in the form of a promise. The broker hands messages on in the order in which it began
 * them, and takes one that comes later for a repetition when an earlier one had to wait; so nothing may wait.
 */
export class Settled<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  then<R>(onFulfilled: (value: T) => R): Settled<R> {
    return new Settled(onFulfilled(this.#value));
  }
}

/** The result of what has none. */
export const DONE = new Settled<undefined>(undefined);
