import { isInClass } from './pattern-classes.js';

/** Calls of the matcher of C within each other, one for each item of a pattern that varies. */
const MAX_DEPTH = 200;
const MAX_CAPTURES = 32;
const UNFINISHED = -1;
const POSITION = -2;
const NO_MATCH = -1;

const OPEN = 0x28;
const CLOSE = 0x29;
const STAR = 0x2a;
const PLUS = 0x2b;
const MINUS = 0x2d;
const DOT = 0x2e;
const DOLLAR = 0x24;
const ESCAPE = 0x25;
const QUESTION = 0x3f;
const BRACKET = 0x5b;
const BRACKET_END = 0x5d;
const CARET = 0x5e;
const LETTER_B = 0x62;
const LETTER_F = 0x66;

/** The steps that were allowed are used up, or the pattern has too many items for the stack. */
export class PatternLimit extends Error {
  override readonly name = 'PatternLimit';
}

/** The pattern is wrong: C meets the same place, and says so. */
export class MalformedPattern extends Error {
  override readonly name = 'MalformedPattern';
}

/**
 * Goes the way of the matcher of Lua 5.1 (lstrlib.c), in its order, and counts the steps: a step is a byte of the subject
 * that is compared, or a byte of the pattern that is looked at. The pattern ends with a zero, as it does in C.
 */
export class PatternSteps {
  readonly #bytes: Uint8Array;
  readonly #start: number;
  readonly #end: number;
  readonly #begins = new Array<number>(MAX_CAPTURES).fill(0);
  readonly #lengths = new Array<number>(MAX_CAPTURES).fill(0);
  #level = 0;
  #depth = 0;
  #left: number;

  /**
   * @param bytes - the memory of Lua, in which pattern and subject are
   * @param start - where the subject begins
   * @param end - where it ends; the byte there is zero
   * @param most - how many steps may be done
   */
  constructor(bytes: Uint8Array, start: number, end: number, most: number) {
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
    this.#left = most;
  }

  /** Counts steps that were done elsewhere. @throws PatternLimit */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new PatternLimit('too many steps');
  }

  /** Where a match that begins at `at` ends; -1 when there is none. @throws PatternLimit, MalformedPattern */
  match(at: number, pattern: number): number {
    this.#level = 0;
    this.#depth = 0;
    return this.#match(at, pattern);
  }

  #match(at: number, pattern: number): number {
    if (this.#depth >= MAX_DEPTH) throw new PatternLimit('too many items');
    this.#depth += 1;
    const end = this.#matchItems(at, pattern);
    this.#depth -= 1;
    return end;
  }

  #matchItems(begin: number, first: number): number {
    const bytes = this.#bytes;
    let at = begin;
    let p = first;
    for (;;) {
      this.spend(1);
      const kind = this.#byte(p);
      const next = this.#byte(p + 1);
      if (kind === 0) return at;
      if (kind === OPEN)
        return next === CLOSE ? this.#open(at, p + 2, POSITION) : this.#open(at, p + 1, UNFINISHED);
      if (kind === CLOSE) return this.#close(at, p + 1);
      if (kind === DOLLAR && next === 0) return at === this.#end ? at : NO_MATCH;
      if (kind === ESCAPE && next === LETTER_B) {
        at = this.#balance(at, p + 2);
        if (at < 0) return NO_MATCH;
        p += 4;
        continue;
      }
      if (kind === ESCAPE && next === LETTER_F) {
        if (this.#byte(p + 2) !== BRACKET) throw new MalformedPattern();
        const end = this.#itemEnd(p + 2);
        const before = at === this.#start ? 0 : this.#byte(at - 1);
        if (this.#isInSet(before, p + 2, end - 1) || !this.#isInSet(this.#byte(at), p + 2, end - 1))
          return NO_MATCH;
        p = end;
        continue;
      }
      if (kind === ESCAPE && next >= 0x30 && next <= 0x39) {
        at = this.#repeat(at, next - 0x31);
        if (at < 0) return NO_MATCH;
        p += 2;
        continue;
      }
      const end = this.#itemEnd(p);
      const suffix = bytes[end];
      if (suffix === STAR) return this.#expand(at, p, end);
      if (suffix === MINUS) return this.#expandLeast(at, p, end);
      const isOne = at < this.#end && this.#isOne(this.#byte(at), p, end);
      if (suffix === PLUS) return isOne ? this.#expand(at + 1, p, end) : NO_MATCH;
      if (suffix === QUESTION) {
        const found = isOne ? this.#match(at + 1, end + 1) : NO_MATCH;
        if (found >= 0) return found;
        p = end + 1;
        continue;
      }
      if (!isOne) return NO_MATCH;
      at += 1;
      p = end;
    }
  }

  /** As many as there are, then one less, and so on. */
  #expand(at: number, p: number, end: number): number {
    let count = 0;
    while (at + count < this.#end && this.#isOne(this.#byte(at + count), p, end)) count += 1;
    for (; count >= 0; count -= 1) {
      const found = this.#match(at + count, end + 1);
      if (found >= 0) return found;
    }
    return NO_MATCH;
  }

  /** None, then one more, and so on. */
  #expandLeast(begin: number, p: number, end: number): number {
    for (let at = begin; ; at += 1) {
      const found = this.#match(at, end + 1);
      if (found >= 0) return found;
      if (at >= this.#end || !this.#isOne(this.#byte(at), p, end)) return NO_MATCH;
    }
  }

  #open(at: number, p: number, length: number): number {
    if (this.#level >= MAX_CAPTURES) throw new MalformedPattern();
    this.#begins[this.#level] = at;
    this.#lengths[this.#level] = length;
    this.#level += 1;
    const found = this.#match(at, p);
    if (found < 0) this.#level -= 1;
    return found;
  }

  #close(at: number, p: number): number {
    let level = this.#level - 1;
    while (level >= 0 && this.#lengths[level] !== UNFINISHED) level -= 1;
    if (level < 0) throw new MalformedPattern();
    this.#lengths[level] = at - (this.#begins[level] ?? 0);
    const found = this.#match(at, p);
    if (found < 0) this.#lengths[level] = UNFINISHED;
    return found;
  }

  /** What a capture has, once more. */
  #repeat(at: number, level: number): number {
    const length = this.#lengths[level] ?? UNFINISHED;
    if (level < 0 || level >= this.#level || length === UNFINISHED) throw new MalformedPattern();
    if (length === POSITION || this.#end - at < length) return NO_MATCH;
    const begin = this.#begins[level] ?? 0;
    let same = 0;
    while (same < length && this.#byte(begin + same) === this.#byte(at + same)) same += 1;
    this.spend(same);
    return same === length ? at + length : NO_MATCH;
  }

  #balance(begin: number, p: number): number {
    const opening = this.#byte(p);
    const closing = this.#byte(p + 1);
    if (opening === 0 || closing === 0) throw new MalformedPattern();
    if (this.#byte(begin) !== opening) return NO_MATCH;
    let open = 1;
    for (let at = begin + 1; at < this.#end; at += 1) {
      this.spend(1);
      const byte = this.#byte(at);
      if (byte === closing) {
        open -= 1;
        if (open === 0) return at + 1;
      } else if (byte === opening) open += 1;
    }
    return NO_MATCH;
  }

  /** Where the item that stands for one byte ends. */
  #itemEnd(begin: number): number {
    const kind = this.#byte(begin);
    let p = begin + 1;
    if (kind === ESCAPE) {
      if (this.#byte(p) === 0) throw new MalformedPattern();
      return p + 1;
    }
    if (kind !== BRACKET) return p;
    if (this.#byte(p) === CARET) p += 1;
    do {
      const byte = this.#byte(p);
      if (byte === 0) throw new MalformedPattern();
      p += byte === ESCAPE && this.#byte(p + 1) !== 0 ? 2 : 1;
    } while (this.#byte(p) !== BRACKET_END);
    this.spend(p - begin);
    return p + 1;
  }

  /** Whether a byte is what an item stands for. */
  #isOne(byte: number, p: number, end: number): boolean {
    this.spend(1);
    const kind = this.#byte(p);
    if (kind === DOT) return true;
    if (kind === ESCAPE) return isInClass(byte, this.#byte(p + 1));
    if (kind === BRACKET) return this.#isInSet(byte, p, end - 1);
    return kind === byte;
  }

  /** Whether a byte is in the set from the bracket at `begin` to that at `end`. */
  #isInSet(byte: number, begin: number, end: number): boolean {
    const isMeant = this.#byte(begin + 1) !== CARET;
    let p = isMeant ? begin + 1 : begin + 2;
    for (; p < end; p += 1) {
      this.spend(1);
      const one = this.#byte(p);
      if (one === ESCAPE) {
        p += 1;
        if (isInClass(byte, this.#byte(p))) return isMeant;
      } else if (this.#byte(p + 1) === MINUS && p + 2 < end) {
        p += 2;
        if (one <= byte && byte <= this.#byte(p)) return isMeant;
      } else if (one === byte) return isMeant;
    }
    return !isMeant;
  }

  #byte(at: number): number {
    return this.#bytes[at] ?? 0;
  }
}
