import { Framer, FramingError } from '@backlot/kit/framing';

const HASH = 0x23;
/** Most digits of a length. */
const MAX_DIGITS = 10;

/**
 * The framing of Nest's TCP transport: `<length>#<json>`. The length counts the UTF-16 units of the text, as
 * JavaScript counts a string, and not its bytes.
 */
export class NestFramer extends Framer {
  readonly #maxLength: number;
  /** How many units the text has, -1 until its length has come. */
  #units = -1;
  /** How many of them were counted, and where, after the start of the frame. */
  #counted = 0;
  #at = 0;
  #from = 0;

  /** @param maxLength - most bytes of a text */
  constructor(maxLength: number) {
    super();
    this.#maxLength = maxLength;
  }

  protected override measure(bytes: Buffer, start: number, end: number): number {
    if (this.#units < 0 && !this.#readLength(bytes, start, end)) return 0;
    let at = start + this.#at;
    while (this.#counted < this.#units && at < end) {
      const size = sizeOf(bytes[at] ?? 0);
      if (at + size > end) break;
      at += size;
      this.#counted += size === 4 ? 2 : 1;
    }
    this.#at = at - start;
    const length = this.#at - this.#from;
    if (length > this.#maxLength) throw this.#tooLong();
    if (this.#counted < this.#units) return 0;
    if (this.#counted > this.#units)
      throw new FramingError('malformed', `a message ends within a character, after ${this.#units} units`);
    this.frameOffset = this.#from;
    this.frameLength = length;
    return this.#at;
  }

  protected override restart(): void {
    this.#units = -1;
    this.#counted = 0;
    this.#at = 0;
    this.#from = 0;
  }

  #readLength(bytes: Buffer, start: number, end: number): boolean {
    const last = Math.min(end, start + MAX_DIGITS + 1);
    for (let at = start; at < last; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === HASH && at > start) {
        this.#units = Number(bytes.toString('latin1', start, at));
        if (this.#units > this.#maxLength) throw this.#tooLong();
        this.#from = at + 1 - start;
        this.#at = this.#from;
        return true;
      }
      if (byte < 0x30 || byte > 0x39) throw noLength(bytes, start, at + 1);
    }
    if (last - start > MAX_DIGITS) throw noLength(bytes, start, last);
    return false;
  }

  #tooLong(): FramingError {
    return new FramingError('too_long', `a message has more than ${this.#maxLength} bytes`);
  }
}

/** A text as a message. */
export function frameNest(body: string | Buffer): string {
  const text = typeof body === 'string' ? body : body.toString('utf8');
  return `${text.length}#${text}`;
}

/** The answer to a request that no handler is for; `undefined` for an event, which has no id and is not answered. */
export function noHandler(json: unknown): string | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const { id } = json as { readonly id?: unknown };
  if (id === undefined || id === null) return undefined;
  const err = 'There is no matching message handler defined in the remote service.';
  return JSON.stringify({ id, status: 'error', err });
}

/** How many bytes a character has that begins with this one, in UTF-8. */
function sizeOf(byte: number): number {
  if (byte < 0xc0) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}

function noLength(bytes: Buffer, start: number, end: number): FramingError {
  const got = JSON.stringify(bytes.toString('latin1', start, end));
  return new FramingError('malformed', `a message begins with ${got}; it begins with its length and #`);
}
