import { findBytes } from './find-bytes.js';
import { HeaderBudget, parseHeader, type Header } from './header.js';
import { parseParameterised, type Parameterised } from './parameters.js';

const MAX_DEPTH = 20;
const MAX_PARTS = 1000;
/** So many lines that may be delimiters are looked at between two moments at which others may be let in. */
const CANDIDATES = 1000;
const DASH = 45;
const LF = 10;
const CR = 13;
const SPACE = 32;
const TAB = 9;
/** White space behind a boundary; more than a line may hold is none. */
const MAX_BLANKS = 1000;

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

/**
 * Splits a message into its parts (RFC 2046). Whatever the bytes hold gives some tree: what cannot be split is one part.
 * Yields now and then, see `runInSlices`.
 */
export function parseMessage(raw: Buffer): Generator<undefined, Part> {
  return new Splitter(raw).split(0, raw.length, 0, 'text/plain');
}

class Splitter {
  readonly #raw: Buffer;
  readonly #budget = new HeaderBudget();
  #parts = 0;

  constructor(raw: Buffer) {
    this.#raw = raw;
  }

  *split(start: number, end: number, depth: number, defaultType: string): Generator<undefined, Part> {
    this.#parts += 1;
    const header = yield* parseHeader(this.#raw, start, end, this.#budget);
    const bodyStart = header.end;
    const given = parseParameterised(header.get('content-type') ?? defaultType);
    const isType = /^[^/]+\/[^/]+$/.test(given.value);
    const contentType = isType ? given : { value: 'text/plain', parameters: given.parameters };
    const [type = '', subtype = ''] = contentType.value.toLowerCase().split('/');
    const encoding = parseParameterised(
      header.get('content-transfer-encoding') ?? '7bit',
    ).value.toLowerCase();
    const part = { header, start, bodyStart, end, contentType, encoding };
    const canNest = depth < MAX_DEPTH && this.#parts < MAX_PARTS;
    if (type === 'multipart') {
      const parts = canNest ? yield* this.#splitBody(contentType, bodyStart, end, depth, subtype) : [];
      if (parts.length > 0) return { ...part, type, subtype, parts, message: undefined };
      // BODYSTRUCTURE cannot say "no part": it is shown as the text that it is.
      return { ...part, type: 'text', subtype: 'plain', parts: [], message: undefined };
    }
    const isMessage = type === 'message' && subtype === 'rfc822' && canNest && isPlain(encoding);
    const message = isMessage ? yield* this.split(bodyStart, end, depth + 1, 'text/plain') : undefined;
    return { ...part, type, subtype, parts: [], message };
  }

  *#splitBody(
    contentType: Parameterised,
    start: number,
    end: number,
    depth: number,
    subtype: string,
  ): Generator<undefined, readonly Part[]> {
    const boundary = contentType.parameters.find(([name]) => name.toLowerCase() === 'boundary')?.[1];
    if (boundary === undefined || boundary === '') return [];
    const defaultType = subtype === 'digest' ? 'message/rfc822' : 'text/plain';
    const delimiter = Buffer.from(`--${boundary}`, 'latin1');
    const parts: Part[] = [];
    let from = -1;
    for (let at = start, passed = 1; ; passed += 1) {
      if (passed % CANDIDATES === 0) yield;
      at = yield* findBytes(this.#raw, delimiter, at, end);
      if (at < 0) break;
      const line = this.#delimiterAt(at, at + delimiter.length, start, end);
      at += delimiter.length;
      if (line === undefined) continue;
      if (from >= 0) parts.push(yield* this.split(from, Math.max(line.start, from), depth + 1, defaultType));
      from = line.isLast ? -1 : line.end;
      if (line.isLast || this.#parts >= MAX_PARTS) break;
      at = line.end;
    }
    if (from >= 0) parts.push(yield* this.split(from, end, depth + 1, defaultType));
    return parts;
  }

  /** The line that holds a delimiter and nothing else; `start` is in front of the line end that belongs to it. */
  #delimiterAt(
    at: number,
    behind: number,
    start: number,
    end: number,
  ): { readonly start: number; readonly end: number; readonly isLast: boolean } | undefined {
    const raw = this.#raw;
    if (at !== start && raw[at - 1] !== LF) return undefined;
    const isLast = raw[behind] === DASH && raw[behind + 1] === DASH;
    let next = isLast ? behind + 2 : behind;
    for (let blanks = 0; blanks < MAX_BLANKS && (raw[next] === SPACE || raw[next] === TAB); blanks += 1)
      next += 1;
    if (next < end) {
      if (raw[next] === CR) next += 1;
      if (next < end && raw[next] !== LF) return undefined;
      next += 1;
    }
    return {
      start: at === start ? at : raw[at - 2] === CR ? at - 2 : at - 1,
      end: Math.min(next, end),
      isLast,
    };
  }
}

function isPlain(encoding: string): boolean {
  return encoding === '7bit' || encoding === '8bit' || encoding === 'binary' || encoding === '';
}
