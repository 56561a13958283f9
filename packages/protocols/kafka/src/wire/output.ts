import { FramingError } from '@backlot/kit/framing';

const FIRST_SIZE = 4096;
/** Fewer bytes are repeated in a loop, which is quicker than a call. */
const SHORT = 32;

/** Decompressed bytes as they come to be: earlier ones can be repeated, and there is a limit. */
export class Output {
  #bytes: Buffer;
  #length = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
    this.#bytes = Buffer.allocUnsafe(Math.min(FIRST_SIZE, limit));
  }

  /** How many bytes there are. */
  get length(): number {
    return this.#length;
  }

  /** Appends bytes from elsewhere. */
  append(bytes: Buffer): void {
    this.#reserve(bytes.length);
    bytes.copy(this.#bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Appends `length` bytes that stand `distance` before the end; they may overlap what is appended. */
  repeat(distance: number, length: number): void {
    if (distance <= 0 || distance > this.#length) {
      throw new FramingError('malformed', `compressed bytes refer ${distance} bytes back, before the start`);
    }
    this.#reserve(length);
    const bytes = this.#bytes;
    const end = this.#length + length;
    if (length <= SHORT) {
      for (let at = this.#length; at < end; at += 1) bytes[at] = bytes[at - distance] as number;
    } else {
      // What was appended can be repeated itself, so that each copy is as long as all before it.
      const from = this.#length - distance;
      for (let at = this.#length; at < end; at += at - from)
        bytes.copyWithin(at, from, Math.min(at, from + end - at));
    }
    this.#length = end;
  }

  /** All of it, as a view. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(length: number): void {
    const end = this.#length + length;
    if (end > this.#limit) {
      throw new FramingError(
        'too_long',
        `the records take more than ${this.#limit} bytes once they are decompressed`,
      );
    }
    if (end <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.min(Math.max(end, 2 * this.#bytes.length), this.#limit));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
