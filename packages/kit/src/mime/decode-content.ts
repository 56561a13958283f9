/** How many bytes are decoded before other work may be let in. */
const STEP = 64 * 1024;
const CR = 13;
const LF = 10;
const EQUALS = 61;
const PAD = 64;
const NONE = 65;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const SEXTETS = new Uint8Array(256).fill(NONE);
for (let value = 0; value < ALPHABET.length; value += 1) SEXTETS[ALPHABET.charCodeAt(value)] = value;
SEXTETS[EQUALS] = PAD;

/** Where content stands in a message, and its Content-Transfer-Encoding (RFC 2045, section 6). */
export interface EncodedContent {
  readonly start: number;
  readonly end: number;
  /** The encoding, in lower case. */
  readonly encoding: string;
}

/**
 * Decodes content piece by piece, and yields after each piece, see `runInSlices`. Line endings become a line feed,
 * except in base64.
 *
 * @param take - called with each piece, whose bytes are valid only until it returns
 */
export function* decodeContent(
  raw: Buffer,
  content: EncodedContent,
  take: (piece: Buffer) => void,
): Generator<undefined, void> {
  const decode = decoderOf(content.encoding);
  const { end } = content;
  const out = Buffer.allocUnsafe(Math.min(STEP, end - content.start));
  for (let at = content.start; at < end;) {
    const step = decode(raw, at, Math.min(at + STEP, end), end, out);
    if (step.length > 0) take(out.subarray(0, step.length));
    at = step.next;
    yield;
  }
}

/** Decodes what begins in a range of the message; it may take a few bytes behind it, up to `end`. */
type Decode = (
  raw: Buffer,
  from: number,
  to: number,
  end: number,
  out: Buffer,
) => { readonly length: number; readonly next: number };

function decoderOf(encoding: string): Decode {
  if (encoding === 'base64') return base64Decoder();
  return encoding === 'quoted-printable' ? decodeQuotedPrintable : decodePlain;
}

const decodePlain: Decode = (raw, from, to, _end, out) => {
  let length = 0;
  for (let at = from; at < to; at += 1) {
    const byte = raw[at] ?? 0;
    if (byte !== CR || raw[at + 1] !== LF) out[length++] = byte;
  }
  return { length, next: to };
};

const decodeQuotedPrintable: Decode = (raw, from, to, end, out) => {
  let length = 0;
  let at = from;
  while (at < to) {
    const byte = raw[at] ?? 0;
    if (byte === EQUALS) {
      const soft = softBreakAt(raw, at, end);
      const value = soft > 0 || at + 2 >= end ? -1 : hexPair(raw[at + 1] ?? 0, raw[at + 2] ?? 0);
      if (value >= 0) out[length++] = value;
      else if (soft === 0) out[length++] = byte;
      at += value >= 0 ? 3 : Math.max(soft, 1);
    } else {
      if (byte !== CR || raw[at + 1] !== LF) out[length++] = byte;
      at += 1;
    }
  }
  return { length, next: at };
};

/** How many bytes a soft line break takes: `=` at the end of a line, or of all. */
function softBreakAt(raw: Buffer, at: number, end: number): number {
  if (at + 1 >= end) return 1;
  if (raw[at + 1] === LF) return 2;
  return raw[at + 1] === CR && raw[at + 2] === LF ? 3 : 0;
}

function hexPair(high: number, low: number): number {
  const digits = String.fromCharCode(high, low);
  return /^[0-9a-fA-F]{2}$/.test(digits) ? Number.parseInt(digits, 16) : -1;
}

/** Some mailers pad every line: behind a pad a new group begins. */
function base64Decoder(): Decode {
  let bits = 0;
  let count = 0;
  return (raw, from, to, _end, out) => {
    let length = 0;
    for (let at = from; at < to; at += 1) {
      const value = SEXTETS[raw[at] ?? 0] ?? NONE;
      if (value < PAD) {
        bits = ((bits << 6) | value) & 0xfff;
        count += 6;
        if (count >= 8) {
          count -= 8;
          out[length++] = (bits >> count) & 0xff;
        }
      } else if (value === PAD) {
        bits = 0;
        count = 0;
      }
    }
    return { length, next: to };
  };
}
