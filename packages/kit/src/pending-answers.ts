import type { Connection } from './connection.js';

/** An exchange, as far as it is aborted when its client leaves. */
export interface Abortable {
  abort(): void;
}

/** How many answers of a connection may wait, and what happens when as many do. */
export interface PendingAnswersOptions {
  /** How many may wait at a time. With 1, the default, answers leave in the order of requests. */
  readonly limit?: number;
  /**
   * Whether the connection is paused while `limit` answers wait. Default true. With false the protocol goes on reading,
   * by which it notices that the client ends its side; it must then limit what it holds of the bytes it has read.
   */
  readonly pauses?: boolean;
  /** Called when fewer than `limit` answers wait again: the plugin goes on with what it has read meanwhile. */
  readonly onRoom?: () => unknown;
}

/**
 * The answers of one connection that wait, for a delay or for long work. While as many wait as may, nothing further is
 * read. When the client leaves, the exchanges that wait are aborted. A stop of the server waits for the answers, within
 * its grace.
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

  /** Whether as many answers wait as may: the plugin must not take a further request. */
  get isFull(): boolean {
    return this.#waiting.size >= this.#limit;
  }

  /** Whether no answer waits. */
  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /**
   * Says that an answer waits.
   *
   * @param exchange - the exchange to abort when the client leaves first
   * @returns a function to call when the answer was written or given up; a second call does nothing
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
   * Says that an answer waits for a promise, and answers when it resolves. A promise that is rejected ends the
   * connection.
   *
   * @param answer - writes the answer; what it throws ends the connection. It is called also when the client has left
   * meanwhile. Absent when the answer is written before the promise resolves
   * @param exchange - the exchange to abort when the client leaves first
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
