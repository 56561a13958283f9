import type { Reply, Waiting } from '@backlot/core/plugin';
import { bytesOf, type HttpAnswer } from '@backlot/kit/http';
import type { HttpContext, HttpExchange } from '../shape.js';
import type { Outgoing } from '../wire/outgoing.js';
import type { Pace } from './sending.js';

/** What a slow answer is made of. */
export interface PacedParts {
  readonly context: HttpContext;
  readonly exchange: HttpExchange;
  /** The answer under way, whose headers have been sent. */
  readonly response: Outgoing;
  readonly answer: HttpAnswer;
  readonly pace: Pace;
  /** How many bytes of the body are sent; then the connection is dropped when they are not all. */
  readonly bytes: number;
  /** What the journal shows. */
  readonly shown: Reply;
  /** Drops the connection before its time. */
  readonly drop: () => void;
}

/**
 * The body of an answer that goes out in pieces, by the virtual clock. No piece is written before the client has read those
 * before it, as far as the buffers of the network hold them; it may take as long as it likes.
 */
export class PacedAnswer {
  readonly #parts: PacedParts;
  readonly #body: Buffer;
  #sent = 0;
  #waiting: Waiting | undefined;
  #isChoked = false;

  constructor(parts: PacedParts) {
    this.#parts = parts;
    this.#body = bytesOf(parts.answer);
    parts.response.once('close', () => this.#leave());
    parts.response.on('drain', () => this.#drained());
  }

  /** Sends the next piece when it is time, until all were sent. */
  start(): void {
    const { context, pace, bytes } = this.#parts;
    if (this.#sent >= bytes) return this.#finish();
    const { end, wait } = pace.next(this.#body.length, this.#sent);
    this.#waiting = context.clock.after(wait, () => this.#send(Math.min(end, bytes)));
  }

  #send(end: number): void {
    const { response } = this.#parts;
    this.#waiting = undefined;
    const piece = this.#body.subarray(this.#sent, end);
    this.#sent = end;
    this.#isChoked = !response.write(piece) && end < this.#parts.bytes;
    if (!this.#isChoked) this.start();
  }

  #drained(): void {
    if (!this.#isChoked) return;
    this.#isChoked = false;
    this.start();
  }

  #finish(): void {
    const { exchange, response, shown, drop } = this.#parts;
    exchange.done(shown);
    if (this.#sent === this.#body.length) response.end();
    else drop();
  }

  /** The client has left, or was answered. */
  #leave(): void {
    this.#waiting?.cancel();
    this.#waiting = undefined;
    if (!this.#parts.exchange.ended) this.#parts.exchange.abort();
  }
}
