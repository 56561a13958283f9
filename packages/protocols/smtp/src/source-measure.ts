import { isAscii, isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';

/** How many bytes are looked at before others may be let in. */
const STEP = 64 * 1024;

/** How a mail is shown as it came. */
export interface SourceMeasure {
  readonly encoding: 'utf8' | 'base64';
  /** The characters of the text that shows it. */
  readonly length: number;
}

/** Measures a mail without making the text that shows it. Yields now and then, see `runInSlices`. */
export function* measureSource(raw: Buffer): Generator<undefined, SourceMeasure> {
  if (isAscii(raw)) return { encoding: 'utf8', length: raw.length };
  if (!isUtf8(raw)) return { encoding: 'base64', length: Math.ceil(raw.length / 3) * 4 };
  let length = 0;
  for (let at = 0; at < raw.length; at += STEP) {
    for (const byte of raw.subarray(at, at + STEP)) {
      // Bytes that go on with a character are none; one of four bytes is two characters of a text.
      if ((byte & 0xc0) !== 0x80) length += byte >= 0xf0 ? 2 : 1;
    }
    yield;
  }
  return { encoding: 'utf8', length };
}

/** The first characters of the text that shows a mail, and perhaps some more. */
export function sourceStart(raw: Buffer, { encoding, length }: SourceMeasure, most: number): string {
  if (encoding === 'base64') return raw.toString('base64', 0, 3 * Math.ceil(most / 4));
  // No character of a text takes more than three bytes.
  return raw.toString('utf8', 0, length === raw.length ? most : 3 * most);
}

/** The text that shows a mail, a piece at a time. */
export function* sourcePieces(raw: Buffer, { encoding }: SourceMeasure): Generator<string> {
  // A piece ends where base64 does, or within a character, which the decoder keeps for the next one.
  const step = STEP - (STEP % 3);
  const decoder = new StringDecoder('utf8');
  for (let at = 0; at < raw.length; at += step) {
    const piece = raw.subarray(at, at + step);
    yield encoding === 'base64' ? piece.toString('base64') : decoder.write(piece);
  }
}
