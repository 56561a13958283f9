import { endOfLine, parseHeader, type Header } from './header.js';
import { parseParameterised, type Parameterised } from './parameters.js';

const MOST_DEPTH = 20;
const MOST_PARTS = 1000;
const DASH = 45;
const LF = 10;
const CR = 13;

/** A message or a part of one: offsets into the message's bytes. */
export interface Part {
  readonly header: Header;
  readonly start: number;
  readonly bodyStart: number;
  readonly end: number;
  /** `text`, `multipart` ... in lower case. */
  readonly type: string;
  readonly subtype: string;
  readonly contentType: Parameterised;
  /** In lower case; `7bit` when the header names none. */
  readonly encoding: string;
  /** The parts of a multipart. */
  readonly parts: readonly Part[];
  /** The message in a message/rfc822 part. */
  readonly message: Part | undefined;
}

/** Splits a message into its parts (RFC 2046). Whatever the bytes hold gives some tree: what cannot be split is one part. */
export function parseMessage(raw: Buffer): Part {
  return new Splitter(raw).split(0, raw.length, 0, 'text/plain');
}

class Splitter {
  readonly #raw: Buffer;
  #parts = 0;

  constructor(raw: Buffer) {
    this.#raw = raw;
  }

  split(start: number, end: number, depth: number, defaultType: string): Part {
    this.#parts += 1;
    const header = parseHeader(this.#raw, start, end);
    const bodyStart = header.end;
    const given = parseParameterised(header.get('content-type') ?? defaultType);
    const isType = /^[^/]+\/[^/]+$/.test(given.value);
    const contentType = isType ? given : { value: 'text/plain', parameters: given.parameters };
    const [type = '', subtype = ''] = contentType.value.toLowerCase().split('/');
    const encoding = parseParameterised(
      header.get('content-transfer-encoding') ?? '7bit',
    ).value.toLowerCase();
    const part = { header, start, bodyStart, end, contentType, encoding };
    const canNest = depth < MOST_DEPTH && this.#parts < MOST_PARTS;
    if (type === 'multipart') {
      const parts = canNest ? this.#splitBody(contentType, bodyStart, end, depth, subtype) : [];
      if (parts.length > 0) return { ...part, type, subtype, parts, message: undefined };
      // BODYSTRUCTURE cannot say "no part": it is shown as the text that it is.
      return { ...part, type: 'text', subtype: 'plain', parts: [], message: undefined };
    }
    const isMessage = type === 'message' && subtype === 'rfc822' && canNest && isPlain(encoding);
    const message = isMessage ? this.split(bodyStart, end, depth + 1, 'text/plain') : undefined;
    return { ...part, type, subtype, parts: [], message };
  }

  #splitBody(
    contentType: Parameterised,
    start: number,
    end: number,
    depth: number,
    subtype: string,
  ): readonly Part[] {
    const boundary = contentType.parameters.find(([name]) => name.toLowerCase() === 'boundary')?.[1];
    if (boundary === undefined || boundary === '') return [];
    const defaultType = subtype === 'digest' ? 'message/rfc822' : 'text/plain';
    const parts: Part[] = [];
    let from = -1;
    for (const line of this.#delimiters(`--${boundary}`, start, end)) {
      if (from >= 0) parts.push(this.split(from, Math.max(line.start, from), depth + 1, defaultType));
      from = line.isLast ? -1 : line.end;
      if (line.isLast || this.#parts >= MOST_PARTS) break;
    }
    if (from >= 0) parts.push(this.split(from, end, depth + 1, defaultType));
    return parts;
  }

  /** The lines that hold the delimiter and nothing else; `start` is in front of the line end that belongs to it. */
  *#delimiters(
    delimiter: string,
    start: number,
    end: number,
  ): Generator<{ readonly start: number; readonly end: number; readonly isLast: boolean }> {
    const raw = this.#raw;
    for (let at = raw.indexOf(delimiter, start, 'latin1'); at >= 0 && at < end;) {
      const behind = at + delimiter.length;
      if (at === start || raw[at - 1] === LF) {
        const isLast = raw[behind] === DASH && raw[behind + 1] === DASH;
        const lineEnd = endOfLine(raw, behind, end);
        if (/^[ \t]*\r?\n?$/.test(raw.toString('latin1', isLast ? behind + 2 : behind, lineEnd))) {
          yield { start: at === start ? at : raw[at - 2] === CR ? at - 2 : at - 1, end: lineEnd, isLast };
        }
      }
      at = raw.indexOf(delimiter, behind, 'latin1');
    }
  }
}

function isPlain(encoding: string): boolean {
  return encoding === '7bit' || encoding === '8bit' || encoding === 'binary' || encoding === '';
}
