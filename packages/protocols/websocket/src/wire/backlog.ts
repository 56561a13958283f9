import type { WebSocket } from 'ws';
import type { Batch } from '../batch.js';

/** A message that waits for its turn. */
export interface Waiting {
  readonly data: Buffer;
  readonly isBinary: boolean;
  /** Those it came with in one list, whose answers leave in one. */
  readonly batch?: Batch;
}

/** Bytes that may wait before no more is read, and what a waiting message costs beside its own. */
const MAX_WAITING = 256 * 1024;
const OVERHEAD = 100;

/** The messages of a connection that wait for an answer before theirs; bounded by reading no more. */
export class Backlog {
  readonly #socket: WebSocket;
  #waiting: Waiting[] = [];
  #next = 0;
  #bytes = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  get isEmpty(): boolean {
    return this.#next === this.#waiting.length;
  }

  add(message: Waiting): void {
    // A copy: the message is a part of the chunk it came in, which would stay with it.
    this.#waiting.push({ ...message, data: Buffer.from(message.data) });
    this.#bytes += message.data.length + OVERHEAD;
    if (this.#bytes > MAX_WAITING) this.hold();
  }

  take(): Waiting | undefined {
    const next = this.#waiting[this.#next];
    if (next === undefined) {
      this.clear();
      return undefined;
    }
    this.#next += 1;
    this.#bytes -= next.data.length + OVERHEAD;
    return next;
  }

  clear(): void {
    this.#waiting = [];
    this.#next = 0;
    this.#bytes = 0;
  }

  /** Reads no more until {@link release}. */
  hold(): void {
    this.#socket.pause();
  }

  release(): void {
    if (this.#socket.isPaused) this.#socket.resume();
  }
}
