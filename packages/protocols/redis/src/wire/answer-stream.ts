import type { LongReply } from './long-reply.js';

/** Most bytes of a part. */
const PART = 64 * 1024;

/** An answer on its way, in parts that are sent one at a time. */
export class AnswerStream {
  readonly #pieces: Iterator<string>;
  #piece = '';
  #at = 0;

  constructor(reply: LongReply | string) {
    this.#pieces = typeof reply === 'string' ? [reply].values() : reply.pieces();
  }

  /** The next part, of 64 KiB at most; `undefined` behind the last. */
  next(): string | undefined {
    while (this.#at >= this.#piece.length) {
      const piece = this.#pieces.next();
      if (piece.done === true) return undefined;
      this.#piece = piece.value;
      this.#at = 0;
    }
    const start = this.#at;
    this.#at += PART;
    return this.#piece.length <= PART ? this.#piece : this.#piece.slice(start, start + PART);
  }
}
