import type { PiecedText } from '../contract/context.js';

/** Finds a text in others; see {@link createFinder}. */
export interface TextFinder {
  readonly text: string;
  /** Where the text first stands in another from a place on; -1 when it does not. */
  findIn(value: string, from?: number): number;
}

/**
 * The engine's own search is several times faster than ours on ordinary texts, but on repetitive ones it compares up to
 * this many characters at each place. What it may compare at worst is bounded; ours reads each character once.
 */
const MAX_COMPARED_AT_ONE_PLACE = 250;
const MAX_COMPARED = 10_000_000;
/** So short that the engine's search is linear enough. */
const SHORT = 6;
/** So many characters are read at once. */
const PIECE = 32 * 1024;

/** Prepares the search for a text, whose time grows with both texts' lengths and not with their product. */
export function createFinder(text: string): TextFinder {
  const perPlace = text.length <= SHORT ? 0 : Math.min(text.length, MAX_COMPARED_AT_ONE_PLACE);
  let wanted: Wanted | undefined;
  return {
    text,
    findIn: (value, from = 0) =>
      (value.length - from) * perPlace <= MAX_COMPARED
        ? value.indexOf(text, from)
        : findLinearly(value, (wanted ??= { units: unitsOf(text), borders: borderTable(text) }), from),
  };
}

/**
 * Finds texts one behind the other in a long text that is made a piece at a time, from a place on. Yields between two pieces.
 *
 * @returns where the last of them ends; -1 when not all are there
 */
export function* findInPieces(
  text: PiecedText,
  finders: readonly TextFinder[],
  from: number,
): Generator<undefined, number> {
  let place = from;
  let index = 0;
  /** What was made and not passed, and where it begins. */
  let held = '';
  let start = 0;
  for (const piece of text.pieces()) {
    held += piece;
    for (; index < finders.length; index += 1) {
      const finder = finders[index];
      if (finder === undefined) break;
      const found = finder.findIn(held, Math.min(Math.max(place - start, 0), held.length));
      if (found < 0) break;
      place = start + found + finder.text.length;
    }
    const next = finders[index];
    if (next === undefined) return place;
    // Of what is passed as much stays as the text may begin in.
    const passed = Math.max(0, held.length - Math.max(next.text.length - 1, 0));
    held = held.slice(passed);
    start += passed;
    yield;
  }
  return index === finders.length ? place : -1;
}

/** For each place of a text, the length of the longest start of it that ends there and begins later. */
function borderTable(text: string): Int32Array {
  const table = new Int32Array(text.length);
  let length = 0;
  for (let index = 1; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    while (length > 0 && unit !== text.charCodeAt(length)) length = table[length - 1] ?? 0;
    if (unit === text.charCodeAt(length)) length += 1;
    table[index] = length;
  }
  return table;
}

/** What is looked for, as {@link findLinearly} reads it. */
interface Wanted {
  readonly units: Uint16Array;
  readonly borders: Int32Array;
}

function unitsOf(text: string): Uint16Array {
  return Uint16Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
}

/**
 * The search of Knuth, Morris and Pratt ("Fast pattern matching in strings", 1977). It reads the characters from memory, a
 * piece at a time, which takes a third of asking the string for each.
 */
function findLinearly(value: string, wanted: Wanted, from: number): number {
  const read = new Uint16Array(Math.min(PIECE, value.length - from));
  const bytes = Buffer.from(read.buffer);
  const { length } = wanted.units;
  let matched = 0;
  for (let start = from; start < value.length; start += PIECE) {
    const count = bytes.write(value.slice(start, start + PIECE), 'utf16le') / 2;
    const end = findInPiece(read, count, wanted, matched);
    if (end >= 0) return start + end - length;
    matched = ~end;
  }
  return -1;
}

/** Gives where the text ends, or the complement of how much of it has matched at the end of the piece. */
function findInPiece(read: Uint16Array, count: number, { units, borders }: Wanted, before: number): number {
  const { length } = units;
  let matched = before;
  // Kept at hand, since at most places it is all that is compared.
  let wanted = units[matched];
  for (let index = 0; index < count; index += 1) {
    const unit = read[index];
    while (unit !== wanted && matched > 0) {
      matched = borders[matched - 1] ?? 0;
      wanted = units[matched];
    }
    if (unit !== wanted) continue;
    matched += 1;
    if (matched === length) return index + 1;
    wanted = units[matched];
  }
  return ~matched;
}
