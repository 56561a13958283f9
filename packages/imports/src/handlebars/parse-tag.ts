/** A part of a tag of Handlebars. */
export type Expression =
  | { readonly type: 'path'; readonly path: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'number'; readonly number: number }
  | Call;

/** A helper with its arguments. */
export interface Call {
  readonly type: 'call';
  readonly name: string;
  readonly values: readonly Expression[];
  /** Arguments with names: `offset='3 days'`. */
  readonly named: ReadonlyMap<string, Expression>;
  /** The names of a block: `as |item|`. */
  readonly blockNames: readonly string[];
}

const DEEPEST = 20;

/** Reads what stands in a tag; `undefined` when it is nothing that can be read. */
export function parseTag(tag: string): Call | undefined {
  if (tag.length > 5000) return undefined;
  try {
    const reader = new TagReader(tag);
    const call = reader.call(0);
    return reader.isAtEnd ? call : undefined;
  } catch {
    return undefined;
  }
}

class TagReader {
  #at = 0;

  constructor(private readonly tag: string) {}

  get isAtEnd(): boolean {
    this.#space();
    return this.#at >= this.tag.length;
  }

  call(depth: number): Call {
    if (depth > DEEPEST) throw new SyntaxError('too deep');
    const name = this.#word();
    const values: Expression[] = [];
    const named = new Map<string, Expression>();
    let blockNames: readonly string[] = [];
    for (;;) {
      this.#space();
      if (this.#at >= this.tag.length || this.tag.charAt(this.#at) === ')') break;
      const block = /^as\s*\|([^|]*)\|/.exec(this.tag.slice(this.#at, this.#at + 200));
      if (block !== null) {
        this.#at += block[0].length;
        blockNames = (block[1] ?? '').trim().split(/\s+/);
        continue;
      }
      const key = /^([A-Za-z_][\w-]{0,100})=/.exec(this.tag.slice(this.#at, this.#at + 110));
      if (key !== null) {
        this.#at += key[0].length;
        named.set(key[1] ?? '', this.#value(depth));
      } else {
        values.push(this.#value(depth));
      }
    }
    return { type: 'call', name, values, named, blockNames };
  }

  #value(depth: number): Expression {
    const character = this.tag.charAt(this.#at);
    if (character === '(') {
      this.#at += 1;
      const inner = this.call(depth + 1);
      this.#space();
      if (this.tag.charAt(this.#at) !== ')') throw new SyntaxError('no )');
      this.#at += 1;
      return inner;
    }
    if (character === '"' || character === "'") {
      let text = '';
      for (this.#at += 1; this.tag.charAt(this.#at) !== character; this.#at += 1) {
        if (this.#at >= this.tag.length) throw new SyntaxError('no end');
        if (this.tag.charAt(this.#at) === '\\' && this.tag.charAt(this.#at + 1) === character) this.#at += 1;
        text += this.tag.charAt(this.#at);
      }
      this.#at += 1;
      return { type: 'text', text };
    }
    const word = this.#word();
    return /^-?\d+(\.\d+)?$/.test(word)
      ? { type: 'number', number: Number(word) }
      : { type: 'path', path: word };
  }

  #word(): string {
    this.#space();
    // A segment in brackets may hold anything: request.headers.[X-A B].
    const found = /^(?:[^\s()[\]'"=|]|\[[^\]]{0,200}\])+/.exec(this.tag.slice(this.#at, this.#at + 2000));
    if (found === null) throw new SyntaxError('no word');
    this.#at += found[0].length;
    return found[0];
  }

  #space(): void {
    while (/\s/.test(this.tag.charAt(this.#at))) this.#at += 1;
  }
}
