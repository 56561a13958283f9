import { Framer } from './framer.js';
import { FramingError } from './framing-error.js';

/** Where the length stands, and what it counts. */
export interface LengthPrefixFramerOptions {
  /** Size of the length field: an unsigned number, most significant byte first. */
  readonly lengthBytes: 1 | 2 | 4;
  /** Most bytes of a whole frame, header included. */
  readonly maxLength: number;
  /** Bytes before the length field. Default 0. */
  readonly lengthOffset?: number;
  /** Added to the field's value to get the number of bytes after the field; negative where it counts itself too. Default 0. */
  readonly adjustment?: number;
  /** Bytes left out at the front of what is handed over. Default: all up to the end of the length field. */
  readonly strip?: number;
}

/** Frames that carry their length. A length beyond the limit is refused before anything is gathered for it. */
export class LengthPrefixFramer extends Framer {
  readonly #options: Required<LengthPrefixFramerOptions>;

  constructor(options: LengthPrefixFramerOptions) {
    super();
    const { lengthOffset = 0, lengthBytes } = options;
    const header = lengthOffset + lengthBytes;
    this.#options = { adjustment: 0, strip: header, ...options, lengthOffset };
  }

  protected override measure(bytes: Buffer, start: number, end: number): number {
    const { lengthBytes, lengthOffset, adjustment, strip, maxLength } = this.#options;
    const header = lengthOffset + lengthBytes;
    if (end - start < header) return 0;
    const said = bytes.readUIntBE(start + lengthOffset, lengthBytes);
    const length = header + said + adjustment;
    if (length < header || length < strip) {
      throw new FramingError('malformed', `a frame says it has ${said} bytes, fewer than its header`);
    }
    if (length > maxLength) {
      throw new FramingError(
        'too_long',
        `a frame says it has ${said} bytes; at most ${maxLength} in all are taken`,
      );
    }
    if (end - start < length) return 0;
    this.frameOffset = strip;
    this.frameLength = length - strip;
    return length;
  }
}
