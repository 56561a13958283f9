import { CommandError } from '../wire/errors.js';
import { unpackLzf } from './lzf.js';
import { ENCODED } from './types.js';

/** The error for what cannot be a value. */
export function badFormat(): never {
  throw new CommandError('ERR Bad data format');
}

/** Reads what a dump is made of. Whatever the bytes are, it reads within them, and unpacks within its bound. */
export class DumpReader {
  readonly #bytes: string;
  readonly #end: number;
  #at = 0;
  /** Bytes that packed texts may still become. */
  #unpackedLeft: number;

  /**
   * @param end - how many bytes of the text count
   * @param mostUnpacked - how many bytes all packed texts together may become
   */
  constructor(bytes: string, end: number, mostUnpacked: number) {
    this.#bytes = bytes;
    this.#end = end;
    this.#unpackedLeft = mostUnpacked;
  }

  /** Whether all was read. */
  get isAtEnd(): boolean {
    return this.#at === this.#end;
  }

  /** How many bytes have been read. */
  get at(): number {
    return this.#at;
  }

  byte(): number {
    return this.raw(1).charCodeAt(0);
  }

  /** So many bytes as they are. */
  raw(count: number): string {
    const begin = this.#at;
    if (count > this.#end - begin) badFormat();
    this.#at += count;
    return this.#bytes.slice(begin, begin + count);
  }

  /** An integer of some bytes, the lowest first. */
  integer(size: number): bigint {
    return fromBigEndian([...this.raw(size)].reverse().join(''));
  }

  /** A length, or an integer that is not negative. */
  number(): bigint {
    const first = this.byte();
    if (first < 0x40) return BigInt(first);
    if (first < 0x80) return BigInt(((first & 0x3f) << 8) | this.byte());
    if (first === 0x80) return fromBigEndian(this.raw(4));
    return first === 0x81 ? fromBigEndian(this.raw(8)) : badFormat();
  }

  /** How many things follow: each takes a byte at least. */
  count(): number {
    const count = Number(this.number());
    return count > this.#end - this.#at ? badFormat() : count;
  }

  /** A text: plain, an integer, or packed. */
  *text(): Generator<undefined, string> {
    const first = this.#bytes.charCodeAt(this.#at);
    if (this.#at >= this.#end) badFormat();
    if (first < 0xc0) return this.raw(this.count());
    this.#at += 1;
    switch (first) {
      case ENCODED.int8:
        return BigInt.asIntN(8, this.integer(1)).toString();
      case ENCODED.int16:
        return BigInt.asIntN(16, this.integer(2)).toString();
      case ENCODED.int32:
        return BigInt.asIntN(32, this.integer(4)).toString();
      case ENCODED.lzf: {
        const packed = Number(this.number());
        const length = Number(this.number());
        this.#unpackedLeft -= length;
        if (this.#unpackedLeft < 0 || length === 0) badFormat();
        return (yield* unpackLzf(this.raw(packed), length)) ?? badFormat();
      }
      default:
        return badFormat();
    }
  }
}

/** The integer of some bytes, the highest first. */
export function fromBigEndian(bytes: string): bigint {
  return bytes === '' ? 0n : BigInt(`0x${Buffer.from(bytes, 'latin1').toString('hex')}`);
}
