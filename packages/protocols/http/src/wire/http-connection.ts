import type { ServerResponse } from 'node:http';
import type { Connection } from '@backlot/kit';
import { newConnectionAuth, type ConnectionAuth } from '../auth/index.js';
import type { HttpExchange } from '../shape.js';

/** A client may send requests ahead of their answers; beyond so many that wait it is cut. */
const MOST_WAITING = 1000;

/** What the server keeps of one connection. */
export class HttpConnection {
  readonly remote: string;
  readonly kit: Connection;
  /** The newest HTTP/1 answer whose request has arrived wholly. */
  latest: ServerResponse | undefined = undefined;
  #auth: ConnectionAuth | undefined = undefined;
  readonly #waiting = new Set<HttpExchange>();

  constructor(kit: Connection) {
    this.kit = kit;
    this.remote = kit.remote;
    kit.onClose(() => {
      for (const exchange of this.#waiting) if (!exchange.ended) exchange.abort();
      this.#waiting.clear();
    });
  }

  get auth(): ConnectionAuth {
    return (this.#auth ??= newConnectionAuth());
  }

  /** Whether an answer is known to take a while. */
  isHolding(exchange: HttpExchange): boolean {
    return this.#waiting.has(exchange);
  }

  /** An answer takes a while: it is given up when the client leaves, and an orderly stop waits for it. */
  hold(exchange: HttpExchange): void {
    if (this.#waiting.size >= MOST_WAITING) {
      this.kit.destroy(
        new Error(`client ${this.remote} has sent ${MOST_WAITING} requests ahead of their answers`),
      );
      return;
    }
    this.#waiting.add(exchange);
    this.kit.busy();
  }

  /** The answer has been sent, or was given up. */
  release(exchange: HttpExchange): void {
    if (!this.#waiting.delete(exchange)) return;
    this.kit.idle();
    if (!exchange.ended) exchange.abort();
  }
}
