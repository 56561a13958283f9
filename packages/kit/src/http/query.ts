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
  let length = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    let byte = bytes[index] ?? 0;
    if (byte === PLUS) byte = SPACE;
    else if (byte === PERCENT) {
      const high = digitOf(bytes[index + 1]);
      const low = digitOf(bytes[index + 2]);
      if (high >= 0 && low >= 0) {
        byte = high * 16 + low;
        index += 2;
      }
    }
    bytes[length] = byte;
    length += 1;
  }
  return bytes.toString('utf8', 0, length);
}

function digitOf(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
