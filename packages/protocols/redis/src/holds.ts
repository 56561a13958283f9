import type { Connection } from '@backlot/kit';
import { abortAll, type Exchanges } from './exchanges.js';

/** What holds up the next request of a connection. */
export class Holds {
  readonly #connection: Connection;
  readonly #onEmpty: () => void;
  #count = 0;
  /** Exchanges whose answers wait. */
  #exchanges: Exchanges = [];

  /** @param onEmpty - called when nothing holds up the next request any more */
  constructor(connection: Connection, onEmpty: () => void) {
    this.#connection = connection;
    this.#onEmpty = onEmpty;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get hasExchanges(): boolean {
    return this.#exchanges.length > 0;
  }

  /** Takes no further request until what it gives is called; exchanges that wait are aborted when the client leaves. */
  add(exchanges: Exchanges): () => void {
    const connection = this.#connection;
    this.#count += 1;
    if (exchanges.length > 0) this.#exchanges = exchanges;
    connection.busy();
    return () => {
      if (this.#exchanges === exchanges) this.#exchanges = [];
      this.#count -= 1;
      if (this.#count === 0) {
        // The requests behind it first: idle() ends a connection that is to stop.
        connection.resume();
        this.#onEmpty();
      }
      connection.idle();
    };
  }

  /** The client has left. */
  abort(): void {
    abortAll(this.#exchanges);
    this.#exchanges = [];
  }
}
