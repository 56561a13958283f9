import { unescape } from 'node:querystring';
import { plainRecord } from './plain-record.js';

/** Fields of a request by name, such as query parameters; a name that came more than once has a list of values. */
export type Fields = Readonly<Record<string, string | readonly string[]>>;

/** No fields at all. */
export const NO_FIELDS: Fields = Object.freeze(plainRecord<string>());

/** How many fields of a text are read; further ones are left out. */
export const MAX_FIELDS = 10_000;
/** Longer texts are decoded byte by byte. */
const LONG = 1024;
/** So many bytes are decoded in one step. */
const PIECE = 256 * 1024;
const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const PLUS = 0x2b;
const SPACE = 0x20;
const PERCENT = 0x25;

/**
 * Reads `a=1&b=2` (WHATWG URL, section 5.1): `+` is a space, and an escape that is not valid stays as it is. Fields
 * beyond {@link MAX_FIELDS} are left out.
 */
export function parseFields(text: string): Fields {
  const fields = plainRecord<string | string[]>();
  const isPlain = !text.includes('%') && !text.includes('+');
  let left = MAX_FIELDS;
  let equals = -1;
  for (let start = 0; start < text.length && left > 0;) {
    const end = placeOf('&', text, start);
    if (end > start) {
      left -= 1;
      // Looked for once until it is passed: a text may hold very many names and no value.
      if (equals < start) equals = placeOf('=', text, start);
      const nameEnd = Math.min(equals, end);
      const name = text.slice(start, nameEnd);
      const value = text.slice(Math.min(nameEnd + 1, end), end);
      addField(fields, isPlain ? name : decode(name), isPlain ? value : decode(value));
    }
    start = end + 1;
  }
  return fields;
}

/**
 * The same for the bytes of a body, which may be very many: a generator for `runInSlices`, which yields after each piece of them.
 */
export function* readFields(body: Uint8Array): Generator<undefined, Fields> {
  const fields = plainRecord<string | string[]>();
  const place = { at: 0 };
  for (let left = MAX_FIELDS; place.at < body.length && left > 0; place.at += 1) {
    if (body[place.at] === AMPERSAND) continue;
    left -= 1;
    const name = yield* readPart(body, place, true);
    let value = '';
    if (body[place.at] === EQUALS) {
      place.at += 1;
      value = yield* readPart(body, place, false);
    }
    addField(fields, name, value);
    yield;
  }
  return fields;
}

/** Decodes a name, up to its `=`, or a value; afterwards the place is that of the mark behind it, or the end. */
function* readPart(body: Uint8Array, place: { at: number }, isName: boolean): Generator<undefined, string> {
  const ampersand = body.indexOf(AMPERSAND, place.at);
  let end = ampersand < 0 ? body.length : ampersand;
  if (isName) {
    const equals = body.subarray(place.at, end).indexOf(EQUALS);
    if (equals >= 0) end = place.at + equals;
  }
  const start = place.at;
  place.at = end;
  const out = Buffer.allocUnsafe(end - start);
  let length = 0;
  for (let from = start; from < end;) {
    const piece = decodeBytes(body, from, Math.min(from + PIECE, end), end, out, length);
    from = piece.from;
    length = piece.length;
    if (from < end) yield;
  }
  if (length > PIECE) yield;
  return out.toString('utf8', 0, length);
}

/** Adds one value; when the name has a value already, it gets a list of both. */
export function addField(fields: Record<string, string | string[]>, name: string, value: string): void {
  const known = fields[name];
  if (known === undefined) fields[name] = value;
  else if (typeof known === 'string') fields[name] = [known, value];
  else known.push(value);
}

function placeOf(mark: string, text: string, start: number): number {
  const found = text.indexOf(mark, start);
  return found < 0 ? text.length : found;
}

function decode(text: string): string {
  return text.length > LONG ? decodeLong(text) : unescape(text.replaceAll('+', ' '));
}

/** The same in one pass over the bytes, which is many times quicker where escapes and plus signs are many. */
function decodeLong(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  const { length } = decodeBytes(bytes, 0, bytes.length, bytes.length, bytes, 0);
  return bytes.toString('utf8', 0, length);
}

/**
 * Decodes bytes from one place to another into `out`, which may be the same; an escape that begins before `to` is read to its
 * end, if that is before `end`.
 *
 * @returns where to go on, and how long `out` is now
 */
function decodeBytes(
  bytes: Uint8Array,
  from: number,
  to: number,
  end: number,
  out: Uint8Array,
  length: number,
): { from: number; length: number } {
  let index = from;
  for (; index < to; index += 1) {
    let byte = bytes[index] ?? 0;
    if (byte === PLUS) byte = SPACE;
    else if (byte === PERCENT && index + 2 < end) {
      const high = digitOf(bytes[index + 1]);
      const low = digitOf(bytes[index + 2]);
      if (high >= 0 && low >= 0) {
        byte = high * 16 + low;
        index += 2;
      }
    }
    out[length] = byte;
    length += 1;
  }
  return { from: index, length };
}

function digitOf(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
