import { parseBase64 } from '@backlot/core/plugin';

/** How deep a value may be nested, and how many values one message may have. */
const MAX_DEPTH = 500;
const MAX_VALUES = 250_000;
/** The extension of MessagePack for moments in time. */
const TIMESTAMP = -1;

/** What is no MessagePack, or holds too much; the message says why. */
export class MessagePackProblem extends Error {}

/** Reads the one value of MessagePack that bytes hold. @throws MessagePackProblem */
export function readMessagePack(bytes: Buffer): unknown {
  const reader = new Reader(bytes);
  const value = reader.read(0);
  reader.end();
  return value;
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  #count = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  end(): void {
    if (this.#at < this.#bytes.length) throw new MessagePackProblem('bytes follow the value');
  }

  read(depth: number): unknown {
    this.#count += 1;
    if (this.#count > MAX_VALUES) throw new MessagePackProblem(`it holds more than ${MAX_VALUES} values`);
    if (depth > MAX_DEPTH) throw new MessagePackProblem(`it is nested deeper than ${MAX_DEPTH} levels`);
    const type = this.#take(1)[0] ?? 0;
    if (type < 0x80) return type;
    if (type < 0x90) return this.#map(type & 0x0f, depth);
    if (type < 0xa0) return this.#list(type & 0x0f, depth);
    if (type < 0xc0) return this.#text(type & 0x1f);
    if (type >= 0xe0) return type - 0x100;
    switch (type) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
      case 0xc5:
      case 0xc6:
        // A copy: it would keep the whole message.
        return Buffer.from(this.#take(this.#size(type - 0xc4)));
      case 0xc7:
      case 0xc8:
      case 0xc9:
        return this.#extension(this.#size(type - 0xc7));
      case 0xca:
        return this.#take(4).readFloatBE();
      case 0xcb:
        return this.#take(8).readDoubleBE();
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#size(type - 0xcc);
      case 0xcf:
        return numberOf(this.#take(8).readBigUInt64BE());
      case 0xd0:
        return this.#take(1).readInt8();
      case 0xd1:
        return this.#take(2).readInt16BE();
      case 0xd2:
        return this.#take(4).readInt32BE();
      case 0xd3:
        return numberOf(this.#take(8).readBigInt64BE());
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return this.#extension(2 ** (type - 0xd4));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#text(this.#size(type - 0xd9));
      case 0xdc:
      case 0xdd:
        return this.#list(this.#size(type - 0xdb), depth);
      case 0xde:
      case 0xdf:
        return this.#map(this.#size(type - 0xdd), depth);
      default:
        throw new MessagePackProblem(`0x${type.toString(16)} begins no value`);
    }
  }

  /** A number without a sign. @param power - of 2: how many bytes it has */
  #size(power: number): number {
    return this.#take(2 ** power).readUIntBE(0, 2 ** power);
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new MessagePackProblem('it ends in the midst of a value');
    const part = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return part;
  }

  #text(length: number): string {
    return this.#take(length).toString('utf8');
  }

  #list(length: number, depth: number): unknown[] {
    const list: unknown[] = [];
    for (let index = 0; index < length; index += 1) list.push(this.read(depth + 1));
    return list;
  }

  #map(length: number, depth: number): unknown {
    const entries: [string, unknown][] = [];
    for (let index = 0; index < length; index += 1) {
      const key = this.read(depth + 1);
      if (typeof key !== 'string' && typeof key !== 'number')
        throw new MessagePackProblem('a key of a map is neither a text nor a number');
      entries.push([String(key), this.read(depth + 1)]);
    }
    // Keys are data: `__proto__` is one like any other.
    return Object.fromEntries(entries);
  }

  #extension(length: number): string {
    const type = this.#take(1).readInt8();
    const bytes = this.#take(length);
    if (type !== TIMESTAMP) throw new MessagePackProblem(`it has a value of the extension ${type}`);
    const moment = new Date(momentOf(bytes));
    if (Number.isNaN(moment.getTime())) throw new MessagePackProblem('it has a moment that is none');
    return moment.toISOString();
  }
}

/** Milliseconds of a timestamp in one of its three forms. */
function momentOf(bytes: Buffer): number {
  if (bytes.length === 4) return bytes.readUInt32BE() * 1000;
  if (bytes.length === 8) {
    const both = bytes.readBigUInt64BE();
    return Number(both & 0x3_ffff_ffffn) * 1000 + Number(both >> 34n) / 1e6;
  }
  if (bytes.length === 12) return Number(bytes.readBigInt64BE(4)) * 1000 + bytes.readUInt32BE() / 1e6;
  return NaN;
}

function numberOf(value: bigint): number | string {
  // Beyond what a number holds exactly it is a text, as in JSON of such values.
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

/** Writes a value, such as JSON has; bytes, and objects `{base64: ...}`, become bytes. */
export function writeMessagePack(value: unknown): Buffer {
  const parts: Buffer[] = [];
  write(value, parts);
  return Buffer.concat(parts);
}

function write(value: unknown, parts: Buffer[]): void {
  if (value === null || value === undefined) parts.push(Buffer.of(0xc0));
  else if (typeof value === 'boolean') parts.push(Buffer.of(value ? 0xc3 : 0xc2));
  else if (typeof value === 'number') parts.push(numberBytes(value));
  else if (typeof value === 'string') {
    const text = Buffer.from(value);
    parts.push(head(text.length, 0xa0, 32, 0xd9, 0xda, 0xdb), text);
  } else if (Array.isArray(value)) {
    parts.push(head(value.length, 0x90, 16, undefined, 0xdc, 0xdd));
    for (const item of value) write(item, parts);
  } else if (typeof value === 'object') {
    const bytes = bytesIn(value);
    if (bytes !== undefined) {
      parts.push(head(bytes.length, 0, 0, 0xc4, 0xc5, 0xc6), bytes);
      return;
    }
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    parts.push(head(entries.length, 0x80, 16, undefined, 0xde, 0xdf));
    for (const [key, item] of entries) {
      write(key, parts);
      write(item, parts);
    }
  } else throw new TypeError(`a ${typeof value} cannot be written as MessagePack`);
}

/** @param short - the type of what has fewer than `limit`; the others are of sizes of one, two and four bytes */
function head(
  size: number,
  short: number,
  limit: number,
  one: number | undefined,
  two: number,
  four: number,
): Buffer {
  if (size < limit) return Buffer.of(short + size);
  if (size < 0x100 && one !== undefined) return Buffer.of(one, size);
  if (size < 0x1_0000) return Buffer.of(two, size >> 8, size & 0xff);
  const bytes = Buffer.alloc(5);
  bytes[0] = four;
  bytes.writeUInt32BE(size, 1);
  return bytes;
}

function numberBytes(value: number): Buffer {
  if (Number.isInteger(value) && !Object.is(value, -0)) {
    if (value >= 0 && value < 0x80) return Buffer.of(value);
    if (value >= -32 && value < 0) return Buffer.of(value + 0x100);
    const bytes = Buffer.alloc(5);
    if (value >= 0 && value < 2 ** 32) {
      bytes[0] = 0xce;
      bytes.writeUInt32BE(value, 1);
      return bytes;
    }
    if (value >= -(2 ** 31) && value < 0) {
      bytes[0] = 0xd2;
      bytes.writeInt32BE(value, 1);
      return bytes;
    }
    if (Number.isSafeInteger(value)) {
      const long = Buffer.alloc(9);
      long[0] = 0xd3;
      long.writeBigInt64BE(BigInt(value), 1);
      return long;
    }
  }
  const bytes = Buffer.alloc(9);
  bytes[0] = 0xcb;
  bytes.writeDoubleBE(value, 1);
  return bytes;
}

function bytesIn(value: object): Buffer | undefined {
  if (value instanceof Uint8Array) return Buffer.from(value);
  const { base64 } = value as { readonly base64?: unknown };
  return typeof base64 === 'string' && Object.keys(value).length === 1 ? parseBase64(base64) : undefined;
}
