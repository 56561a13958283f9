import { FramingError } from './framing-error.js';

const MAX_VARINT_64 = 10;

/**
 * Reads numbers (most significant byte first), bytes and text from a buffer, in order.
 * Every method throws {@link FramingError} `truncated` when the bytes end before the value does.
 */
export class ByteReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;

  /** @param bytes - read from `start` (default 0) to `end` (default its length) */
  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = Math.min(end, bytes.length);
  }

  /** Where in the buffer the next value stands. */
  get position(): number {
    return this.#at;
  }

  /** How many bytes are left. */
  get remaining(): number {
    return this.#end - this.#at;
  }

  u8(): number {
    return this.#bytes.readUInt8(this.#advance(1));
  }

  i8(): number {
    return this.#bytes.readInt8(this.#advance(1));
  }

  u16(): number {
    return this.#bytes.readUInt16BE(this.#advance(2));
  }

  i16(): number {
    return this.#bytes.readInt16BE(this.#advance(2));
  }

  u32(): number {
    return this.#bytes.readUInt32BE(this.#advance(4));
  }

  i32(): number {
    return this.#bytes.readInt32BE(this.#advance(4));
  }

  u64(): bigint {
    return this.#bytes.readBigUInt64BE(this.#advance(8));
  }

  i64(): bigint {
    return this.#bytes.readBigInt64BE(this.#advance(8));
  }

  f32(): number {
    return this.#bytes.readFloatBE(this.#advance(4));
  }

  f64(): number {
    return this.#bytes.readDoubleBE(this.#advance(8));
  }

  /**
   * An unsigned number in groups of seven bits, least significant first, of at most 32 bits.
   *
   * @param longest - most bytes it may take (default 5)
   * @throws FramingError `malformed` when it is longer
   */
  varint(longest = 5): number {
    let value = 0;
    for (let index = 0; index < longest; index += 1) {
      const byte = this.u8();
      value += (byte & 0x7f) * 2 ** (7 * index);
      if (byte < 0x80) {
        if (value > 0xffff_ffff) break;
        return value;
      }
    }
    throw new FramingError(
      'malformed',
      `a variable-length number is longer than ${longest} bytes or 32 bits`,
    );
  }

  /** Like {@link varint}, of at most 64 bits. */
  varint64(): bigint {
    let value = 0n;
    for (let index = 0; index < MAX_VARINT_64; index += 1) {
      const byte = this.u8();
      value |= BigInt(byte & 0x7f) << BigInt(7 * index);
      if (byte < 0x80) {
        if (value >> 64n !== 0n) break;
        return value;
      }
    }
    throw new FramingError('malformed', 'a variable-length number is longer than 64 bits');
  }

  /** The next bytes, as a view. @throws FramingError `truncated` also for a negative length */
  bytes(length: number): Buffer {
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** The next bytes as text. */
  text(length: number, encoding: BufferEncoding = 'utf8'): string {
    const start = this.#advance(length);
    return this.#bytes.toString(encoding, start, start + length);
  }

  /** All bytes that are left, as a view. */
  rest(): Buffer {
    return this.bytes(this.remaining);
  }

  /** Skips bytes. */
  skip(length: number): void {
    this.#advance(length);
  }

  #advance(length: number): number {
    const start = this.#at;
    if (!(length >= 0 && length <= this.#end - start)) {
      throw new FramingError(
        'truncated',
        `${length} bytes were announced and ${this.#end - start} are there`,
      );
    }
    this.#at = start + length;
    return start;
  }
}
