import type { Connection } from './connection.js';

/** Pauses a connection for several parts of a protocol: it is read while none of them holds it. */
export class HeldReading {
  readonly #connection: Connection;
  #reasons = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Pauses reading. Each call needs one {@link release}. */
  hold(): void {
    this.#reasons += 1;
    if (this.#reasons === 1) this.#connection.pause();
  }

  /** Ends one {@link hold}; reading goes on after the last. */
  release(): void {
    this.#reasons -= 1;
    if (this.#reasons === 0) this.#connection.resume();
  }
}
