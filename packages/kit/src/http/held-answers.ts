import type { Connection } from '../connection.js';

/** An exchange whose answer waits, as far as this needs it. */
interface Held {
  readonly ended: boolean;
  abort(): void;
}

/** How many answers of one connection may wait; a client that sends further requests is cut. */
const MAX_WAITING = 1000;

/** The exchanges of one connection whose answers wait; they are aborted when the client leaves. */
export class HeldAnswers {
  readonly #connection: Connection;
  readonly #waiting = new Set<Held>();

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.onClose(() => {
      for (const exchange of this.#waiting) if (!exchange.ended) exchange.abort();
      this.#waiting.clear();
    });
  }

  /** Whether an exchange was passed to {@link hold} and not released. */
  isHolding(exchange: Held): boolean {
    return this.#waiting.has(exchange);
  }

  /**
   * Says that the answer of an exchange waits: the exchange is aborted when the client leaves, and a stop waits for the
   * answer within its grace.
   */
  hold(exchange: Held): void {
    const connection = this.#connection;
    if (this.#waiting.size >= MAX_WAITING) {
      connection.destroy(
        new Error(`client ${connection.remote} has sent ${MAX_WAITING} requests ahead of their answers`),
      );
      return;
    }
    this.#waiting.add(exchange);
    connection.busy();
  }

  /** Says that the exchange goes on without the connection; it is neither aborted nor waited for here. */
  forget(exchange: Held): void {
    if (this.#waiting.delete(exchange)) this.#connection.idle();
  }

  /** Says that the answer was sent or given up; an exchange that has not ended is aborted. */
  release(exchange: Held): void {
    if (!this.#waiting.delete(exchange)) return;
    this.#connection.idle();
    if (!exchange.ended) exchange.abort();
  }
}
