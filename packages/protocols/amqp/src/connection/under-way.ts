import type { Connection, HeldReading } from '@backlot/kit';
import type { AmqpExchange } from '../shape.js';

/** How many answers of a connection may wait at a time, and with how many bytes, before nothing more is read of it. */
const MAX_WAITING = 10_000;
const MAX_WAITING_BYTES = 32 * 1024 * 1024;

/** The messages of a connection whose answers wait for a delay. */
export class UnderWay {
  readonly #connection: Connection;
  readonly #reading: HeldReading;
  readonly #exchanges = new Set<AmqpExchange>();
  readonly #onEmpty: () => void;
  #bytes = 0;
  #isHeld = false;

  /** @param onEmpty - called when the last answer has been made */
  constructor(connection: Connection, reading: HeldReading, onEmpty: () => void) {
    this.#connection = connection;
    this.#reading = reading;
    this.#onEmpty = onEmpty;
  }

  get size(): number {
    return this.#exchanges.size;
  }

  add(exchange: AmqpExchange, bytes: number): void {
    this.#exchanges.add(exchange);
    this.#bytes += bytes;
    this.#connection.busy();
    if (this.#isHeld || !this.#isTooMuch) return;
    this.#isHeld = true;
    this.#reading.hold();
  }

  remove(exchange: AmqpExchange, bytes: number): void {
    if (!this.#exchanges.delete(exchange)) return;
    this.#bytes -= bytes;
    if (this.#exchanges.size === 0) this.#onEmpty();
    if (this.#isHeld && !this.#isTooMuch) {
      this.#isHeld = false;
      this.#reading.release();
    }
    this.#connection.idle();
  }

  /** The client has left. */
  abort(): void {
    for (const exchange of this.#exchanges) exchange.abort();
  }

  get #isTooMuch(): boolean {
    return this.#exchanges.size >= MAX_WAITING || this.#bytes >= MAX_WAITING_BYTES;
  }
}
