import { unescape } from 'node:querystring';
import { plainRecord } from './plain-record.js';

/** Fields that came in a request, by name; several values when a name came more than once. */
export type Fields = Readonly<Record<string, string | readonly string[]>>;

/** No fields at all. */
export const NO_FIELDS: Fields = Object.freeze(plainRecord<string>());

/** How many fields are read; further ones are left out. */
export const MOST_FIELDS = 10_000;
/** Longer texts lose their plus signs byte by byte, which is quicker where there are very many. */
const LONG = 1024;
const PLUS = 0x2b;
const SPACE = 0x20;

/**
 * Reads `a=1&b=2` (WHATWG URL, section 5.1): `+` is a space, and what is no valid escape stays as it is. Of more than
 * {@link MOST_FIELDS} the rest is left out.
 */
export function parseFields(text: string): Fields {
  const fields = plainRecord<string | string[]>();
  const isPlain = !text.includes('%') && !text.includes('+');
  let left = MOST_FIELDS;
  for (let start = 0; start < text.length && left > 0;) {
    const next = text.indexOf('&', start);
    const end = next < 0 ? text.length : next;
    if (end > start) {
      left -= 1;
      const equals = text.indexOf('=', start);
      const nameEnd = equals < 0 || equals > end ? end : equals;
      const name = text.slice(start, nameEnd);
      const value = text.slice(Math.min(nameEnd + 1, end), end);
      addField(fields, isPlain ? name : decode(name), isPlain ? value : decode(value));
    }
    start = end + 1;
  }
  return fields;
}

/** Adds one value; a name that is there already gets a list. */
export function addField(fields: Record<string, string | string[]>, name: string, value: string): void {
  const known = fields[name];
  if (known === undefined) fields[name] = value;
  else if (typeof known === 'string') fields[name] = [known, value];
  else known.push(value);
}

function decode(text: string): string {
  return unescape(text.length > LONG ? spacesOf(text) : text.replaceAll('+', ' '));
}

function spacesOf(text: string): string {
  const bytes = Buffer.from(text, 'utf8');
  for (let index = 0; index < bytes.length; index += 1) if (bytes[index] === PLUS) bytes[index] = SPACE;
  return bytes.toString('utf8');
}
