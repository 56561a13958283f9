import { LongText } from './long-text.js';

/** A stored string, one character a byte: as it is, or in pages once it was changed and is long. */
export type Text = string | LongText;

/** From so many bytes on a string that is changed is kept in pages; copying fewer takes no more than some microseconds. */
export const LONG = 256 * 1024;

export function isText(value: unknown): value is Text {
  return typeof value === 'string' || value instanceof LongText;
}

export function lengthOf(text: Text): number {
  return typeof text === 'string' ? text.length : text.size;
}

/** The byte at a place; `NaN` behind the end. */
export function byteAt(text: Text, place: number): number {
  return typeof text === 'string' ? text.charCodeAt(place) : text.byteAt(place);
}

/** The string with other bytes from a place on. What lies between its end and that place are zeros. */
export function replaceIn(text: Text, at: number, bytes: Text): Text {
  if (typeof text !== 'string') return text.replace(at, bytes);
  const end = at + lengthOf(bytes);
  if (Math.max(text.length, end) >= LONG || typeof bytes !== 'string')
    return LongText.of(text).replace(at, bytes);
  return at === text.length ? text + bytes : text.padEnd(at, '\0').slice(0, at) + bytes + text.slice(end);
}

/** The string with other bytes at some places, and zeros between its end and a length. */
export function withBytes(text: Text, length: number, bytes: ReadonlyMap<number, number>): Text {
  const padded = lengthOf(text) < length ? replaceIn(text, length - 1, '\0') : text;
  if (typeof padded !== 'string') return padded.withBytes(bytes);
  if (padded.length >= LONG) return LongText.of(padded).withBytes(bytes);
  const changed = Buffer.from(padded, 'latin1');
  for (const [place, byte] of bytes) changed[place] = byte;
  return changed.toString('latin1');
}
