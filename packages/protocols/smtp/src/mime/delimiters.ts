import { STEP } from './bounds.js';

const LINE_START = Buffer.from('\n--');
const DASH = 45;
const CR = 13;
const LF = 10;
/** White space behind a boundary; more than a line may hold is none. */
const MAX_BLANKS = 1000;

/** A multipart whose end has not come. */
export interface Open {
  /** `--` and the boundary. */
  readonly delimiter: Buffer;
}

/** A line that separates parts (RFC 2046, 5.1). */
export interface Delimiter {
  readonly start: number;
  /** Behind its line end. */
  readonly next: number;
  /** Which of the open multiparts it belongs to. */
  readonly level: number;
  /** Whether no part of that one follows. */
  readonly isLast: boolean;
}

/** The delimiter that the line at `start` is; the innermost multipart is asked first. */
export function delimiterAt(raw: Buffer, start: number, open: readonly Open[]): Delimiter | undefined {
  if (raw[start] !== DASH || raw[start + 1] !== DASH) return undefined;
  for (let level = open.length - 1; level >= 0; level -= 1) {
    const { delimiter } = open[level] ?? { delimiter: LINE_START };
    const end = start + delimiter.length;
    if (raw[start + 2] !== delimiter[2] || raw[end - 1] !== delimiter[delimiter.length - 1]) continue;
    if (raw.compare(delimiter, 0, delimiter.length, start, end) !== 0) continue;
    const isLast = raw[end] === DASH && raw[end + 1] === DASH;
    const next = endOfBlanks(raw, isLast ? end + 2 : end);
    if (next >= 0) return { start, next, level, isLast };
  }
  return undefined;
}

/** The next delimiter at or behind `from`, which is the start of a line. Yields now and then, see `runInSlices`. */
export function* findDelimiter(
  raw: Buffer,
  from: number,
  open: readonly Open[],
): Generator<undefined, Delimiter | undefined> {
  if (open.length === 0) return undefined;
  const first = delimiterAt(raw, from, open);
  if (first !== undefined) return first;
  let passed = 0;
  for (let at = from; at < raw.length;) {
    const to = Math.min(at + STEP, raw.length);
    const found = raw.subarray(at, to).indexOf(LINE_START);
    if (found < 0) {
      // What begins at the very end of this piece is looked at with the next.
      at = to === raw.length ? to : to - LINE_START.length + 1;
    } else {
      const line = at + found + 1;
      const delimiter = delimiterAt(raw, line, open);
      if (delimiter !== undefined) return delimiter;
      at = line;
      passed += 1;
      if (passed % 256 !== 0) continue;
    }
    yield;
  }
  return undefined;
}

/** Behind the end of a line that holds nothing more; -1 when it does. */
function endOfBlanks(raw: Buffer, start: number): number {
  let at = start;
  while ((raw[at] === 32 || raw[at] === 9) && at - start < MAX_BLANKS) at += 1;
  if (at >= raw.length) return raw.length;
  if (raw[at] === LF) return at + 1;
  return raw[at] === CR && raw[at + 1] === LF ? at + 2 : -1;
}
