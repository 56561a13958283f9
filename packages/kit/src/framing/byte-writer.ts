const SMALLEST = 16;

/**
 * Writes numbers (most significant byte first), bytes and text one after the other. Each method gives the writer
 * itself.
 */
export class ByteWriter {
  #bytes: Buffer;
  #at = 0;

  /** @param capacity - bytes to make room for at first; it grows as needed */
  constructor(capacity = 64) {
    this.#bytes = Buffer.allocUnsafe(Math.max(capacity, SMALLEST));
  }

  /** How many bytes were written. */
  get length(): number {
    return this.#at;
  }

  u8(value: number): this {
    const at = this.#reserve(1);
    this.#bytes.writeUInt8(value, at);
    return this;
  }

  i8(value: number): this {
    const at = this.#reserve(1);
    this.#bytes.writeInt8(value, at);
    return this;
  }

  u16(value: number): this {
    const at = this.#reserve(2);
    this.#bytes.writeUInt16BE(value, at);
    return this;
  }

  i16(value: number): this {
    const at = this.#reserve(2);
    this.#bytes.writeInt16BE(value, at);
    return this;
  }

  u32(value: number): this {
    const at = this.#reserve(4);
    this.#bytes.writeUInt32BE(value, at);
    return this;
  }

  i32(value: number): this {
    const at = this.#reserve(4);
    this.#bytes.writeInt32BE(value, at);
    return this;
  }

  u64(value: bigint): this {
    const at = this.#reserve(8);
    this.#bytes.writeBigUInt64BE(value, at);
    return this;
  }

  i64(value: bigint): this {
    const at = this.#reserve(8);
    this.#bytes.writeBigInt64BE(value, at);
    return this;
  }

  f32(value: number): this {
    const at = this.#reserve(4);
    this.#bytes.writeFloatBE(value, at);
    return this;
  }

  f64(value: number): this {
    const at = this.#reserve(8);
    this.#bytes.writeDoubleBE(value, at);
    return this;
  }

  /**
   * An unsigned number in groups of seven bits, least significant first.
   *
   * @throws RangeError when it is not a whole number of 0 or more
   */
  varint(value: number | bigint): this {
    let left = BigInt(value);
    if (left < 0n) throw new RangeError(`a variable-length number cannot be ${value}; give 0 or more`);
    for (; left > 0x7fn; left >>= 7n) this.u8(Number(left & 0x7fn) | 0x80);
    return this.u8(Number(left));
  }

  bytes(value: Uint8Array): this {
    const at = this.#reserve(value.length);
    this.#bytes.set(value, at);
    return this;
  }

  text(value: string, encoding: BufferEncoding = 'utf8'): this {
    const length = Buffer.byteLength(value, encoding);
    const at = this.#reserve(length);
    this.#bytes.write(value, at, length, encoding);
    return this;
  }

  /** Replaces a 32-bit number that was written before, such as a length that was not known then. */
  setU32(at: number, value: number): this {
    if (!(at >= 0 && at + 4 <= this.#at)) {
      throw new RangeError(`position ${at} is not within the ${this.#at} bytes written`);
    }
    this.#bytes.writeUInt32BE(value, at);
    return this;
  }

  /** All that was written, as a view; write nothing after it. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  #reserve(length: number): number {
    const at = this.#at;
    const end = at + length;
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, at);
      this.#bytes = larger;
    }
    this.#at = end;
    return at;
  }
}
