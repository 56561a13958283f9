import { readScalar, UNSURE } from './quick-scalars.js';

/** Characters of a file of which the whole parser reads all in a fifth of a second. */
const LARGE = 256 * 1024;
/** Which part of the text may be left for it to be worth while. */
const MOST_LEFT = 4;
/** Members after which other work is let in. */
const STEP = 1000;
/** How many of those behind a fault are left. */
const BEHIND = 2;
/** Deeper ones are for the whole parser, which may refuse them. */
const MAX_DEPTH = 100;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_MAP = 0x7b;
const CLOSE_MAP = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/** A text without what must not stand in one, or hardly ever does. */
const QUOTED =
  /"[^"\\\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]*)*"/y;
/** A number, a truth value or null, and nothing that goes on with it. */
const WORD = /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)(?=\s*[,\]}])/y;
/** What YAML takes for a text, in one line. */
const PLAIN = /[A-Za-z0-9.](?:[\w.+ -]*[\w.+-])?(?=[ \t]*[\r\n]*\s*[,\]}])/y;
const NEXT_MEMBER = /,\s*(?="[^"\\\n]*"\s*:)/g;
const NEXT_ITEM = /,\s*(?=["{[0-9tfn-])/g;
/** A member that begins where an item or a member should have ended. */
const MEMBER = /"[^"\\\n]*"\s*:/y;

/** Thrown where only the whole parser knows whether something is wrong. */
class Unsure extends Error {}

/** An object or a list that is read. */
interface Frame {
  readonly isMap: boolean;
  /** Where its bracket stands. */
  readonly start: number;
  /** Where the member that it is the value of begins. */
  readonly memberStart: number;
  /** How many ranges there were when it began. */
  readonly ranges: number;
  /** By name, the range of its member; -1 for one that is left. */
  readonly names: Map<string, number>;
  /** The range of its newest member; -1 when that is left, or there is none. */
  last: number;
  /** How many of the next members are left. */
  leaves: number;
  /** Where the comma behind its newest member stands. */
  comma: number;
  /** Whether its own member stays, though with nothing in it when all of that is right. */
  readonly isLeft: boolean;
  /** Whether something within is left. */
  hasLeft: boolean;
}

/** What {@link scanJsonSteps} makes of a text. */
export interface ScannedJson {
  /** The text without what is right of it; undefined where that would be too much, or it knows of nothing wrong. */
  readonly narrowed?: string | undefined;
  /** The text as JSON, where it is YAML that differs in values without quotes, values that are not there and commas at an end. */
  readonly mended?: string | undefined;
}

/**
 * Leaves of a large file of JSON the members and items that may be wrong, with what they are in and what stands beside them: the whole
 * parser, which is slow, then says what is wrong with them. Where others stood are empty lines and blanks, so that every place stays the same.
 * A text without a fault never becomes one that has some. Where it knows of none, it writes what JSON has not as JSON has it.
 */
export function* scanJsonSteps(text: string): Generator<undefined, ScannedJson> {
  return text.length < LARGE ? {} : yield* scanAnyJsonSteps(text);
}

/** As {@link scanJsonSteps}, of a text of any length. */
export function* scanAnyJsonSteps(text: string): Generator<undefined, ScannedJson> {
  try {
    return yield* new NarrowedJson(text).readAll();
  } catch (thrown) {
    if (thrown instanceof Unsure) return {};
    throw thrown;
  }
}

class NarrowedJson {
  readonly #text: string;
  #at = 0;
  readonly #frames: Frame[] = [];
  /** What is left out: the beginning and the end of each range, in their order; an end of -1 is none. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** The bracket of a range that is an object or a list; -1 of others. */
  readonly #brackets: number[] = [];
  #isFaulty = false;
  /** What JSON would have in place of what stands there, in their order. */
  readonly #edits: { readonly start: number; readonly end: number; readonly text: string }[] = [];
  /** Whether something stands there of which it is not known what JSON would have. */
  #isOdd = false;

  constructor(text: string) {
    this.#text = text;
  }

  *readAll(): Generator<undefined, ScannedJson> {
    this.#skipSpace();
    if (this.#unit() !== OPEN_MAP) return {};
    this.#open(this.#at, true);
    for (let count = 1; this.#frames.length > 0; count += 1) {
      this.#readNext();
      if (count % STEP === 0) yield;
    }
    this.#skipSpace();
    // Where something stands behind the end the whole may be a key of YAML.
    if (this.#at < this.#text.length) return {};
    if (this.#isFaulty) return { narrowed: yield* this.#write() };
    return this.#isOdd || this.#edits.length === 0 ? {} : { mended: this.#mend() };
  }

  /** Reads a member or an item with the comma behind it, or the end of the frame. */
  #readNext(): void {
    const frame = this.#top();
    this.#skipSpace();
    const unit = this.#unit();
    if (unit === (frame.isMap ? CLOSE_MAP : CLOSE_LIST)) return this.#close(frame);
    if (!(unit >= 0)) return this.#endWithin();
    // What else it closes, and what is then behind its end, only the whole parser knows.
    if (unit === CLOSE_MAP || unit === CLOSE_LIST) throw new Unsure();
    if (unit === COMMA) return this.#fault(frame, this.#at);
    const start = this.#at;
    let isLeft = frame.leaves > 0;
    if (isLeft) frame.leaves -= 1;
    let name: string | undefined;
    if (frame.isMap) {
      if (unit !== QUOTE) throw new Unsure();
      const isRight = this.#readQuoted();
      isLeft ||= !isRight;
      if (isRight) {
        name = nameOf(this.#text.slice(start, this.#at));
        const before = frame.names.get(name);
        if (before !== undefined) {
          // Said of the second, as long as the first is there.
          this.#isFaulty = true;
          isLeft = true;
          this.#leave(before);
          frame.hasLeft = true;
        }
        frame.names.set(name, -1);
      }
      this.#skipSpace();
      const behind = this.#unit();
      // YAML takes it for a key without a value.
      if (behind === COMMA || behind === CLOSE_MAP) {
        this.#isOdd = true;
        return this.#end(frame, start, name, true, -1);
      }
      if (behind !== COLON) return this.#faultUnlessUnsure(frame, start);
      this.#at += 1;
      this.#skipSpace();
    }
    this.#readValue(frame, start, name, isLeft);
  }

  #readValue(frame: Frame, start: number, name: string | undefined, isLeft: boolean): void {
    const unit = this.#unit();
    if (unit === OPEN_MAP || unit === OPEN_LIST) {
      this.#open(start, isLeft);
      return;
    }
    if (unit === QUOTE) {
      const isRight = this.#readQuoted();
      return this.#end(frame, start, name, isLeft || !isRight, -1);
    }
    const value = this.#at;
    if (this.#take(WORD)) return this.#end(frame, start, name, isLeft, -1);
    // YAML takes no value for null, and a word for a text.
    if (frame.isMap && (unit === COMMA || unit === CLOSE_MAP)) {
      // Places are found by what stands in front of a comma.
      if (unit === COMMA) this.#edits.push({ start: value, end: value, text: 'null' });
      else this.#isOdd = true;
      return this.#end(frame, start, name, true, -1);
    }
    if (this.#take(PLAIN)) {
      const known = readScalar(this.#text.slice(value, this.#at));
      if (known === UNSURE) this.#isOdd = true;
      else this.#edits.push({ start: value, end: this.#at, text: JSON.stringify(known) });
      return this.#end(frame, start, name, true, -1);
    }
    this.#at = value;
    const word = /[\w.+-]+\s*/y;
    if (this.#take(word) && this.#test(MEMBER)) return this.#fault(frame, start);
    this.#at = value;
    if (!(unit >= 0)) return this.#endWithin();
    this.#faultUnlessUnsure(frame, start);
  }

  /** Behind a value: a comma, or the end of the frame. */
  #end(frame: Frame, start: number, name: string | undefined, isLeft: boolean, bracket: number): void {
    const valueEnd = this.#at;
    this.#skipSpace();
    const unit = this.#unit();
    const isEnd = unit === (frame.isMap ? CLOSE_MAP : CLOSE_LIST);
    if (unit === COMMA) {
      frame.comma = this.#at;
      this.#at += 1;
    }
    const isRight = unit === COMMA || isEnd;
    const range = isLeft || !isRight ? -1 : this.#starts.length;
    if (range >= 0) {
      if (name !== undefined) frame.names.set(name, range);
      this.#starts.push(start);
      this.#ends.push(isEnd ? valueEnd : this.#at);
      this.#brackets.push(bracket);
    } else {
      frame.hasLeft = true;
    }
    if (isRight) {
      frame.last = range;
      return;
    }
    if (!(unit >= 0)) return this.#endWithin();
    this.#faultUnlessUnsure(frame, start);
  }

  #open(memberStart: number, isLeft: boolean): void {
    if (this.#frames.length >= MAX_DEPTH) throw new Unsure();
    this.#frames.push({
      isMap: this.#unit() === OPEN_MAP,
      start: this.#at,
      memberStart,
      ranges: this.#starts.length,
      names: new Map(),
      last: -1,
      leaves: 0,
      comma: -1,
      isLeft,
      hasLeft: false,
    });
    this.#at += 1;
  }

  #close(frame: Frame): void {
    this.#frames.pop();
    // One at the end is none of JSON.
    const { comma } = frame;
    if (comma >= 0 && isBlank(this.#text, comma + 1, this.#at))
      this.#edits.push({ start: comma, end: comma + 1, text: '' });
    this.#at += 1;
    const outer = this.#frames.at(-1);
    if (outer === undefined) return;
    const isRight = !frame.isLeft && !frame.hasLeft;
    if (isRight) this.#starts.length = this.#ends.length = this.#brackets.length = frame.ranges;
    const name = outer.isMap ? this.#nameAt(frame.memberStart) : undefined;
    this.#end(outer, frame.memberStart, name, !isRight, frame.start);
  }

  /** The name of a member; undefined when it is none that is known. */
  #nameAt(start: number): string | undefined {
    QUOTED.lastIndex = start;
    const found = QUOTED.exec(this.#text)?.[0];
    return found === undefined ? undefined : nameOf(found);
  }

  /** What is wrong is left from a place on, with what is beside it, and it goes on with the next member or item that can be told. */
  #fault(frame: Frame, start: number): void {
    this.#isFaulty = true;
    if (frame.last >= 0) this.#leave(frame.last);
    frame.last = -1;
    frame.leaves = BEHIND;
    for (const each of this.#frames) each.hasLeft = true;
    // A comma too few or too many hides nothing of what follows.
    if (frame.isMap && this.#test(MEMBER) && this.#at > start) return;
    if (this.#unit() === COMMA && this.#at === start) {
      this.#at += 1;
      return;
    }
    const next = frame.isMap ? NEXT_MEMBER : NEXT_ITEM;
    next.lastIndex = Math.max(this.#at, start + 1);
    const found = next.exec(this.#text);
    if (found === null) return this.#endWithin();
    this.#at = next.lastIndex;
  }

  #faultUnlessUnsure(frame: Frame, start: number): void {
    // What else may stand here is no JSON, and may be YAML.
    const unit = this.#text.charAt(this.#at);
    const isWrong = frame.isMap ? /[{[,:"\w;]/.test(unit) : /[{[,"\w;]/.test(unit);
    if (!isWrong) throw new Unsure();
    this.#fault(frame, start);
  }

  /** The text ends, or nothing more of it can be told apart, before all is closed. */
  #endWithin(): void {
    this.#isFaulty = true;
    for (const { last } of this.#frames) if (last >= 0) this.#leave(last);
    this.#frames.length = 0;
    this.#at = this.#text.length;
  }

  /** Leaves a member that was to be left out; of an object or a list the brackets alone. */
  #leave(range: number): void {
    if (range < 0) return;
    const bracket = this.#brackets[range] ?? -1;
    const end = this.#ends[range] ?? -1;
    if (bracket < 0) {
      this.#ends[range] = -1;
      return;
    }
    const close = this.#text.charCodeAt(bracket) === OPEN_MAP ? '}' : ']';
    this.#starts[range] = bracket + 1;
    this.#ends[range] = this.#text.lastIndexOf(close, end - 1);
    this.#brackets[range] = -1;
  }

  /** Reads a text. @returns whether it is right */
  #readQuoted(): boolean {
    if (this.#take(QUOTED)) return true;
    let at = this.#at + 1;
    for (; at < this.#text.length && this.#text.charCodeAt(at) !== QUOTE; at += 1)
      if (this.#text.charCodeAt(at) === BACKSLASH) at += 1;
    // One that goes on over lines, or has an unknown escape: YAML knows more of them.
    this.#isFaulty = true;
    this.#at = Math.min(at + 1, this.#text.length);
    return false;
  }

  #take(expression: RegExp): boolean {
    expression.lastIndex = this.#at;
    if (!expression.test(this.#text)) return false;
    this.#at = expression.lastIndex;
    return true;
  }

  #test(expression: RegExp): boolean {
    expression.lastIndex = this.#at;
    return expression.test(this.#text);
  }

  #skipSpace(): void {
    let at = this.#at;
    for (let unit = this.#text.charCodeAt(at); isSpace(unit); unit = this.#text.charCodeAt(at)) at += 1;
    this.#at = at;
  }

  #unit(): number {
    return this.#text.charCodeAt(this.#at);
  }

  #top(): Frame {
    const top = this.#frames.at(-1);
    if (top === undefined) throw new Error('nothing is open');
    return top;
  }

  #mend(): string {
    const made: string[] = [];
    let at = 0;
    for (const { start, end, text } of this.#edits) {
      made.push(this.#text.slice(at, start), text);
      at = end;
    }
    made.push(this.#text.slice(at));
    return made.join('');
  }

  /** The text with blanks in place of what is left out; undefined when that is not worth while. */
  *#write(): Generator<undefined, string | undefined> {
    const text = this.#text;
    const kept: string[] = [];
    let left = 0;
    let at = 0;
    let index = 0;
    const count = this.#starts.length;
    while (index < count) {
      const start = this.#starts[index] ?? 0;
      let end = this.#ends[index] ?? -1;
      index += 1;
      if (end <= start) continue;
      // With the next ones, where there is nothing between.
      for (; index < count; index += 1) {
        const nextEnd = this.#ends[index] ?? -1;
        if (nextEnd < 0) continue;
        if (!isBlank(text, end, this.#starts[index] ?? 0)) break;
        end = Math.max(end, nextEnd);
      }
      left += start - at;
      kept.push(text.slice(at, start), blanks(text, start, end));
      at = end;
      if (index % STEP === 0) yield;
    }
    left += text.length - at;
    kept.push(text.slice(at));
    yield;
    return left * MOST_LEFT > text.length ? undefined : kept.join('');
  }
}

/** As many lines as a range has, and as many blanks as stand on the last of them. */
function blanks(text: string, start: number, end: number): string {
  let lines = 0;
  let line = start;
  for (let at = text.indexOf('\n', start); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) {
    lines += 1;
    line = at + 1;
  }
  return '\n'.repeat(lines) + ' '.repeat(end - line);
}

function isBlank(text: string, from: number, to: number): boolean {
  let at = from;
  while (at < to && isSpace(text.charCodeAt(at))) at += 1;
  return at >= to;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

function nameOf(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}
