import { GlobSegment, type GlobElement } from './glob-segment.js';

/** Characters of a text that are looked at in one step. */
const STEP = 64 * 1024;

/**
 * A pattern of Redis (redis.io, command page of KEYS): `*`, `?`, `[a-z]`, `[^a]`, and a backslash before what is
 * meant as it is. Matching reads a text once: the parts between stars are searched for one behind the other, and none
 * is ever searched for again.
 */
export class Glob {
  /** The plain text that every match begins with. */
  readonly prefix: string;
  /** The plain text that every match ends with. */
  readonly suffix: string;
  /** Whether every text matches. */
  readonly isAny: boolean;
  readonly #first: GlobSegment;
  readonly #last: GlobSegment | undefined;
  readonly #middle: readonly GlobSegment[];
  /** Characters that a match has at least. */
  readonly #shortest: number;

  constructor(pattern: string) {
    const [first = new GlobSegment([]), ...others] = splitAtStars(pattern);
    this.#first = first;
    this.#last = others.at(-1);
    this.#middle = others.slice(0, -1);
    this.prefix = first.start;
    this.suffix = (this.#last ?? first).end;
    this.#shortest = [first, ...others].reduce((sum, { length }) => sum + length, 0);
    this.isAny = others.length > 0 && this.#shortest === 0;
  }

  /** Bytes that it may take in memory. */
  get bytes(): number {
    return [this.#first, ...this.#middle, this.#last].reduce(
      (sum, segment) => sum + (segment?.bytes ?? 0),
      0,
    );
  }

  /** Whether a text matches. */
  test(text: string): boolean {
    const limit = this.#middleEnd(text);
    if (limit < 0) return false;
    let from = this.#first.length;
    for (const segment of this.#middle) {
      const found = segment.goOn(text, segment.search(from), Infinity, limit) ?? -1;
      if (found < 0) return false;
      from = found + segment.length;
    }
    return true;
  }

  /** Whether a text of any length matches, found out step by step when it is long. */
  *testInSteps(text: string): Generator<undefined, boolean> {
    if (text.length <= STEP) return this.test(text);
    const limit = this.#middleEnd(text);
    if (limit < 0) return false;
    let from = this.#first.length;
    for (const segment of this.#middle) {
      const search = segment.search(from);
      let found: number | undefined;
      while ((found = segment.goOn(text, search, STEP, limit)) === undefined) yield;
      if (found < 0) return false;
      from = found + segment.length;
    }
    return true;
  }

  /** Where the parts between the first and the last star have to end; -1 when the ends of the text do not match. */
  #middleEnd(text: string): number {
    if (text.length < this.#shortest || !this.#first.fitsAt(text, 0)) return -1;
    const last = this.#last;
    if (last === undefined) return text.length === this.#first.length ? text.length : -1;
    const end = text.length - last.length;
    return last.fitsAt(text, end) ? end : -1;
  }
}

function splitAtStars(pattern: string): GlobSegment[] {
  const segments: GlobSegment[] = [];
  let elements: GlobElement[] = [];
  for (let at = 0; at < pattern.length;) {
    const char = pattern.charAt(at);
    if (char === '*') {
      // Stars in a row are one.
      if (elements.length > 0 || segments.length === 0) segments.push(new GlobSegment(elements));
      elements = [];
      at += 1;
    } else if (char === '[') {
      const read = readClass(pattern, at + 1);
      elements.push(read.element);
      at = read.next;
    } else {
      const plain = char === '\\' && at + 1 < pattern.length ? at + 1 : at;
      elements.push(plain === at && char === '?' ? () => true : pattern.charAt(plain));
      at = plain + 1;
    }
  }
  return [...segments, new GlobSegment(elements)];
}

/** A class without an end goes on to the end of the pattern. */
function readClass(pattern: string, start: number): { readonly element: GlobElement; readonly next: number } {
  let at = start;
  const isNot = pattern[at] === '^';
  if (isNot) at += 1;
  const ranges: (readonly [low: number, high: number])[] = [];
  for (; at < pattern.length && pattern[at] !== ']'; at += 1) {
    if (pattern[at] === '\\' && at + 1 < pattern.length) at += 1;
    else if (pattern[at + 1] === '-' && at + 2 < pattern.length) {
      const [one, two] = [pattern.charCodeAt(at), pattern.charCodeAt(at + 2)];
      ranges.push([Math.min(one, two), Math.max(one, two)]);
      at += 2;
      continue;
    }
    ranges.push([pattern.charCodeAt(at), pattern.charCodeAt(at)]);
  }
  const isIn = (code: number): boolean => ranges.some(([low, high]) => code >= low && code <= high);
  return { element: (code) => isIn(code) !== isNot, next: Math.min(at + 1, pattern.length) };
}
