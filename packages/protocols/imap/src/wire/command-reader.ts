import { BadCommand } from './bad-command.js';

// RFC 3501, section 9: what an atom, an astring and a list-mailbox may hold.
const ATOM = /[^\x00-\x20\x7f-\xff(){%*"\\\]]+/y;
const ASTRING = /[^\x00-\x20\x7f-\xff(){%*"\\]+/y;
const LIST_MAILBOX = /[^\x00-\x20\x7f-\xff(){"\\]+/y;
const SEQUENCE_SET = /[0-9*:,]+/y;
const DIGITS = /[0-9]+/y;
const MAX_DIGITS = 10;
const MAX_SHOWN = 40;

/** Reads the arguments of one command: text, and the literals between its pieces. All text is latin1, a byte a character. */
export class CommandReader {
  readonly #parts: readonly (string | Buffer)[];
  #part = 0;
  #text: string;
  #at = 0;

  /** @param parts - texts without their literal marks, each followed by its literal; the last is a text */
  constructor(parts: readonly (string | Buffer)[]) {
    this.#parts = parts;
    const first = parts[0];
    this.#text = typeof first === 'string' ? first : '';
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length && this.#part + 1 >= this.#parts.length;
  }

  /** The next character; empty at the end and in front of a literal. */
  get next(): string {
    return this.#text[this.#at] ?? '';
  }

  /** Whether a string in quotes or a literal comes next. */
  get isAtString(): boolean {
    return this.next === '"' || this.#isAtLiteral;
  }

  get #isAtLiteral(): boolean {
    return this.#at === this.#text.length && this.#parts[this.#part + 1] instanceof Buffer;
  }

  /** What is left, for messages and the journal; literals are left out. */
  get rest(): string {
    return this.#text.slice(this.#at);
  }

  /** Takes the character if it comes next. */
  take(character: string): boolean {
    if (this.next !== character) return false;
    this.#at += 1;
    return true;
  }

  /** @throws BadCommand when something else comes next */
  expect(character: string): void {
    if (!this.take(character)) this.fail(character === ' ' ? 'a space' : `"${character}"`);
  }

  space(): void {
    this.expect(' ');
  }

  /** @throws BadCommand when there are more arguments */
  end(): void {
    if (!this.isAtEnd) this.fail('the end of the command');
  }

  atom(what = 'an atom'): string {
    return this.#match(ATOM) ?? this.fail(what);
  }

  /** An atom in upper case. */
  word(what?: string): string {
    return this.atom(what).toUpperCase();
  }

  astring(what = 'a string'): string {
    return this.isAtString ? this.string(what) : (this.#match(ASTRING) ?? this.fail(what));
  }

  listMailbox(): string {
    return this.isAtString ? this.string('a pattern') : (this.#match(LIST_MAILBOX) ?? this.fail('a pattern'));
  }

  sequenceSet(): string {
    return this.#match(SEQUENCE_SET) ?? this.fail('a sequence set');
  }

  /** A number below 2^32. */
  number(): number {
    const digits = this.#match(DIGITS) ?? this.fail('a number');
    const value = Number(digits);
    if (digits.length > MAX_DIGITS || value > 0xffff_ffff) {
      throw new BadCommand(`the number ${digits.slice(0, MAX_SHOWN)} is above 4294967295`);
    }
    return value;
  }

  /** A string in quotes or a literal. */
  string(what = 'a string'): string {
    if (this.#isAtLiteral) {
      const text = this.literal().toString('latin1');
      if (text.includes('\0')) throw new BadCommand('a string cannot hold NUL');
      return text;
    }
    if (this.next !== '"') this.fail(what);
    let value = '';
    for (let at = this.#at + 1; at < this.#text.length; at += 1) {
      let character = this.#text[at];
      if (character === '"') {
        this.#at = at + 1;
        return value;
      }
      if (character === '\\') {
        at += 1;
        character = this.#text[at];
        if (character !== '"' && character !== '\\') {
          throw new BadCommand('in a quoted string only \\" and \\\\ may follow a backslash');
        }
      }
      value += character ?? '';
    }
    throw new BadCommand('a quoted string has no closing quote');
  }

  /** The bytes of a literal. */
  literal(): Buffer {
    const literal = this.#parts[this.#part + 1];
    if (!this.#isAtLiteral || !(literal instanceof Buffer)) return this.fail('a literal');
    this.#part += 2;
    const text = this.#parts[this.#part];
    this.#text = typeof text === 'string' ? text : '';
    this.#at = 0;
    return literal;
  }

  /** Items in parentheses, at least `least`. */
  list<T>(item: () => T, least = 1): T[] {
    this.expect('(');
    const items: T[] = [];
    if (least === 0 && this.take(')')) return items;
    do items.push(item());
    while (this.take(' '));
    this.expect(')');
    return items;
  }

  /** @throws BadCommand always, with what was found */
  fail(wanted: string): never {
    const rest = this.rest;
    const found =
      rest !== '' ? `"${printable(rest)}"` : this.#isAtLiteral ? 'a literal' : 'the end of the command';
    throw new BadCommand(`got ${found}, want ${wanted}`);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}

/** A text for a response line: short, and with nothing that is not printable ASCII. */
export function printable(text: string): string {
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
  return shown.replace(/[^\x20-\x7e]/g, '?');
}
