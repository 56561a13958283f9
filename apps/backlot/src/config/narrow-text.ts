import { isRightScalar, readKey } from './quick-scalars.js';

/** Characters of a file of which the whole parser reads all in a fifth of a second. */
const LARGE = 256 * 1024;
/** Which part of the lines may be left for it to be worth while. */
const MOST_LEFT = 4;
/** Lines after which other work is let in. */
const STEP = 2000;

/** A character that means something of its own, or must not stand in a file. */
const ODD = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;
/** What begins or ends a document, or is a directive. */
const MARKER = /^(?:---|\.\.\.|%)/;
const LITERAL = /^[|>][+-]?$/;
/** Begins nothing that goes on over lines but a plain text, to which it does not matter when less of it is left. */
const PLAIN_LINE = /^[^"'[\]{}|>&*!?%@`#,]*$/;

/** A key or the mark of an item whose value is on the lines below, or the file. */
interface Frame {
  readonly indent: number;
  readonly line: number;
  readonly isKey: boolean;
  /** Where its keys or items stand, and which of them it has; undefined before the first. */
  childIndent?: number;
  hasItems?: boolean;
  /** The lines of its keys, to find one that is there twice. */
  readonly keys: Map<string, number>;
}

/**
 * Leaves of a large file of YAML the keys and items that may be wrong, with what they are in and what stands beside them: the whole
 * parser, which is slow, then says what is wrong with them. Where others stood are empty lines, so that every place stays the same.
 *
 * @returns undefined where it would leave too much, or knows of nothing wrong. A text without a fault never becomes one that has some
 */
export function* narrowSteps(text: string): Generator<undefined, string | undefined> {
  return text.length < LARGE ? undefined : yield* narrowAnySteps(text);
}

/** As {@link narrowSteps}, of a text of any length. */
export function* narrowAnySteps(text: string): Generator<undefined, string | undefined> {
  const narrowed = new Narrowed(text.split('\n'));
  yield;
  return yield* narrowed.readAll();
}

class Narrowed {
  readonly #lines: readonly string[];
  /** The line with the key or item that each line is in; -1 for the file. */
  readonly #parents: Int32Array;
  /** Behind the last line of a value that begins on a line. */
  readonly #ends: Int32Array;
  readonly #isLeft: Uint8Array;
  #left = 0;
  #frames: Frame[] = [{ indent: -1, line: -1, isKey: true, keys: new Map() }];
  /** The last line with something on it. */
  #last = -1;
  /** Whether the line that is read is left: it stands behind a fault, or its key is there twice. */
  #leavesNext = false;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
    this.#parents = new Int32Array(lines.length).fill(-1);
    this.#ends = new Int32Array(lines.length);
    this.#isLeft = new Uint8Array(lines.length);
  }

  *readAll(): Generator<undefined, string | undefined> {
    const lines = this.#lines;
    let pause = STEP;
    for (let index = 0; index < lines.length;) {
      if (index >= pause) {
        pause = index + STEP;
        if (this.#left * MOST_LEFT > lines.length) return undefined;
        yield;
      }
      const row = this.#rowAt(index);
      const indent = firstColumn(row);
      if (indent < 0 || row.charAt(indent) === '#') {
        index += 1;
        continue;
      }
      const isFirst = this.#last < 0;
      if (MARKER.test(row)) {
        if (!isFirst || row !== '---') return undefined;
        this.#leave(index);
        index += 1;
        continue;
      }
      // Between brackets and quotes that are the file itself columns mean nothing.
      if (isFirst && /^["'[{]/.test(row.slice(indent))) return undefined;
      const end = this.#readEntry(index, indent, row);
      this.#last = end - 1;
      index = end;
    }
    if (this.#left === 0 || this.#left * MOST_LEFT > lines.length) return undefined;
    return lines.map((line, index) => (this.#isLeft[index] === 1 ? line : '')).join('\n');
  }

  /** Reads the entry that begins on a line. @returns behind its last line; for a key or an item whose value is below, the next line */
  #readEntry(index: number, indent: number, row: string): number {
    const text = withoutComment(row.slice(indent));
    const isItem = text === '-' || text.startsWith('- ');
    const frame = this.#frameOf(indent, isItem);
    this.#parents[index] = frame.line;
    const isRight = this.#isChild(frame, indent, isItem) && !ODD.test(row);
    const end = isItem
      ? this.#readItem(index, indent, text, isRight)
      : this.#readKeyed(index, indent, text, frame, isRight);
    this.#ends[index] = end;
    for (let below = index + 1; below < end; below += 1) this.#parents[below] = index;
    if (this.#leavesNext) {
      this.#leavesNext = false;
      this.#leave(index);
    }
    return end > 0 ? end : this.#leaveFault(index, indent, text);
  }

  #readItem(index: number, indent: number, text: string, isRight: boolean): number {
    const offset = 1 + Math.max(firstColumn(text.slice(1)), 0);
    const rest = text.slice(offset);
    if (!isRight) return 0;
    const frame: Frame = { indent, line: index, isKey: false, keys: new Map() };
    if (rest === '') {
      this.#frames.push(frame);
      return index + 1;
    }
    if (readKey(rest, 0) === undefined)
      return rest === '-' || rest.startsWith('- ') ? 0 : this.#endOf(index, indent, rest);
    // A mapping that begins on the line of its mark.
    frame.childIndent = indent + offset;
    frame.hasItems = false;
    this.#frames.push(frame);
    return this.#readKeyed(index, indent + offset, rest, frame, true);
  }

  #readKeyed(index: number, indent: number, text: string, frame: Frame, isRight: boolean): number {
    const found = isRight ? readKey(text, 0) : undefined;
    if (found === undefined) return 0;
    const before = frame.keys.get(found.key);
    if (before === undefined) frame.keys.set(found.key, index);
    else {
      this.#leave(before);
      this.#leavesNext = true;
    }
    const value = text.slice(found.end);
    if (value !== '') return this.#endOf(index, indent, value);
    this.#frames.push({ indent, line: index, isKey: true, keys: new Map() });
    return index + 1;
  }

  /** Behind the last line of a value that begins on a line, when it is right; else 0. */
  #endOf(index: number, indent: number, value: string): number {
    return LITERAL.test(value) ? this.#endOfLiteral(index, indent) : this.#endOfScalar(index, indent, value);
  }

  #endOfLiteral(index: number, indent: number): number {
    let end = index + 1;
    let inner = -1;
    let blanks = 0;
    for (let at = index + 1; at < this.#lines.length; at += 1) {
      const row = this.#rowAt(at);
      const start = firstColumn(row);
      if (start < 0) {
        if (inner < 0) blanks = Math.max(blanks, row.length);
        continue;
      }
      if (start <= indent) break;
      if (inner < 0) inner = start;
      if (start < inner || blanks > inner || ODD.test(row)) return 0;
      end = at + 1;
    }
    return end;
  }

  #endOfScalar(index: number, indent: number, value: string): number {
    const rows = [value];
    let end = index + 1;
    for (let at = index + 1; at < this.#lines.length; at += 1) {
      const row = this.#rowAt(at);
      const start = firstColumn(row);
      if (start < 0 || row.charAt(start) === '#') continue;
      if (start <= indent) {
        const [first] = value;
        const isEnd = row.trim() === (first === '{' ? '}' : first === '[' ? ']' : undefined);
        if (start === indent && isEnd && !isRightScalar(rows.join(' '))) {
          rows.push(row.trim());
          // Blank lines and comments within are for the whole parser.
          if (end !== at) return 0;
          end = at + 1;
        }
        break;
      }
      if (end !== at || ODD.test(row)) return 0;
      rows.push(row.trim());
      end = at + 1;
    }
    return isRightScalar(rows.join(' ')) ? end : 0;
  }

  /** What a line at this column is in. */
  #frameOf(indent: number, isItem: boolean): Frame {
    for (;;) {
      const top = this.#frames.at(-1);
      if (top === undefined) throw new Error('the file itself is in nothing');
      if (top.indent < indent || (top.indent === indent && isItem && top.isKey)) return top;
      this.#frames.pop();
    }
  }

  /** Whether a line stands where what its frame holds may stand. */
  #isChild(frame: Frame, indent: number, isItem: boolean): boolean {
    frame.childIndent ??= indent;
    frame.hasItems ??= isItem;
    return frame.childIndent === indent && frame.hasItems === isItem;
  }

  /** Leaves a line that may be wrong, what is below it, and what stands beside it. @returns behind it */
  #leaveFault(index: number, indent: number, text: string): number {
    this.#leave(index);
    if (this.#last >= 0) this.#leave(this.#last);
    this.#leavesNext = true;
    if (PLAIN_LINE.test(text)) {
      // What is below may be long, and is looked through as ever.
      this.#frames.push({ indent, line: index, isKey: true, keys: new Map() });
      return index + 1;
    }
    let end = index + 1;
    for (let at = index + 1; at < this.#lines.length; at += 1) {
      const start = firstColumn(this.#rowAt(at));
      if (start >= 0 && start <= indent) break;
      if (start >= 0) end = at + 1;
    }
    this.#ends[index] = end;
    for (let at = index + 1; at < end; at += 1) {
      this.#parents[at] = index;
      this.#leaveLine(at);
    }
    return end;
  }

  /** Leaves a line with all of its value, and what that is in. */
  #leave(line: number): void {
    for (let at = line; at >= 0 && this.#isLeft[at] === 0; at = this.#parents[at] ?? -1) {
      this.#leaveLine(at);
      for (let below = at + 1; below < (this.#ends[at] ?? 0); below += 1) this.#leaveLine(below);
    }
  }

  #leaveLine(line: number): void {
    if (this.#isLeft[line] === 1) return;
    this.#isLeft[line] = 1;
    this.#left += 1;
  }

  /** A line without blanks and a carriage return at its end. */
  #rowAt(index: number): string {
    const line = this.#lines[index] ?? '';
    let end = line.endsWith('\r') ? line.length - 1 : line.length;
    while (line.charCodeAt(end - 1) === 0x20) end -= 1;
    return end === line.length ? line : line.slice(0, end);
  }
}

/** The column of the first character that is no space; -1 when there is none. */
function firstColumn(row: string): number {
  let column = 0;
  while (row.charCodeAt(column) === 0x20) column += 1;
  return column < row.length ? column : -1;
}

/** Without a comment behind it; where quotes stand before what may be one, it stays. */
function withoutComment(text: string): string {
  const at = text.indexOf(' #');
  if (at < 0 || /["']/.test(text.slice(0, at))) return text;
  return text.slice(0, at).trimEnd();
}
