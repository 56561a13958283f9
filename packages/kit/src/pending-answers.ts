import type { Connection } from './connection.js';

/** What is given up when the client leaves: an exchange. */
export interface Abortable {
  abort(): void;
}

/** How many answers of a connection may wait, and what happens then. */
export interface PendingAnswersOptions {
  /** As many may wait at a time; 1, the default, keeps answers in order. */
  readonly limit?: number;
  /**
   * Whether nothing is read while as many wait as may; by default yes. A protocol that says no reads on, so that it notices
   * when the client ends its side, and bounds by itself what it has read.
   */
  readonly pauses?: boolean;
  /** Fewer than `limit` wait again: goes on with what has been read meanwhile. */
  readonly onRoom?: () => unknown;
}

/**
 * The answers of one connection that wait: for the delay of a mock, or for long work. While as many wait as may, nothing
 * further is taken from the client; exchanges that wait are aborted when it leaves; an orderly stop waits for them.
 */
export class PendingAnswers {
  readonly #connection: Connection;
  readonly #limit: number;
  readonly #pauses: boolean;
  readonly #onRoom: (() => unknown) | undefined;
  readonly #waiting = new Set<{ readonly exchange: Abortable | undefined }>();

  constructor(connection: Connection, { limit = 1, pauses = true, onRoom }: PendingAnswersOptions = {}) {
    this.#connection = connection;
    this.#limit = limit;
    this.#pauses = pauses;
    this.#onRoom = onRoom;
    connection.onClose(() => this.#abortAll());
  }

  /** Whether as many wait as may: nothing further is to be taken. */
  get isFull(): boolean {
    return this.#waiting.size >= this.#limit;
  }

  /** Whether none waits. */
  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /**
   * Waits until what it gives is called.
   *
   * @param exchange - aborted when the client leaves first
   */
  hold(exchange?: Abortable): () => void {
    const connection = this.#connection;
    const entry = { exchange };
    this.#waiting.add(entry);
    connection.busy();
    if (this.isFull && this.#pauses) connection.pause();
    return () => {
      if (!this.#waiting.delete(entry)) return;
      // What has been read meanwhile comes first: idle() ends a connection that is to stop.
      if (this.#waiting.size === this.#limit - 1 && !connection.isEnded) {
        if (this.#pauses) connection.resume();
        this.#onRoom?.();
      }
      connection.idle();
    };
  }

  /**
   * Waits for a promise, and answers. One that is rejected ends the connection.
   *
   * @param answer - isolated; called also when the client has left. Absent: whoever gave the promise has answered
   * @param exchange - aborted when the client leaves first
   */
  wait<T>(late: Promise<T>, answer?: (value: T) => unknown, exchange?: Abortable): void {
    const connection = this.#connection;
    const release = this.hold(exchange);
    late.then(
      connection.isolate((value) => {
        try {
          return answer?.(value);
        } finally {
          release();
        }
      }),
      connection.isolate((error) => {
        release();
        throw error;
      }),
    );
  }

  #abortAll(): void {
    for (const { exchange } of this.#waiting) exchange?.abort();
  }
}
