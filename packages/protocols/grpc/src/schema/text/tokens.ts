/** One token of a `.proto` file. */
export interface Token {
  readonly kind: 'name' | 'number' | 'text' | 'symbol' | 'end';
  /** As written; of a string what it says, with one character per byte. */
  readonly text: string;
  readonly at: number;
}

/** A text that breaks the grammar; names the line. */
export class ProtoSyntaxError extends Error {}

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /(?:0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)/y;
const ESCAPE = /\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/gsu;
const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({ n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b', f: '\f', v: '\v' }),
);

/** How many tokens one statement may have. */
const MAX_STATEMENT = 10_000;
const MAX_NAME_LENGTH = 512;
const MAX_NUMBER = 64;
const MAX_STRING = 64 * 1024;

/** Reads a `.proto` file token by token, with one token known in advance. */
export class Tokens {
  readonly #text: string;
  #at = 0;
  #taken = 0;
  #next: Token;

  constructor(text: string) {
    this.#text = text.startsWith('\ufeff') ? text.slice(1) : text;
    this.#next = this.#read();
  }

  /** The token that comes next. */
  get next(): Token {
    return this.#next;
  }

  /** A new statement begins here. */
  begin(): void {
    this.#taken = 0;
  }

  /** Takes the next token. */
  take(): Token {
    const token = this.#next;
    if (token.kind === 'end') throw this.fail('the text ends too early');
    this.#taken += 1;
    if (this.#taken > MAX_STATEMENT) throw this.fail(`a statement has more than ${MAX_STATEMENT} tokens`);
    this.#next = this.#read();
    return token;
  }

  /** Takes the next token when it is this symbol or word. */
  takeIf(text: string): boolean {
    const { kind } = this.#next;
    if (this.#next.text !== text || (kind !== 'symbol' && kind !== 'name')) return false;
    this.take();
    return true;
  }

  /** Takes this symbol or word. @throws ProtoSyntaxError when another token comes */
  expect(text: string): void {
    if (!this.takeIf(text)) throw this.unexpected(`"${text}"`);
  }

  /** Takes a token of a kind. @throws ProtoSyntaxError when another token comes */
  takeA(kind: Token['kind'], what: string): string {
    if (this.#next.kind !== kind) throw this.unexpected(what);
    return this.take().text;
  }

  /** That something else had to come here. */
  unexpected(wanted: string): ProtoSyntaxError {
    const { kind, text } = this.#next;
    if (kind === 'end') return this.fail('the text ends too early');
    return this.fail(`illegal ${kind} ${JSON.stringify(text.slice(0, 80))}, expected ${wanted}`);
  }

  /** An error at the token that comes next, or at a place. */
  fail(message: string, at = this.#next.at): ProtoSyntaxError {
    let line = 1;
    for (let i = this.#text.indexOf('\n'); i >= 0 && i < at; i = this.#text.indexOf('\n', i + 1)) line += 1;
    return new ProtoSyntaxError(`${message} (line ${line})`);
  }

  #read(): Token {
    this.#skip();
    const at = this.#at;
    const text = this.#text;
    if (at >= text.length) return { kind: 'end', text: '', at };
    const name = this.#match(NAME, MAX_NAME_LENGTH);
    if (name !== undefined) return { kind: 'name', text: name, at };
    const number = this.#match(NUMBER, MAX_NUMBER);
    if (number !== undefined) return { kind: 'number', text: number, at };
    const first = text.charAt(at);
    if (first === '"' || first === "'") return { kind: 'text', text: this.#readString(first), at };
    this.#at = at + 1;
    return { kind: 'symbol', text: first, at };
  }

  #match(pattern: RegExp, longest: number): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return undefined;
    if (found.length > longest)
      throw this.fail(`"${found.slice(0, 20)}..." is longer than ${longest} characters`, this.#at);
    this.#at += found.length;
    return found;
  }

  #readString(quote: string): string {
    const text = this.#text;
    const begun = this.#at;
    for (let at = begun + 1; at - begun <= MAX_STRING; at += 1) {
      const one = text.charAt(at);
      if (one === quote) {
        this.#at = at + 1;
        return this.#unescape(text.slice(begun + 1, at), begun);
      }
      if (one === '\\') at += 1;
      if (one === '' || one === '\n') throw this.fail('a string does not end on its line', begun);
    }
    throw this.fail(`a string is longer than ${MAX_STRING} characters`, begun);
  }

  /** Skips white space and comments. */
  #skip(): void {
    const text = this.#text;
    for (;;) {
      const code = text.charCodeAt(this.#at);
      if (code === 32 || (code >= 9 && code <= 13)) this.#at += 1;
      else if (code !== 47) return;
      else if (text.charCodeAt(this.#at + 1) === 47) this.#skipTo('\n');
      else if (text.charCodeAt(this.#at + 1) === 42) {
        const begun = this.#at;
        this.#at += 2;
        if (!this.#skipTo('*/')) throw this.fail('a comment does not end', begun);
      } else return;
    }
  }

  #skipTo(end: string): boolean {
    const found = this.#text.indexOf(end, this.#at);
    this.#at = found < 0 ? this.#text.length : found + end.length;
    return found >= 0;
  }

  /** Strings may hold any bytes, so they are read as bytes, and shown with one character per byte. */
  #unescape(inner: string, at: number): string {
    const bytes = Buffer.from(inner, 'utf8').toString('latin1');
    if (!inner.includes('\\')) return bytes;
    return bytes.replace(
      ESCAPE,
      (whole, octal?: string, hex?: string, u4?: string, u8?: string, one?: string) => {
        if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
        if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
        const point = u4 ?? u8;
        if (point !== undefined) {
          const code = Number.parseInt(point, 16);
          if (code > 0x10ffff) throw this.fail(`"${whole}" is no character`, at);
          return Buffer.from(String.fromCodePoint(code), 'utf8').toString('latin1');
        }
        return LETTERS.get(one ?? '') ?? one ?? '';
      },
    );
  }
}
