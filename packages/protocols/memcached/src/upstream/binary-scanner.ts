import { FramingError } from '@backlot/kit/framing';
import type { AnswerScanner } from '@backlot/kit/upstream';
import { BINARY_RESPONSE, HEADER_SIZE } from '../wire/binary-header.js';

const STATS = 0x10;

/** Tells where answers of the binary protocol end. That to `stats` is many packets, the last one without a key. */
export class BinaryScanner implements AnswerScanner {
  readonly isUnasked = false;
  readonly #header = Buffer.alloc(HEADER_SIZE);
  #known = 0;
  /** Bytes of the body that are still to come. */
  #skip = 0;

  scan(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length) {
      if (this.#known < HEADER_SIZE) {
        const step = Math.min(HEADER_SIZE - this.#known, chunk.length - at);
        chunk.copy(this.#header, this.#known, at, at + step);
        this.#known += step;
        at += step;
        if (this.#known < HEADER_SIZE) return -1;
        if (this.#header[0] !== BINARY_RESPONSE)
          throw new FramingError(
            'malformed',
            'the upstream has sent what is no answer of the binary protocol',
          );
        this.#skip = this.#header.readUInt32BE(8);
      } else {
        const step = Math.min(this.#skip, chunk.length - at);
        this.#skip -= step;
        at += step;
      }
      if (this.#skip > 0) continue;
      this.#known = 0;
      if (this.#isLast) return at;
    }
    return -1;
  }

  get #isLast(): boolean {
    const header = this.#header;
    return header[1] !== STATS || header.readUInt16BE(6) !== 0 || header.readUInt16BE(2) === 0;
  }
}
