import type { Connection } from '../connection.js';

/** What waits for its answer; an exchange is such a thing. */
interface Held {
  readonly ended: boolean;
  abort(): void;
}

/** A client may send requests ahead of their answers; beyond so many that wait it is cut. */
const MAX_WAITING = 1000;

/** The exchanges of one connection whose answers take a while: given up when the client leaves. */
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

  /** Whether an answer is known to take a while. */
  isHolding(exchange: Held): boolean {
    return this.#waiting.has(exchange);
  }

  /** An answer takes a while: it is given up when the client leaves, and an orderly stop waits for it. */
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

  /** The answer has been sent, or was given up. */
  release(exchange: Held): void {
    if (!this.#waiting.delete(exchange)) return;
    this.#connection.idle();
    if (!exchange.ended) exchange.abort();
  }
}
