import { isAscii } from 'node:buffer';
import { decoderFor } from '@backlot/kit';
import type { LongText } from './decoded-text.js';
import type { Leaf } from './leaves.js';

/** How many bytes are looked at before others may be let in. */
const STEP = 64 * 1024;
/** Shorter texts are as well kept. */
const LONG = 16 * 1024;
const CR = 13;
const LF = 10;
/** Charsets in which bytes below 128 mean what they mean in ASCII, whatever stands before them. */
const LIKE_ASCII = /^(?:utf-8|windows-125\d|iso-8859-\d+)$/;

/** A text that stands in a mail byte by byte, but for its line ends: it is made of the bytes when somebody asks, and not kept. */
export class PlainText implements LongText {
  readonly isKept = false;
  readonly #raw: Buffer;
  readonly #start: number;
  readonly #end: number;
  /** The characters of the whole text. */
  readonly length: number;

  private constructor(raw: Buffer, start: number, end: number, length: number) {
    this.#raw = raw;
    this.#start = start;
    this.#end = end;
    this.length = length;
  }

  /**
   * Looks through a part. Yields now and then, see `runInSlices`.
   *
   * @returns undefined when its text has to be decoded, or is short
   */
  static *of(raw: Buffer, { start, end, encoding, type }: Leaf): Generator<undefined, PlainText | undefined> {
    if (end - start < LONG || encoding === 'base64' || encoding === 'quoted-printable') return undefined;
    if (type.parameters.get('format')?.toLowerCase() === 'flowed') return undefined;
    if (!LIKE_ASCII.test(decoderFor(type.parameters.get('charset')).encoding)) return undefined;
    if (!isAscii(raw.subarray(start, end))) return undefined;
    let length = end - start;
    for (let at = start; at < end; at += STEP) {
      const stop = Math.min(at + STEP, end);
      for (let index = at; index < stop; index += 1)
        if (raw[index] === CR && raw[index + 1] === LF) length -= 1;
      yield;
    }
    if (raw[end - 1] === LF) length -= 1;
    return new PlainText(raw, start, end, length);
  }

  /** The whole text. */
  whole(): string {
    return [...this.pieces()].join('');
  }

  *pieces(): Generator<string> {
    // The line end at the end is no part of the text.
    const last = this.#raw[this.#end - 1] === LF ? 1 : 0;
    const end = this.#end - last - (last === 1 && this.#raw[this.#end - 2] === CR ? 1 : 0);
    for (let at = this.#start; at < end;) {
      let stop = Math.min(at + STEP, end);
      // A line end of two bytes stays in one piece.
      while (stop < end && this.#raw[stop - 1] === CR) stop += 1;
      yield readLines(this.#raw, at, stop);
      at = stop;
    }
  }

  /** The first characters of the text. */
  start(most: number): string {
    const wanted = Math.min(most, this.length);
    // At the worst each character is a line end of two bytes.
    const end = Math.min(this.#end, this.#start + 2 * wanted);
    const text = readLines(this.#raw, this.#start, end);
    return text.length === wanted ? text : text.slice(0, wanted);
  }
}

/**
 * The text of some bytes with line feeds alone. Byte by byte, into one flat text: one whose line ends are replaced is put together of a part for
 * each line, which takes ten times as long and as much memory, and again when it is read.
 */
function readLines(raw: Buffer, start: number, end: number): string {
  const made = Buffer.allocUnsafe(end - start);
  let length = 0;
  for (let at = start; at < end; at += 1) {
    const byte = raw[at] ?? 0;
    if (byte === CR && at + 1 < end && raw[at + 1] === LF) continue;
    made[length] = byte;
    length += 1;
  }
  return made.toString('latin1', 0, length);
}
