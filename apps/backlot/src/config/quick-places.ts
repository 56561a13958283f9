import { readKey } from './quick-scalars.js';

/** A plain key inside of `{}`, with its colon, as the quick reader of YAML takes it. */
const PLAIN_KEY = /((?:[A-Za-z_/]|\.(?=[A-Za-z_]))(?:[\w./-]|:(?=[\w./-]))*):(?=\s)/y;
/** A value inside of `{}` or `[]` that is in no quotes and no brackets. */
const PLAIN = /(?:[^,[\]{}:]|:(?!\s))+/y;
/** Characters of a number. */
const MAX_NUMBER = 1000;
const BLANKS = /\s*/y;

/** A key of a mapping or an item of a list. */
interface Entry {
  /** Where the key or the item begins. */
  readonly at: number;
  /** Where its value begins, when that is known already. */
  readonly value: number | undefined;
  /** The line of a key whose value, or a mark whose item, is on the lines below. */
  readonly line: number;
}

/** Where the value of an entry stands, and the column from which it is a block; -1 inside of brackets. */
interface Spot {
  readonly at: number;
  readonly line: number;
  readonly column: number;
}

/**
 * Finds where values stand in a text that a quick reader has read. It looks through those mappings and lists alone that lead to what is asked
 * for, and remembers them.
 */
export class QuickPlaces {
  readonly #text: string;
  readonly #lines: readonly string[];
  readonly #starts: number[] = [];
  /** By where they begin. */
  readonly #scanned = new Map<number, ReadonlyMap<string, Entry>>();

  constructor(text: string) {
    this.#text = text;
    this.#lines = text.split('\n');
    let at = 0;
    for (const line of this.#lines) {
      this.#starts.push(at);
      at += line.length + 1;
    }
  }

  /** How many mappings and lists were looked through. */
  get scanned(): number {
    return this.#scanned.size;
  }

  /** The number or truth value that nested names lead to, as it is written. */
  textAt(names: readonly string[]): string | undefined {
    const { value } = this.find(names);
    return value === undefined
      ? undefined
      : /^[^\s,\]}]+/.exec(this.#text.slice(value, value + MAX_NUMBER))?.[0];
  }

  /** The character at an offset. */
  charAt(offset: number): string {
    return this.#text.charAt(offset);
  }

  /** Where the last of nested names that is there stands, its key or the item of a list; and the value of them all. */
  find(names: readonly string[]): { readonly key: number | undefined; readonly value: number | undefined } {
    let spot = this.#firstBelow(-1, 0);
    let key: number | undefined;
    for (const name of names) {
      const entry = spot === undefined ? undefined : this.#entriesOf(spot).get(name);
      if (entry === undefined) return { key, value: undefined };
      key = entry.at;
      spot = this.#valueOf(entry);
    }
    return { key, value: spot?.at };
  }

  /** Line and column, both counted from 1. */
  placeAt(offset: number): { line: number; column: number } {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 };
  }

  #valueOf({ value, line }: Entry): Spot | undefined {
    if (value === undefined) return this.#firstBelow(line, 0);
    const start = this.#starts[line] ?? 0;
    return { at: value, line, column: line < 0 ? -1 : value - start };
  }

  /** The first text below a line. */
  #firstBelow(line: number, column: number): Spot | undefined {
    for (let index = line + 1; index < this.#lines.length; index += 1) {
      const start = firstColumn(this.#lines[index] ?? '', column);
      if (start >= 0) return { at: (this.#starts[index] ?? 0) + start, line: index, column: start };
    }
    return undefined;
  }

  /** The value below the line of a key, or of a mark, at a column; undefined when there is none, which is null. */
  #blockBelow(line: number, column: number, isOfKey: boolean): Spot | undefined {
    const spot = this.#firstBelow(line, 0);
    if (spot === undefined || spot.column > column) return spot;
    return isOfKey && spot.column === column && isMark(this.#lines[spot.line] ?? '', column)
      ? spot
      : undefined;
  }

  #entriesOf(spot: Spot): ReadonlyMap<string, Entry> {
    let entries = this.#scanned.get(spot.at);
    if (entries === undefined) {
      const first = this.#text.charAt(spot.at);
      entries = first === '{' || first === '[' ? this.#scanBrackets(spot.at) : this.#scanBlock(spot);
      this.#scanned.set(spot.at, entries);
    }
    return entries;
  }

  #scanBlock({ line, column }: Spot): Map<string, Entry> {
    const entries = new Map<string, Entry>();
    const isList = isMark(this.#lines[line] ?? '', column);
    for (let index = line; index < this.#lines.length; index += 1) {
      const row = this.#lines[index] ?? '';
      const start = index === line ? column : firstColumn(row, 0);
      if (start < 0 || start > column) continue;
      if (start < column || (isList && !isMark(row, start))) break;
      const at = (this.#starts[index] ?? 0) + start;
      if (isList) {
        const item = firstColumn(row, start + 1);
        const below = item < 0 ? this.#blockBelow(index, start, false) : undefined;
        const value = at + (item < 0 ? blanksEnd(row, start + 1) : item) - start;
        entries.set(String(entries.size), {
          at: below?.at ?? value,
          value: below === undefined ? value : undefined,
          line: index,
        });
        continue;
      }
      const found = readKey(row.trimEnd(), start);
      // A list at the column of its key, or a bracket that ends a value.
      if (found === undefined) continue;
      const isBelow = firstColumn(row, found.end) < 0 && this.#blockBelow(index, start, true) !== undefined;
      entries.set(found.key, {
        at,
        value: isBelow ? undefined : at + blanksEnd(row, found.end) - start,
        line: index,
      });
    }
    return entries;
  }

  #scanBrackets(from: number): Map<string, Entry> {
    const entries = new Map<string, Entry>();
    const isMapping = this.#text.charAt(from) === '{';
    let at = this.#skipBlanks(from + 1);
    while (at < this.#text.length && !']}'.includes(this.#text.charAt(at))) {
      const start = at;
      let name = String(entries.size);
      if (isMapping) {
        const key = this.#readKey(at);
        if (key === undefined) break;
        name = key.name;
        at = this.#skipBlanks(key.end);
      }
      entries.set(name, { at: start, value: at, line: -1 });
      at = this.#skipBlanks(this.#skipValue(at));
      if (this.#text.charAt(at) === ',') at = this.#skipBlanks(at + 1);
    }
    return entries;
  }

  #readKey(at: number): { readonly name: string; readonly end: number } | undefined {
    const first = this.#text.charAt(at);
    if (first !== '"' && first !== "'") {
      PLAIN_KEY.lastIndex = at;
      const found = PLAIN_KEY.exec(this.#text);
      return found === null ? undefined : { name: found[1] ?? '', end: at + found[0].length };
    }
    const end = this.#skipQuoted(at);
    const colon = this.#skipBlanks(end);
    if (this.#text.charAt(colon) !== ':') return undefined;
    const written = this.#text.slice(at, end);
    // In YAML the quick reader takes no escapes in keys, but keys on two lines.
    const name = written.includes('\\')
      ? (JSON.parse(written) as string)
      : written.slice(1, -1).replaceAll(/ *\n */g, ' ');
    return { name, end: colon + 1 };
  }

  /** Behind a value. */
  #skipValue(from: number): number {
    let depth = 0;
    let at = from;
    do {
      const first = this.#text.charAt(at);
      if (first === '') return at;
      if (first === '{' || first === '[') depth += 1;
      if (first === '}' || first === ']') depth -= 1;
      if (first === '"' || first === "'") at = this.#skipQuoted(at);
      else if ('{}[],:'.includes(first)) at += 1;
      else {
        PLAIN.lastIndex = at;
        at += PLAIN.exec(this.#text)?.[0].length ?? 1;
      }
      if (depth > 0) at = this.#skipBlanks(at);
    } while (depth > 0);
    return at;
  }

  #skipQuoted(from: number): number {
    const quote = this.#text.charAt(from);
    let at = from + 1;
    while (at < this.#text.length && this.#text.charAt(at) !== quote)
      at += quote === '"' && this.#text.charAt(at) === '\\' ? 2 : 1;
    // Two single quotes are one in the text.
    if (quote === "'" && this.#text.charAt(at + 1) === quote) return this.#skipQuoted(at + 1);
    return at + 1;
  }

  #skipBlanks(from: number): number {
    BLANKS.lastIndex = from;
    return from + (BLANKS.exec(this.#text)?.[0].length ?? 0);
  }
}

/** The column from one on of the first character that is no space; -1 when there is none or a comment begins there. */
function firstColumn(row: string, from: number): number {
  const column = blanksEnd(row, from);
  return column >= row.length || row.charAt(column) === '#' ? -1 : column;
}

/** The column from one on behind all spaces. */
function blanksEnd(row: string, from: number): number {
  let column = from;
  while (row.charCodeAt(column) === 0x20) column += 1;
  return column;
}

/** Whether the mark of an item stands there. */
function isMark(row: string, column: number): boolean {
  return row.charAt(column) === '-' && (row.length === column + 1 || row.charAt(column + 1) === ' ');
}
