import { isUtf8 } from 'node:buffer';

/** A longer text is looked at by node:buffer, for which a call costs more than looking at a short one. */
const SHORT_ASCII = 64;

/** What stands in a text for bytes that are no UTF-8. */
const REPLACED = '\ufffd';

/** A longer payload is sent as it is. */
const LARGE = 16 * 1024;

/** What a client published, in the forms of the wire: texts have one character per byte. */
export interface Published {
  readonly subject: string;
  /** Empty when there is none. */
  readonly reply: string;
  /** With the version line and the empty line at their end. */
  readonly headerBytes: Buffer | undefined;
  readonly payload: Buffer;
  /** See {@link Delivery}. */
  readonly frame?: Buffer | undefined;
  readonly subjectEnd?: number;
  /** Bytes of the payload. */
  readonly size: number;
  /** The payload read as UTF-8, or `undefined` when it is none. */
  readText(): string | undefined;
}

/** A message whose headers and payload are bytes of their own. */
export class PublishedBytes implements Published {
  constructor(
    readonly subject: string,
    readonly reply: string,
    readonly headerBytes: Buffer | undefined,
    readonly payload: Buffer,
  ) {}

  get size(): number {
    return this.payload.length;
  }

  readText(): string | undefined {
    return readText(this.payload, 0, this.payload.length);
  }
}

/** A message inside the frame it came in: most are read by nobody but the journal, which takes the text. */
export class PublishedFrame implements Published {
  readonly headerBytes = undefined;
  #payload: Buffer | undefined;

  constructor(
    readonly subject: string,
    readonly reply: string,
    private readonly bytes: Buffer,
    readonly subjectEnd: number,
    private readonly start: number,
    readonly size: number,
  ) {}

  /** Absent for a message that is better passed on without a copy. */
  get frame(): Buffer | undefined {
    return this.size < LARGE ? this.bytes : undefined;
  }

  get payload(): Buffer {
    return (this.#payload ??= this.bytes.subarray(this.start, this.start + this.size));
  }

  readText(): string | undefined {
    return readText(this.bytes, this.start, this.start + this.size);
  }
}

function readText(bytes: Buffer, start: number, end: number): string | undefined {
  if (end - start <= SHORT_ASCII) {
    let at = start;
    while (at < end && (bytes[at] ?? 0) < 0x80) at += 1;
    if (at === end) return bytes.toString('latin1', start, end);
  }
  const text = bytes.toString('utf8', start, end);
  // Whatever is no UTF-8 becomes this character, so that what reads without one need not be looked at twice.
  return text.indexOf(REPLACED) < 0 || isUtf8(bytes.subarray(start, end)) ? text : undefined;
}
