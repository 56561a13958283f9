import { Framer, FramingError } from '@backlot/kit/framing';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/**
 * JSON objects and lists one after the other, with or without white space between them. Only where a value ends is
 * looked for; whether it is JSON is for the mocks. What was scanned is not scanned again when more comes.
 */
export class JsonFramer extends Framer {
  readonly #maxLength: number;
  #at = 0;
  /** Where the value begins, -1 while only white space has come. */
  #from = -1;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;

  /** @param maxLength - most bytes of a value, and of white space in front of it */
  constructor(maxLength: number) {
    super();
    this.#maxLength = maxLength;
  }

  protected override measure(bytes: Buffer, start: number, end: number): number {
    for (let at = start + this.#at; at < end; at += 1) {
      const byte = bytes[at] ?? 0;
      if (this.#from < 0 && !this.#begins(byte, at - start)) continue;
      if (!this.#ends(byte)) continue;
      this.frameOffset = this.#from;
      this.frameLength = at + 1 - start - this.#from;
      this.#check(this.frameLength);
      return at + 1 - start;
    }
    this.#at = end - start;
    this.#check(this.#at - Math.max(this.#from, 0));
    return 0;
  }

  protected override restart(): void {
    this.#at = 0;
    this.#from = -1;
    this.#depth = 0;
    this.#isInText = false;
    this.#isEscaped = false;
  }

  #begins(byte: number, at: number): boolean {
    if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) return false;
    if (byte !== OPEN_BRACE && byte !== OPEN_BRACKET) {
      throw new FramingError(
        'malformed',
        `a message begins with ${JSON.stringify(String.fromCharCode(byte))}; a JSON object or list begins with { or [`,
      );
    }
    this.#from = at;
    return true;
  }

  #ends(byte: number): boolean {
    if (this.#isInText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isInText = false;
    } else if (byte === QUOTE) this.#isInText = true;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      this.#depth -= 1;
      return this.#depth === 0;
    }
    return false;
  }

  #check(length: number): void {
    if (length > this.#maxLength)
      throw new FramingError('too_long', `a JSON value has more than ${this.#maxLength} bytes`);
  }
}
