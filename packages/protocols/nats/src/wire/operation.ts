import { ERRORS, ProtocolError } from './errors.js';

/** A message that a client is about to send (NATS client protocol, "PUB" and "HPUB"): its payload follows. */
export interface PublishHead {
  readonly subject: string;
  /** Empty when there is none. */
  readonly reply: string;
  /** Bytes of the headers; 0 when there are none. */
  readonly headerSize: number;
  /** Bytes of headers and payload. */
  readonly size: number;
}

/** A control line in parts. Texts have one character per byte. */
export interface Operation {
  /** In upper case. */
  readonly name: string;
  /** What follows the name and the white space behind it. */
  readonly rest: string;
}

const SPACE = 0x20;
const TAB = 0x09;
const ZERO = 0x30;
const NINE = 0x39;

/** More digits than any size has that could be meant. */
const MAX_DIGITS = 15;

/** Parts a control line: names are in any case, and spaces or tabs stand between words. */
export function parseLine(line: Buffer): Operation {
  const text = line.toString('latin1');
  // A lone CR would come back to other clients inside a line.
  if (text.includes('\r')) throw new ProtocolError(ERRORS.parser);
  let end = 0;
  while (end < text.length && !isBlank(text.charCodeAt(end))) end += 1;
  const name = text.slice(0, end);
  let start = end;
  while (start < text.length && isBlank(text.charCodeAt(start))) start += 1;
  return { name: name === 'PUB' ? name : name.toUpperCase(), rest: text.slice(start) };
}

/** The words of a text. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  let start = -1;
  for (let at = 0; at < text.length; at += 1) {
    if (isBlank(text.charCodeAt(at))) {
      if (start >= 0) words.push(text.slice(start, at));
      start = -1;
    } else if (start < 0) start = at;
  }
  if (start >= 0) words.push(text.slice(start));
  return words;
}

/**
 * `PUB <subject> [reply-to] <size>`.
 *
 * @throws ProtocolError when it is not that, or the size is above `maxPayload`
 */
export function parsePub(rest: string, maxPayload: number): PublishHead {
  const words = splitWords(requireRest(rest));
  const [subject, second, third] = words;
  if (subject === undefined || second === undefined || words.length > 3) {
    throw new ProtocolError(ERRORS.parser);
  }
  const size = parseSize(third ?? second);
  if (size > maxPayload) throw new ProtocolError(ERRORS.payload);
  return { subject, reply: third === undefined ? '' : second, headerSize: 0, size };
}

/**
 * `HPUB <subject> [reply-to] <header size> <total size>`.
 *
 * @throws ProtocolError when it is not that, the headers are larger than the total, or the total is above `maxPayload`
 */
export function parseHpub(rest: string, maxPayload: number): PublishHead {
  const words = splitWords(requireRest(rest));
  const subject = words[0];
  const reply = words.length === 4 ? words[1] : '';
  const [header, total] = words.slice(-2);
  if (
    subject === undefined ||
    reply === undefined ||
    header === undefined ||
    total === undefined ||
    words.length < 3 ||
    words.length > 4
  ) {
    throw new ProtocolError(ERRORS.parser);
  }
  const headerSize = parseSize(header);
  const size = parseSize(total);
  if (headerSize > size) throw new ProtocolError(ERRORS.parser);
  if (size > maxPayload) throw new ProtocolError(ERRORS.payload);
  return { subject, reply, headerSize, size };
}

/** `SUB <subject> [queue group] <sid>`. @throws ProtocolError when it is not that */
export function parseSub(rest: string): { subject: string; queue: string; sid: string } {
  const words = splitWords(requireRest(rest));
  const [subject, second, third] = words;
  if (subject === undefined || second === undefined || words.length > 3) {
    throw new ProtocolError(ERRORS.parser);
  }
  return { subject, queue: third === undefined ? '' : second, sid: third ?? second };
}

/** `UNSUB <sid> [max]`; a max that is no number is none. @throws ProtocolError when it is not that */
export function parseUnsub(rest: string): { sid: string; max: number } {
  const words = splitWords(requireRest(rest));
  const [sid, max] = words;
  if (sid === undefined || words.length > 2) throw new ProtocolError(ERRORS.parser);
  return { sid, max: max !== undefined && /^\d{1,15}$/.test(max) ? Number(max) : 0 };
}

function requireRest(rest: string): string {
  if (rest === '') throw new ProtocolError(ERRORS.unknownOperation);
  return rest;
}

function parseSize(word: string): number {
  let size = 0;
  for (let at = 0; at < word.length; at += 1) {
    const code = word.charCodeAt(at);
    if (code < ZERO || code > NINE) throw new ProtocolError(ERRORS.parser);
    size = size * 10 + code - ZERO;
  }
  if (word.length > MAX_DIGITS) throw new ProtocolError(ERRORS.payload);
  return size;
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}
