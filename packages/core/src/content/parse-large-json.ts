import { invalid } from '../errors.js';
import { findJsonFault, type JsonFault } from './json-position.js';
import { MAX_BODY_DEPTH, tooDeep } from './nesting.js';

/** Characters that are parsed at once; what is longer is taken apart. */
const PIECE = 32 * 1024;
/** How much a text may hold. */
interface JsonBounds {
  /** Members of one object: whoever goes through it does so at once. */
  readonly members: number;
  /** Values of the whole text: each takes memory, however short it is written. */
  readonly values: number;
}

const OF_REQUESTS: JsonBounds = { members: 100_000, values: 2_000_000 };
/** Characters that are looked at before others are let in. */
const STRIDE = 256 * 1024;
/** Characters of a text in which its end is looked for one by one: behind them the engine's own search is quicker. */
const NEAR = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** What keeps a text from being JSON, where it was found. */
export class JsonFaultError extends Error {
  constructor(readonly fault: JsonFault) {
    super(fault.expected);
  }
}

/**
 * Parses a long JSON text piece by piece, with a step between pieces: short lists and objects by the language's own
 * parser, and many short members of a long one together.
 *
 * @param piece - characters that are parsed at once
 * @param bounds - how much it may hold: what is sent by a client 100,000 members of an object, and 2,000,000 values
 * @throws BacklotError `invalid` when it is nested too deep or holds more; JsonFaultError when it is no JSON
 */
export function* parseLargeJson(
  text: string,
  piece = PIECE,
  bounds = OF_REQUESTS,
): Generator<undefined, unknown> {
  const ends = yield* findLongContainers(text, piece, bounds.values);
  yield;
  const parser = new LargeParser(text, ends, piece, bounds.members);
  const start = skipSpace(text, 0);
  yield;
  const end = ends.get(start);
  if (end === undefined) return parser.parsePiece(start, text.length, '', '');
  const value = yield* parser.parseContainer(start, end);
  const rest = skipSpace(text, end + 1);
  if (rest < text.length) throw faultAt(rest, 'the end of the text');
  return value;
}

/** Where each list and object ends that is longer than a piece, by where it begins. */
function* findLongContainers(
  text: string,
  piece: number,
  most: number,
): Generator<undefined, ReadonlyMap<number, number>> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  let values = 1;
  for (let index = 0, stop = STRIDE; index < text.length; index += 1) {
    if (index >= stop) {
      stop = index + STRIDE;
      if (values > most) throw invalid(`the body has more than ${most} values; send fewer at once`);
      yield;
    }
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) {
      index = endOfText(text, index);
    } else if (unit === COMMA) {
      values += 1;
    } else if (unit === OPEN_LIST || unit === OPEN_OBJECT) {
      open.push(index);
      values += 1;
      if (open.length > MAX_BODY_DEPTH) throw tooDeep(Buffer.byteLength(text.slice(0, index)));
    } else if (unit === CLOSE_LIST || unit === CLOSE_OBJECT) {
      const start = open.pop();
      if (start !== undefined && index - start > piece) ends.set(start, index);
    }
  }
  // What never ends goes to the end of the text, and is found out there.
  for (const start of open) ends.set(start, text.length);
  return ends;
}

class LargeParser {
  constructor(
    private readonly text: string,
    private readonly ends: ReadonlyMap<number, number>,
    private readonly piece: number,
    private readonly most: number,
  ) {}

  *parseContainer(start: number, end: number): Generator<undefined, unknown> {
    const isList = this.text.charCodeAt(start) === OPEN_LIST;
    const close = isList ? ']' : '}';
    const list: unknown[] = [];
    const object: Record<string, unknown> = {};
    let members = 0;
    const count = (more: number): void => {
      members += more;
      if (members > this.most)
        throw invalid(`the body has an object of more than ${this.most} members; send fewer at once`);
    };
    /** Where the members begin that are not taken yet, and whether one must follow since a comma came. */
    let from = start + 1;
    let isOwed = false;
    const take = (to: number, isRequired = isOwed): void => {
      if (isBlank(this.text, from, to)) {
        if (isRequired) throw faultAt(to, isList ? 'a JSON value' : 'a name in double quotes');
        return;
      }
      if (isList) {
        for (const item of this.parsePiece(from, to, '[', ']') as unknown[]) list.push(item);
      } else {
        const entries = Object.entries(this.parsePiece(from, to, '{', '}') as object);
        count(entries.length);
        for (const [name, value] of entries) setMember(object, name, value);
      }
    };
    for (let index = from; index < end; index += 1) {
      const unit = this.text.charCodeAt(index);
      if (unit === QUOTE) {
        index = endOfText(this.text, index);
      } else if (unit === COMMA && index - from >= this.piece) {
        take(index, true);
        from = index + 1;
        isOwed = true;
        yield;
      } else if (unit === OPEN_LIST || unit === OPEN_OBJECT) {
        const inner = this.ends.get(index);
        if (inner === undefined) {
          index = this.skipShort(index);
          continue;
        }
        // The members before the long one are taken first, up to its name.
        const before = this.startOfMember(index, from, isList);
        if (before.comma >= from) {
          take(before.comma, true);
          isOwed = true;
        }
        const name = isList ? '' : this.readName(before.comma >= from ? before.comma + 1 : from, index);
        if (isList && !isBlank(this.text, before.comma >= from ? before.comma + 1 : from, index))
          throw faultAt(index, '"," or "]"');
        const value = yield* this.parseContainer(index, inner);
        if (isList) {
          list.push(value);
        } else {
          count(1);
          setMember(object, name, value);
        }
        index = skipSpace(this.text, inner + 1);
        from = index;
        isOwed = false;
        if (index < end) {
          if (this.text.charCodeAt(index) !== COMMA) throw faultAt(index, `"," or "${close}"`);
          from = index + 1;
          isOwed = true;
        }
        yield;
      }
    }
    if (end >= this.text.length || this.text.charAt(end) !== close) {
      take(Math.min(end, this.text.length));
      throw faultAt(Math.min(end, this.text.length), `"," or "${close}"`);
    }
    take(end);
    return isList ? list : object;
  }

  /** Parses a part of the text between brackets that are added to it. */
  parsePiece(from: number, to: number, open: string, close: string): unknown {
    const piece = open + this.text.slice(from, to) + close;
    try {
      return JSON.parse(piece);
    } catch {
      const fault = findJsonFault(piece) ?? { position: 0, expected: 'a JSON value' };
      throw faultAt(from + Math.min(Math.max(fault.position - open.length, 0), to - from), fault.expected);
    }
  }

  /** The last comma before a place that is a member's value, among the members from a place on; before it when none. */
  private startOfMember(index: number, from: number, isList: boolean): { readonly comma: number } {
    let comma = from - 1;
    for (let at = from; at < index; at += 1) {
      const unit = this.text.charCodeAt(at);
      if (unit === QUOTE) at = endOfText(this.text, at);
      else if (unit === OPEN_LIST || unit === OPEN_OBJECT) at = this.skipShort(at);
      else if (unit === COMMA) comma = at;
      else if (unit === COLON && isList) throw faultAt(at, '"," or "]"');
    }
    return { comma };
  }

  /** The name of a member whose value begins at a place. */
  private readName(from: number, value: number): string {
    const start = skipSpace(this.text, from);
    if (this.text.charCodeAt(start) !== QUOTE) throw faultAt(start, 'a name in double quotes');
    const end = endOfText(this.text, start);
    const colon = skipSpace(this.text, end + 1);
    if (this.text.charCodeAt(colon) !== COLON) throw faultAt(colon, '":"');
    if (skipSpace(this.text, colon + 1) !== value) throw faultAt(colon + 1, 'a JSON value');
    return this.parsePiece(start, end + 1, '', '') as string;
  }

  /** The bracket that closes a short list or object. */
  private skipShort(start: number): number {
    let depth = 0;
    for (let index = start; index < this.text.length; index += 1) {
      const unit = this.text.charCodeAt(index);
      if (unit === QUOTE) index = endOfText(this.text, index);
      else if (unit === OPEN_LIST || unit === OPEN_OBJECT) depth += 1;
      else if (unit === CLOSE_LIST || unit === CLOSE_OBJECT) {
        depth -= 1;
        if (depth === 0) return index;
      }
    }
    return this.text.length;
  }
}

/** Where the quote stands that ends a text which begins with one; the end when it never does. */
export function endOfText(text: string, start: number): number {
  for (let index = start + 1; index < text.length;) {
    const stop = Math.min(index + NEAR, text.length);
    for (; index < stop; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit === QUOTE) return index;
      if (unit === BACKSLASH) index += 1;
    }
    const quote = text.indexOf('"', index);
    if (quote < 0) break;
    let first = quote;
    while (first > index && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((quote - first) % 2 === 0) return quote;
    index = quote + 1;
  }
  return text.length;
}

function skipSpace(text: string, from: number): number {
  let index = from;
  while (isSpace(text.charCodeAt(index))) index += 1;
  return index;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

function isBlank(text: string, from: number, to: number): boolean {
  return skipSpace(text, from) >= to;
}

/** Sets a member as `JSON.parse` does, whatever its name. */
function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[name] = value;
  }
}

function faultAt(position: number, expected: string): JsonFaultError {
  return new JsonFaultError({ position, expected });
}
