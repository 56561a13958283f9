/** A piece of JavaScript or TypeScript. */
export interface Token {
  readonly type: 'name' | 'number' | 'text' | 'template' | 'regex' | 'sign';
  /** As it is written; of a text what it stands for. */
  readonly text: string;
  /** The line, from 1. */
  readonly line: number;
  /** Whether it begins a line. */
  readonly isFirst: boolean;
  /** Of an opening bracket where the closing one is in the list; its own place for one that is never closed. */
  close?: number;
  /** The texts of a template, one more than there are expressions. */
  readonly texts?: readonly string[];
  /** The expressions of a template. */
  readonly parts?: readonly (readonly Token[])[];
  /** The flags of an expression of `regex`. */
  readonly flags?: string;
}

/** So many pieces are read before others are let in. */
const AT_ONCE = 2000;
const DEEPEST_TEMPLATE = 20;
const SIGNS = ['...', '=>', '?.', '??', '&&', '||', '**', '==', '!=', '<=', '>=', '+=', '-=', '++', '--'];
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
/** Words behind which a slash begins a regular expression. */
const BEFORE_VALUE = new Set(['return', 'typeof', 'case', 'in', 'of', 'delete', 'void', 'await', 'yield']);

/** Reads the pieces of a source, whatever it holds: what is no JavaScript becomes signs. */
export function* tokenize(source: string): Generator<undefined, readonly Token[], undefined> {
  return yield* new Tokens(source, 0).read();
}

class Tokens {
  readonly #list: Token[] = [];
  readonly #open: number[] = [];
  #at = 0;
  #line = 1;
  #isFirst = true;

  constructor(
    private readonly source: string,
    private readonly depth: number,
  ) {}

  *read(): Generator<undefined, readonly Token[], undefined> {
    for (let count = 1; this.#skip(); count += 1) {
      this.#one();
      if (count % AT_ONCE === 0) yield;
    }
    for (const index of this.#open) {
      const token = this.#list[index];
      if (token !== undefined) token.close = index;
    }
    return this.#list;
  }

  /** Passes over spaces and comments; false at the end. */
  #skip(): boolean {
    const space = /(?:[^\S\n]+|\/\/[^\n]*)*/y;
    for (;;) {
      space.lastIndex = this.#at;
      space.exec(this.source);
      this.#at = space.lastIndex;
      if (this.source[this.#at] === '\n') {
        this.#line += 1;
        this.#isFirst = true;
        this.#at += 1;
      } else if (this.source.startsWith('/*', this.#at)) {
        const end = this.source.indexOf('*/', this.#at + 2);
        this.#pass(end < 0 ? this.source.length : end + 2);
      } else return this.#at < this.source.length;
    }
  }

  #pass(end: number): void {
    for (
      let at = this.source.indexOf('\n', this.#at);
      at >= 0 && at < end;
      at = this.source.indexOf('\n', at + 1)
    )
      this.#line += 1;
    this.#at = end;
  }

  #one(): void {
    const first = this.source[this.#at] ?? '';
    const name = this.#match(/[\p{L}_$#][\p{L}\p{N}_$]*/uy);
    if (name !== undefined) return this.#add({ type: 'name', text: name });
    const number = this.#match(/(?:0[xXbBoO][\da-fA-F_]+|(?:\d[\d_]*)?\.?\d[\d_]*(?:[eE][+-]?\d+)?\.?)n?/y);
    if (number !== undefined) return this.#add({ type: 'number', text: number.replaceAll('_', '') });
    if (first === '"' || first === "'") return this.#text(first);
    if (first === '`') return this.#template();
    if (first === '/' && this.#isValueNext()) {
      const regex = this.#match(/\/((?:[^\n\\/[]|\\[^\n]|\[(?:[^\n\\\]]|\\[^\n])*\])+)\/([a-z]*)/y);
      if (regex !== undefined) {
        const end = regex.lastIndexOf('/');
        return this.#add({ type: 'regex', text: regex.slice(1, end), flags: regex.slice(end + 1) });
      }
    }
    this.#sign(SIGNS.find((sign) => this.source.startsWith(sign, this.#at)) ?? first);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.source)?.[0];
    if (found === undefined || found === '') return undefined;
    this.#at += found.length;
    return found;
  }

  #add(token: Omit<Token, 'line' | 'isFirst'>, line = this.#line): void {
    this.#list.push({ ...token, line, isFirst: this.#isFirst });
    this.#isFirst = false;
  }

  #sign(text: string): void {
    this.#at += text.length;
    if (Object.hasOwn(CLOSING, text)) this.#open.push(this.#list.length);
    else if (text === ')' || text === ']' || text === '}') {
      const at = this.#open.at(-1);
      const opened = at === undefined ? undefined : this.#list[at];
      if (opened !== undefined && CLOSING[opened.text] === text) {
        opened.close = this.#list.length;
        this.#open.pop();
      }
    }
    this.#add({ type: 'sign', text });
  }

  #isValueNext(): boolean {
    const last = this.#list.at(-1);
    if (last === undefined) return true;
    if (last.type === 'sign') return !/^[)\]}]$/.test(last.text);
    return last.type === 'name' && BEFORE_VALUE.has(last.text);
  }

  #text(quote: string): void {
    const body = quote === '"' ? /"((?:[^"\\\n]|\\[^])*)"?/y : /'((?:[^'\\\n]|\\[^])*)'?/y;
    const { line } = { line: this.#line };
    body.lastIndex = this.#at;
    const inner = body.exec(this.source)?.[1] ?? '';
    this.#pass(Math.max(body.lastIndex, this.#at + 1));
    this.#add({ type: 'text', text: unescape(inner) }, line);
  }

  #template(): void {
    const line = this.#line;
    const texts: string[] = [];
    const parts: (readonly Token[])[] = [];
    this.#at += 1;
    for (;;) {
      const text = /(?:[^`\\$]|\\[^]|\$(?!\{))*/y;
      text.lastIndex = this.#at;
      const inner = text.exec(this.source)?.[0] ?? '';
      this.#pass(this.#at + inner.length);
      texts.push(unescape(inner));
      if (!this.source.startsWith('${', this.#at)) break;
      const end = this.#endOfPart(this.#at + 2);
      const part = new Tokens(this.source.slice(this.#at + 2, end), this.depth + 1).read();
      let step = this.depth > DEEPEST_TEMPLATE ? undefined : part.next();
      while (step?.done === false) step = part.next();
      parts.push(step?.value ?? []);
      this.#pass(Math.min(end + 1, this.source.length));
    }
    this.#at = Math.min(this.#at + 1, this.source.length);
    this.#add({ type: 'template', text: '', texts, parts }, line);
  }

  /** Where the brace is that closes an expression of a template; those within it count, and those in its texts. */
  #endOfPart(start: number): number {
    let depth = 1;
    for (let at = start; at < this.source.length; at += 1) {
      const letter = this.source[at];
      if (letter === '\\') at += 1;
      else if (letter === '{') depth += 1;
      else if (letter === '}') depth -= 1;
      if (depth === 0) return at;
    }
    return this.source.length;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  '0': '\0',
  '\n': '',
};

function unescape(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\}|(\r\n|[^]))/g,
    (all: string, hex?: string, four?: string, many?: string, other?: string) => {
      const code = hex ?? four ?? many;
      if (code === undefined) return ESCAPES[other ?? ''] ?? (other === '\r\n' ? '' : (other ?? all));
      const point = Number.parseInt(code, 16);
      return point > 0x10_ffff ? all : String.fromCodePoint(point);
    },
  );
}
