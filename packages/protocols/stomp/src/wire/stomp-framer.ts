import { Framer, FramingError } from '@backlot/kit/framing';

const LF = 10;
const CR = 13;
const UPPER_A = 65;
const UPPER_Z = 90;
const LOWER_C = 99;
const CONTENT_LENGTH = 'content-length';

/** The longest command has eleven letters. */
const MAX_COMMAND = 32;
const MAX_HEAD = 32 * 1024;
const MAX_HEADER_LINES = 1_000;

/**
 * Cuts a stream into frames. A frame is handed over without its NUL; line ends between frames, which are heart-beats, as
 * a frame without bytes. What cannot become a frame is refused as early as it shows, and what a `content-length`
 * announces is compared with the limit before it is waited for.
 */
export class StompFramer extends Framer {
  /** Most bytes of a body. */
  limit: number;
  /** Where the body of the frame just handed over begins. */
  bodyStart = 0;

  #scanned = 0;
  #lines = 0;
  #lineStart = 0;
  #headEnd = 0;
  #announced = -1;

  constructor(limit: number) {
    super();
    this.limit = limit;
  }

  protected override measure(bytes: Buffer, start: number, end: number): number {
    const breaks = countBreaks(bytes, start, end);
    if (breaks > 0) {
      this.frameOffset = 0;
      this.frameLength = 0;
      return breaks;
    }
    if (this.#headEnd === 0 && !this.#findHeadEnd(bytes, start, end)) return 0;
    const length =
      this.#announced >= 0 ? this.#announcedEnd(bytes, start, end) : this.#nulEnd(bytes, start, end);
    if (length < 0) return 0;
    this.bodyStart = this.#headEnd;
    this.frameOffset = 0;
    this.frameLength = length;
    return length + 1;
  }

  /** The length of the frame that has begun, with its NUL, as far as `content-length` tells; 0 while nothing does. */
  protected get announcedLength(): number {
    return this.#headEnd > 0 && this.#announced >= 0 ? this.#headEnd + this.#announced + 1 : 0;
  }

  protected override restart(): void {
    this.#scanned = 0;
    this.#lines = 0;
    this.#lineStart = 0;
    this.#headEnd = 0;
    this.#announced = -1;
  }

  #findHeadEnd(bytes: Buffer, start: number, end: number): boolean {
    const first = bytes[start] ?? 0;
    if (first < UPPER_A || first > UPPER_Z)
      throw new FramingError('malformed', 'a frame must begin with a command in capital letters');
    for (let at = start + this.#scanned; at < end; at += 1) {
      const byte = bytes[at];
      if (byte === 0) throw new FramingError('malformed', 'a NUL in the headers; a blank line must end them');
      if (byte !== LF) continue;
      if (this.#takeLine(bytes, start + this.#lineStart, at)) {
        this.#headEnd = at + 1 - start;
        this.#scanned = this.#headEnd;
        return true;
      }
      this.#lineStart = at + 1 - start;
    }
    this.#scanned = end - start;
    if (this.#lines === 0 && this.#scanned > MAX_COMMAND)
      throw new FramingError('malformed', 'a command is one line of capital letters');
    if (this.#scanned > MAX_HEAD)
      throw new FramingError('too_long', `the headers are longer than ${MAX_HEAD} bytes`);
    return false;
  }

  /** @returns whether it is the blank line that ends the headers */
  #takeLine(bytes: Buffer, from: number, lineEnd: number): boolean {
    const to = lineEnd > from && bytes[lineEnd - 1] === CR ? lineEnd - 1 : lineEnd;
    if (to === from) return true;
    if (this.#lines === 0 && to - from > MAX_COMMAND)
      throw new FramingError('malformed', 'a command is one line of capital letters');
    this.#lines += 1;
    if (this.#lines > MAX_HEADER_LINES + 1)
      throw new FramingError('too_long', `there are more than ${MAX_HEADER_LINES} headers`);
    if (bytes[from] === LOWER_C && this.#announced < 0) this.#readLength(bytes, from, to);
    return false;
  }

  #readLength(bytes: Buffer, from: number, to: number): void {
    const colon = from + CONTENT_LENGTH.length;
    if (to < colon || bytes.toString('latin1', from, colon) !== CONTENT_LENGTH) return;
    const line = bytes.toString('latin1', colon, to).trimStart();
    if (!line.startsWith(':')) return;
    const digits = line.slice(1).trim();
    if (!/^[0-9]+$/.test(digits))
      throw new FramingError(
        'malformed',
        `content-length ${JSON.stringify(digits.slice(0, 40))} is not a number of bytes`,
      );
    const length = Number(digits);
    if (length > this.limit) throw this.#tooLong(`the body of ${digits.slice(0, 40)} bytes`);
    this.#announced = length;
  }

  #announcedEnd(bytes: Buffer, start: number, end: number): number {
    const length = this.#headEnd + this.#announced;
    if (end - start <= length) return -1;
    if (bytes[start + length] !== 0)
      throw new FramingError(
        'malformed',
        `no NUL follows the ${this.#announced} bytes that content-length announces`,
      );
    return length;
  }

  #nulEnd(bytes: Buffer, start: number, end: number): number {
    const from = start + this.#scanned;
    const nul = from < end ? bytes.indexOf(0, from) : -1;
    const isThere = nul >= 0 && nul < end;
    const length = (isThere ? nul : end) - start;
    if (length - this.#headEnd > this.limit) throw this.#tooLong('the body');
    this.#scanned = length;
    return isThere ? length : -1;
  }

  #tooLong(what: string): FramingError {
    return new FramingError('too_long', `${what} is longer than the limit of ${this.limit} bytes`);
  }
}

function countBreaks(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && (bytes[at] === LF || bytes[at] === CR)) at += 1;
  return at - start;
}
