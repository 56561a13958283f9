import { findWithin } from './find.js';
import { Framer } from './framer.js';
import { FramingError } from './framing-error.js';

const LF = 10;
const CR = 13;
const MAX_LENGTH = 64 * 1024;

/** How a {@link LineFramer} cuts. */
export interface LineFramerOptions {
  /** Most bytes of a line, without its ending; 64 KiB by default. */
  readonly maxLength?: number;
  /**
   * What ends a line. `any` (default): LF; a CR before it is dropped. `crlf`: CR LF only; a CR or LF alone is a part of
   * the line, as needed by protocols in which a bare LF could smuggle in a command. `lf`: LF only; a CR before it is a
   * part of the line.
   */
  readonly ending?: 'any' | 'crlf' | 'lf';
}

/** Lines of text, as bytes without their ending. */
export class LineFramer extends Framer {
  readonly #maxLength: number;
  readonly #ending: 'any' | 'crlf' | 'lf';
  #searched = 0;

  constructor({ maxLength = MAX_LENGTH, ending = 'any' }: LineFramerOptions = {}) {
    super();
    this.#maxLength = maxLength;
    this.#ending = ending;
  }

  protected override measure(bytes: Buffer, start: number, end: number): number {
    let at = findWithin(bytes, LF, start + this.#searched, end);
    while (at >= 0 && this.#ending === 'crlf' && !(at > start && bytes[at - 1] === CR)) {
      at = findWithin(bytes, LF, at + 1, end);
    }
    if (at < 0) {
      this.#searched = end - start;
      // A CR that came last may be the first half of the ending.
      const length = this.#ending !== 'lf' && bytes[end - 1] === CR ? end - start - 1 : end - start;
      this.#check(length);
      return 0;
    }
    const endsWithCr = this.#ending !== 'lf' && at > start && bytes[at - 1] === CR;
    const length = (endsWithCr ? at - 1 : at) - start;
    this.#check(length);
    this.frameOffset = 0;
    this.frameLength = length;
    return at + 1 - start;
  }

  protected override restart(): void {
    this.#searched = 0;
  }

  #check(length: number): void {
    if (length > this.#maxLength) {
      throw new FramingError('too_long', `a line has more than ${this.#maxLength} bytes`);
    }
  }
}
