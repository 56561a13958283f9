import type { Connection } from './connection.js';

/** Several parts of a protocol hold up the reading of one connection: it is read while none of them does. */
export class HeldReading {
  readonly #connection: Connection;
  #reasons = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Holds reading up until {@link release}; each call counts. */
  hold(): void {
    this.#reasons += 1;
    if (this.#reasons === 1) this.#connection.pause();
  }

  /** Takes back one {@link hold}. */
  release(): void {
    this.#reasons -= 1;
    if (this.#reasons === 0) this.#connection.resume();
  }
}
