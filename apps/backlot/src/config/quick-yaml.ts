import { readKey, readScalar, UNSURE } from './quick-scalars.js';

/** Tabs, carriage returns and other characters that mean something of their own, or must not stand in a file. */
const ODD = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;
const MAX_DEPTH = 60;
/** Stands for a value that is a block on the lines below. */
const BLOCK = Symbol('a block');

/** A line that is neither empty nor a comment. */
interface Line {
  /** The column where its text begins. */
  readonly indent: number;
  readonly text: string;
  /** Its number among all lines. */
  readonly number: number;
}

/** How deep the lists stand between whose items other work is let in: those of mocks and rows. */
const LIST_DEPTH = 4;

/**
 * Reads, in steps, the kind of YAML that programs write, mappings and lists in blocks with values on one line, at a tenth of what the
 * whole parser takes, and without the places of values.
 *
 * @returns `undefined` for everything else, valid or not; never another value than the whole parser gives
 */
export function* readQuickSteps(
  text: string,
): Generator<undefined, Readonly<Record<string, unknown>> | undefined> {
  if (ODD.test(text)) return undefined;
  yield;
  const reader = new BlockReader(text.split('\n'));
  yield;
  const value = yield* reader.readAll();
  return value === UNSURE ? undefined : (value as Record<string, unknown>);
}

class BlockReader {
  #line: Line | undefined;
  #next = 0;

  constructor(private readonly lines: readonly string[]) {
    this.#line = this.#read();
  }

  *readAll(): Generator<undefined, unknown> {
    if (this.#line === undefined || this.#line.indent !== 0 || isListItem(this.#line)) return UNSURE;
    if (this.#line.text.startsWith('{')) {
      const whole = this.#readFolded(this.#line.text, this.#line.number, -1);
      return this.#line === undefined ? whole : UNSURE;
    }
    const value = yield* this.#readMapping(0, 0);
    return this.#line === undefined ? value : UNSURE;
  }

  *#readBlock(depth: number): Generator<undefined, unknown> {
    if (depth > MAX_DEPTH || this.#line === undefined) return UNSURE;
    const { indent } = this.#line;
    return yield* isListItem(this.#line) ? this.#readList(indent, depth) : this.#readMapping(indent, depth);
  }

  *#readMapping(indent: number, depth: number): Generator<undefined, unknown> {
    const mapping: Record<string, unknown> = {};
    for (let line = this.#line; line?.indent === indent; line = this.#line) {
      const found = readKey(line.text, 0);
      if (found === undefined || Object.hasOwn(mapping, found.key)) return UNSURE;
      let value = this.#readValue(line.text.slice(found.end), indent, true);
      if (value === BLOCK) value = yield* this.#readBlock(depth + 1);
      if (value === UNSURE) return UNSURE;
      mapping[found.key] = value;
    }
    return this.#line === undefined || this.#line.indent < indent ? mapping : UNSURE;
  }

  *#readList(indent: number, depth: number): Generator<undefined, unknown> {
    const list: unknown[] = [];
    for (let line = this.#line; line?.indent === indent && isListItem(line); line = this.#line) {
      const rest = line.text.slice(1 + Math.max(firstColumn(line.text.slice(1)), 0));
      let value: unknown;
      if (rest !== '' && readKey(rest, 0) !== undefined) {
        // A mapping that begins on the line of its mark: as if the mark were blank.
        const inner = indent + line.text.length - rest.length;
        this.#line = { ...line, indent: inner, text: rest };
        value = yield* this.#readMapping(inner, depth + 1);
      } else {
        value = isListItem({ text: rest }) ? UNSURE : this.#readValue(rest, indent, false);
        if (value === BLOCK) value = yield* this.#readBlock(depth + 1);
      }
      if (value === UNSURE) return UNSURE;
      list.push(value);
      if (depth <= LIST_DEPTH) yield;
    }
    // A key at the same column belongs to the mapping that the list is a value of.
    return this.#line === undefined || this.#line.indent <= indent ? list : UNSURE;
  }

  /** The value that begins on the current line; {@link BLOCK} when it is a block below it. */
  #readValue(text: string, indent: number, isOfMapping: boolean): unknown {
    const { number = 0 } = this.#line ?? {};
    if (text === '|' || text === '|-') return this.#readText(number, indent, text === '|', false);
    if (text === '>' || text === '>-') return this.#readText(number, indent, text === '>', true);
    this.#line = this.#read();
    const line = this.#line;
    if (text !== '') {
      return line !== undefined && (line.indent > indent || isEndOf(text, line, indent))
        ? this.#readFolded(text, number, indent)
        : readScalar(text);
    }
    const isBelow =
      line !== undefined &&
      (line.indent > indent || (isOfMapping && line.indent === indent && isListItem(line)));
    // Nothing is null (YAML 1.2.2, section 7.2).
    if (!isBelow) return null;
    // A text, or a list or mapping in brackets, that begins on a line of its own.
    if (!isListItem(line) && readKey(line.text, 0) === undefined)
      return this.#readFolded(line.text, line.number, indent);
    return BLOCK;
  }

  /** A value that goes on below its first line: each line break is a space (YAML 1.2.2, section 6.5). */
  #readFolded(text: string, number: number, indent: number): unknown {
    const rows = [text];
    let index = number + 1;
    for (; index < this.lines.length; index += 1) {
      const row = this.lines[index] ?? '';
      const start = firstColumn(row);
      if (start >= 0 && start <= indent) {
        if (isEndOf(text, { indent: start, text: withoutBlanksAtEnd(row.slice(start)) }, indent)) {
          rows.push(row.charAt(start));
          index += 1;
        }
        break;
      }
      // The end of a document, or a directive.
      if (start === 0 && /^(?:---|\.\.\.|%)/.test(row)) return UNSURE;
      // A blank line is a line break in a text, and a comment may be none.
      if (start < 0 || row.charAt(start) === '#') {
        if (this.#isBelow(index, indent)) return UNSURE;
        break;
      }
      rows.push(withoutBlanksAtEnd(row.slice(start)));
    }
    this.#next = index;
    this.#line = this.#read();
    return readScalar(rows.join(' '));
  }

  /** Whether the next line with a text from here on, no comment, stands further in. */
  #isBelow(from: number, indent: number): boolean {
    for (let index = from; index < this.lines.length; index += 1) {
      const row = this.lines[index] ?? '';
      const start = firstColumn(row);
      if (start >= 0 && row.charAt(start) !== '#') return start > indent;
    }
    return false;
  }

  /** A literal or folded text (YAML 1.2.2, sections 8.1.2 and 8.1.3) below a line. */
  #readText(number: number, indent: number, endsLine: boolean, isFolded: boolean): unknown {
    const rows: string[] = [];
    let inner = -1;
    let index = number + 1;
    for (; index < this.lines.length; index += 1) {
      const row = this.lines[index] ?? '';
      const start = firstColumn(row);
      if (start < 0) {
        // Blank lines before the text, and blanks beyond its margin, have rules of their own.
        if (inner < 0 || row.length > inner) return UNSURE;
        rows.push('');
        continue;
      }
      if (inner < 0) inner = start;
      if (start < inner) break;
      rows.push(row.slice(inner));
    }
    // Whether the file's last line ends with a line break would matter too.
    if (inner <= indent || (index === this.lines.length && this.lines.at(-1) !== '')) return UNSURE;
    while (rows.at(-1) === '') rows.pop();
    this.#next = index;
    this.#line = this.#read();
    if (this.#line !== undefined && this.#line.indent > indent) return UNSURE;
    // Blank lines and lines further in keep their breaks.
    if (isFolded && rows.some((row) => row === '' || row.startsWith(' '))) return UNSURE;
    return rows.join(isFolded ? ' ' : '\n') + (endsLine ? '\n' : '');
  }

  #read(): Line | undefined {
    while (this.#next < this.lines.length) {
      const number = this.#next;
      const row = this.lines[number] ?? '';
      this.#next += 1;
      const indent = firstColumn(row);
      if (indent < 0 || row.charAt(indent) === '#') continue;
      return { indent, text: withoutBlanksAtEnd(row.slice(indent)), number };
    }
    return undefined;
  }
}

/** The column of the first character that is no space; -1 when there is none. */
function firstColumn(row: string): number {
  let column = 0;
  while (row.charCodeAt(column) === 0x20) column += 1;
  return column < row.length ? column : -1;
}

function withoutBlanksAtEnd(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === 0x20) end -= 1;
  return text.slice(0, end);
}

/** Whether a line is the bracket alone that ends a value, at the column of the key that the value has. */
function isEndOf(text: string, line: Pick<Line, 'indent' | 'text'>, indent: number): boolean {
  const [first] = text;
  const end = first === '{' ? '}' : ']';
  return (first === '{' || first === '[') && line.indent === indent && line.text === end;
}

function isListItem({ text }: Pick<Line, 'text'>): boolean {
  return text === '-' || text.startsWith('- ');
}
