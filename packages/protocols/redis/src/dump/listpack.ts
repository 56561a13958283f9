import { parseInt64 } from '../wire/numbers.js';
import { littleEndian } from './bytes.js';

/** Bytes before the first element, and the byte behind the last. */
const HEAD = 6;
const END = '\xff';
/** The count of elements that stands for "many". */
const MANY = 0xffff;

/** Puts a listpack together (Redis, listpack.md): texts and integers in few bytes. */
export class ListpackWriter {
  #parts: string[] = [];
  #bytes = HEAD + 1;
  #count = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get count(): number {
    return this.#count;
  }

  add(text: string): void {
    const value = text.length < 21 ? parseInt64(text) : undefined;
    this.#put(value === undefined ? encodeText(text) : encodeInteger(value));
  }

  addInteger(value: number | bigint): void {
    this.#put(encodeInteger(BigInt(value)));
  }

  /** The whole; it holds nothing afterwards. */
  take(): string {
    const head = littleEndian(this.#bytes, 4) + littleEndian(Math.min(this.#count, MANY), 2);
    const made = head + this.#parts.join('') + END;
    this.#parts = [];
    this.#bytes = HEAD + 1;
    this.#count = 0;
    return made;
  }

  #put(element: string): void {
    const whole = element + backLength(element.length);
    this.#parts.push(whole);
    this.#bytes += whole.length;
    this.#count += 1;
  }
}

function encodeText(text: string): string {
  const { length } = text;
  if (length < 64) return String.fromCharCode(0x80 | length) + text;
  if (length < 4096) return String.fromCharCode(0xe0 | (length >> 8), length & 0xff) + text;
  return `\xf0${littleEndian(length, 4)}${text}`;
}

function encodeInteger(value: bigint): string {
  if (value >= 0n && value <= 127n) return String.fromCharCode(Number(value));
  const small = Number(value);
  if (small >= -4096 && small <= 4095)
    return String.fromCharCode(0xc0 | ((small & 0x1fff) >> 8), small & 0xff);
  const size = [2, 3, 4].find((bytes) => BigInt.asIntN(8 * bytes, value) === value) ?? 8;
  return String.fromCharCode(size === 8 ? 0xf4 : 0xef + size) + littleEndian(value, size);
}

/** How long an element is, to be read from behind: seven bits in a byte, all but the first marked. */
function backLength(length: number): string {
  let bytes = '';
  for (let left = backLengthSize(length) - 1, rest = length; left >= 0; left -= 1, rest >>>= 7)
    bytes = String.fromCharCode((rest & 0x7f) | (left > 0 ? 0x80 : 0)) + bytes;
  return bytes;
}

/** How many bytes {@link backLength} gives; as in Redis the largest of each size takes one more. */
function backLengthSize(length: number): number {
  if (length <= 127) return 1;
  return [16_383, 2_097_151, 268_435_455].filter((most) => length >= most).length + 2;
}

/** Reads the elements of a listpack as texts. Whatever the bytes are, it reads within them. */
export class ListpackReader {
  readonly #bytes: string;
  readonly #fail: () => never;
  #at = HEAD;

  /** @param fail - throws: the bytes are no listpack */
  constructor(bytes: string, fail: () => never) {
    this.#bytes = bytes;
    this.#fail = fail;
    if (bytes.length <= HEAD || this.#number(0, 4) !== bytes.length || !bytes.endsWith(END)) fail();
  }

  /** Whether all elements were read. */
  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length - 1;
  }

  /** The next element. */
  next(): string {
    if (this.isAtEnd) this.#fail();
    const begin = this.#at;
    const first = this.#bytes.charCodeAt(begin);
    if (first < 0x80) return this.#integer(BigInt(first), 1);
    if (first < 0xc0) return this.#text(1, first & 0x3f);
    if (first < 0xe0) {
      const value = ((first & 0x1f) << 8) | this.#number(begin + 1, 1);
      return this.#integer(BigInt(value >= 4096 ? value - 8192 : value), 2);
    }
    if (first < 0xf0) return this.#text(2, ((first & 0x0f) << 8) | this.#number(begin + 1, 1));
    if (first === 0xf0) return this.#text(5, this.#number(begin + 1, 4));
    if (first > 0xf4) this.#fail();
    const size = first === 0xf4 ? 8 : first - 0xef;
    let value = 0n;
    for (let index = size; index > 0; index -= 1)
      value = (value << 8n) | BigInt(this.#number(begin + index, 1));
    return this.#integer(BigInt.asIntN(8 * size, value), size + 1);
  }

  /** The next element, which must be an integer. */
  nextInteger(): bigint {
    return parseInt64(this.next()) ?? this.#fail();
  }

  #integer(value: bigint, size: number): string {
    this.#skip(size);
    return value.toString();
  }

  #text(head: number, length: number): string {
    const begin = this.#at + head;
    this.#skip(head + length);
    return this.#bytes.slice(begin, begin + length);
  }

  #skip(size: number): void {
    this.#at += size + backLengthSize(size);
    if (this.#at >= this.#bytes.length) this.#fail();
  }

  /** The integer of some bytes; those beyond the end are zero. */
  #number(at: number, size: number): number {
    let value = 0;
    for (let index = size - 1; index >= 0; index -= 1)
      value = value * 256 + (this.#bytes.charCodeAt(at + index) || 0);
    return value;
  }
}
