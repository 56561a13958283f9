import { ProtocolError } from './protocol-error.js';
import { TAG } from './tags.js';

/** Reads BER elements one after the other. A decoder asks for what must come; anything else throws ProtocolError. */
export class BerReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  /** The tag of the next element, -1 at the end. */
  get tag(): number {
    return this.#at < this.#end ? (this.#bytes[this.#at] ?? -1) : -1;
  }

  /** The content of the next element, which must have this tag. */
  bytes(tag: number): Buffer {
    const { start, end } = this.#take(tag);
    return this.#bytes.subarray(start, end);
  }

  /** The next element with its tag and length. */
  element(): Buffer {
    const from = this.#at;
    const { end } = this.#take(this.tag);
    return this.#bytes.subarray(from, end);
  }

  text(tag: number = TAG.octets): string {
    const { start, end } = this.#take(tag);
    return this.#bytes.toString('utf8', start, end);
  }

  /** A reader of the elements within the next one. */
  inside(tag: number): BerReader {
    const { start, end } = this.#take(tag);
    return new BerReader(this.#bytes, start, end);
  }

  /** A number of at most 6 bytes. */
  integer(tag: number = TAG.integer): number {
    const { start, end } = this.#take(tag);
    const size = end - start;
    if (size < 1 || size > 6) throw new ProtocolError(`a number of ${size} bytes; 1 to 6 are taken`);
    return this.#bytes.readIntBE(start, size);
  }

  boolean(tag: number = TAG.boolean): boolean {
    const { start, end } = this.#take(tag);
    if (end - start !== 1) throw new ProtocolError(`a boolean of ${end - start} bytes; it has one`);
    return this.#bytes[start] !== 0;
  }

  #take(tag: number): { start: number; end: number } {
    const bytes = this.#bytes;
    if (this.tag !== tag) {
      const got = this.tag < 0 ? 'the end' : `0x${this.tag.toString(16)}`;
      throw new ProtocolError(`got ${got} where 0x${tag.toString(16)} must be`);
    }
    let start = this.#at + 2;
    const first = start <= this.#end ? (bytes[start - 1] ?? 0) : 0xff;
    let length = first;
    if (first >= 0x80) {
      const size = first & 0x7f;
      if (size === 0 || size > 4 || start + size > this.#end)
        throw new ProtocolError('a length cannot be read');
      length = bytes.readUIntBE(start, size);
      start += size;
    }
    if (length > this.#end - start) throw new ProtocolError('an element ends beyond the one around it');
    this.#at = start + length;
    return { start, end: start + length };
  }
}
