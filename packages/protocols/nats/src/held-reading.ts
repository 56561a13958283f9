import type { Connection } from '@backlot/kit';

/** Whether a connection is read: as long as nobody has a reason against it. */
export class HeldReading {
  readonly #connection: Connection;
  #reasons = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  hold(): void {
    this.#reasons += 1;
    if (this.#reasons === 1) this.#connection.pause();
  }

  release(): void {
    this.#reasons -= 1;
    if (this.#reasons === 0) this.#connection.resume();
  }
}
