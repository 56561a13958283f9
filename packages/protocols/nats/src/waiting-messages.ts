import type { Connection, HeldReading } from '@backlot/kit';

/** A client whose messages hold more than this while they wait is not read from until fewer do. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_MESSAGES = 10_000;

/** A message that waits for its delay. */
export interface Waiter {
  /** Whoever asked has left. */
  abort(): void;
}

/** The messages of one client that wait for a delay: other messages pass them, but there are only so many. */
export class WaitingMessages {
  readonly #connection: Connection;
  readonly #reading: HeldReading;
  /** Those whose client waits for an answer. */
  readonly #requests = new Set<Waiter>();
  #count = 0;
  #bytes = 0;
  #isFull = false;

  constructor(connection: Connection, reading: HeldReading) {
    this.#connection = connection;
    this.#reading = reading;
  }

  /**
   * A message begins to wait. Gives what is to be called when it waits no more.
   *
   * @param isRequest - whether the client waits for an answer, so that there is nobody left for it when the client is gone
   */
  add(waiter: Waiter, isRequest: boolean, bytes: number): () => void {
    const connection = this.#connection;
    if (isRequest) {
      this.#requests.add(waiter);
      connection.busy();
    }
    this.#change(1, bytes);
    if (!this.#isFull && this.#isOverfull) {
      this.#isFull = true;
      this.#reading.hold();
    }
    return () => {
      this.#change(-1, -bytes);
      if (isRequest) {
        this.#requests.delete(waiter);
        connection.idle();
      }
      if (this.#isFull && !this.#isOverfull) {
        this.#isFull = false;
        this.#reading.release();
      }
    };
  }

  /** The client has left. */
  leave(): void {
    for (const waiter of this.#requests) waiter.abort();
  }

  get #isOverfull(): boolean {
    return this.#bytes > MAX_BYTES || this.#count >= MAX_MESSAGES;
  }

  #change(messages: number, bytes: number): void {
    this.#count += messages;
    this.#bytes += bytes;
  }
}
