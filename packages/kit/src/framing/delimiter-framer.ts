import { findWithin } from './find.js';
import { Framer } from './framer.js';
import { FramingError } from './framing-error.js';

/** How a {@link DelimiterFramer} cuts. */
export interface DelimiterFramerOptions {
  /** The bytes that end a frame; text is taken as UTF-8. At least one byte. */
  readonly delimiter: string | Uint8Array;
  /** Most bytes of a frame, without the delimiter. */
  readonly maxLength: number;
}

/** Frames that end with a sequence of bytes, which is not part of the frame. */
export class DelimiterFramer extends Framer {
  readonly #delimiter: Buffer;
  readonly #maxLength: number;
  #searched = 0;

  constructor({ delimiter, maxLength }: DelimiterFramerOptions) {
    super();
    this.#delimiter = typeof delimiter === 'string' ? Buffer.from(delimiter) : Buffer.from(delimiter);
    this.#maxLength = maxLength;
    if (this.#delimiter.length === 0) throw new RangeError('a delimiter must have at least one byte');
  }

  protected override measure(bytes: Buffer, start: number, end: number): number {
    const size = this.#delimiter.length;
    const at = findWithin(bytes, this.#delimiter, start + this.#searched, end);
    const length = (at < 0 ? end - size + 1 : at) - start;
    if (length > this.#maxLength) {
      throw new FramingError(
        'too_long',
        `a frame has more than ${this.#maxLength} bytes before its delimiter`,
      );
    }
    if (at < 0) {
      this.#searched = Math.max(length, 0);
      return 0;
    }
    this.frameOffset = 0;
    this.frameLength = length;
    return length + size;
  }

  protected override restart(): void {
    this.#searched = 0;
  }
}
