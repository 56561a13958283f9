import { FramingError } from '@backlot/kit/framing';
import type { Reply } from '../reply.js';

/** The longest reply that is read. */
const MAX_REPLY = 64 * 1024;

/** A reply with its lines. */
export interface ReadReply extends Reply {
  readonly lines: readonly string[];
}

/** Cuts what a server sends into replies (RFC 5321, 4.2.1). */
export class ReplyReader {
  #text = '';
  #lines: string[] = [];

  /** How much there is of a reply that has begun. */
  get waiting(): number {
    return this.#text.length + this.#lines.length;
  }

  /**
   * Adds bytes.
   *
   * @returns the replies that are whole with them
   * @throws FramingError for what is no reply
   */
  push(chunk: Buffer): readonly ReadReply[] {
    this.#text += chunk.toString('latin1');
    const replies: ReadReply[] = [];
    for (let end = this.#text.indexOf('\n'); end >= 0; end = this.#text.indexOf('\n')) {
      const line = this.#text.slice(0, end).replace(/\r$/, '');
      this.#text = this.#text.slice(end + 1);
      const parts = /^([2-5]\d\d)(?:([ -])(.*))?$/.exec(line);
      if (parts === null)
        throw new FramingError('malformed', `${JSON.stringify(line.slice(0, 60))} is no reply`);
      this.#lines.push(Buffer.from(parts[3] ?? '', 'latin1').toString('utf8'));
      if (parts[2] === '-') {
        if (this.#lines.length > 1_000) throw new FramingError('too_long', 'a reply has too many lines');
        continue;
      }
      const lines = this.#lines;
      this.#lines = [];
      replies.push({ code: Number(parts[1]), text: lines.join(' '), lines });
    }
    if (this.#text.length > MAX_REPLY) throw new FramingError('too_long', 'a line of a reply does not end');
    return replies;
  }
}
