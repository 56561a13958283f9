import type { Token } from './tokens.js';

/** What an expression says, as far as it can be known without running it. */
export type Expression =
  | { readonly type: 'value'; readonly value: string | number | boolean | null | undefined }
  | { readonly type: 'regex'; readonly source: string; readonly flags: string }
  /** Texts with expressions between them, as in a template or a sum. */
  | { readonly type: 'joined'; readonly parts: readonly Expression[] }
  | { readonly type: 'array'; readonly items: readonly Expression[] }
  | { readonly type: 'object'; readonly fields: readonly (readonly [string, Expression])[] }
  | { readonly type: 'spread'; readonly of: Expression }
  | { readonly type: 'name'; readonly name: string }
  | { readonly type: 'member'; readonly of: Expression; readonly name: string }
  | {
      readonly type: 'call';
      readonly callee: Expression;
      readonly given: readonly Expression[];
      readonly isNew: boolean;
    }
  | {
      readonly type: 'function';
      /** Where the parameters are in the list. */
      readonly parameters: Range;
      /** An expression, or where the statements are. */
      readonly body: Expression | Range;
    }
  /** Something that is known when the code runs, in words. */
  | { readonly type: 'other'; readonly what: string };

/** A part of a list of tokens; the end is not in it. */
export interface Range {
  readonly tokens: readonly Token[];
  readonly from: number;
  readonly to: number;
}

/** Whether the body of a function is a part of the list. */
export function isRange(body: Expression | Range): body is Range {
  return 'tokens' in body;
}

const DEEPEST = 60;
const CONSTANTS: Readonly<Record<string, boolean | null | undefined>> = {
  true: true,
  false: false,
  null: null,
  undefined,
};
/** What ends an expression. */
const ENDS = new Set([',', ';', ')', ']', '}', ':']);
/** So many tokens the type arguments of a call or the type of an answer may have. */
const LONGEST_TYPE = 200;

/** Reads expressions from a list of tokens. It never fails: what it does not know is `other`. */
export class ExpressionReader {
  at: number;
  #depth = 0;

  constructor(
    readonly tokens: readonly Token[],
    from = 0,
    readonly to = tokens.length,
  ) {
    this.at = from;
  }

  /** The expression that begins here, up to what ends it. */
  read(): Expression {
    if (this.#depth > DEEPEST) {
      this.#toEnd();
      return other('what is nested too deeply');
    }
    this.#depth += 1;
    const parts = [this.#operand()];
    while (this.#is('+')) {
      this.at += 1;
      parts.push(this.#operand());
    }
    this.#depth -= 1;
    const sign = this.#token();
    if (sign !== undefined && !ENDS.has(sign.text) && !(sign.isFirst && this.#beginsStatement(sign))) {
      this.#toEnd();
      return other(sign.type === 'sign' ? `an expression with "${sign.text}"` : 'an expression');
    }
    return parts.length === 1 ? (parts[0] as Expression) : { type: 'joined', parts };
  }

  /** What is called with parentheses from here to where they are closed. */
  given(): readonly Expression[] {
    return this.#list(')');
  }

  #token(): Token | undefined {
    return this.at < this.to ? this.tokens[this.at] : undefined;
  }

  #is(text: string): boolean {
    const token = this.#token();
    return token?.text === text && (token.type === 'sign' || token.type === 'name');
  }

  /** A line that begins with a name or a bracket goes on with something else. */
  #beginsStatement({ type, text }: Token): boolean {
    return type !== 'sign' || /^[[({}@]$/.test(text);
  }

  #operand(): Expression {
    const token = this.#token();
    if (token === undefined) return other('nothing');
    switch (token.type) {
      case 'text':
        this.at += 1;
        return this.#behind({ type: 'value', value: token.text });
      case 'number':
        this.at += 1;
        return this.#behind({ type: 'value', value: Number(token.text.replace(/n$/, '')) });
      case 'regex':
        this.at += 1;
        return { type: 'regex', source: token.text, flags: token.flags ?? '' };
      case 'template':
        this.at += 1;
        return this.#behind(this.#templateOf(token));
      case 'name':
        return this.#named(token);
      default:
        return this.#signed(token);
    }
  }

  #templateOf({ texts = [], parts = [] }: Token): Expression {
    const joined = texts.flatMap((text, index): Expression[] => {
      const part = parts[index];
      if (part === undefined) return [{ type: 'value', value: text }];
      const reader = new ExpressionReader(part);
      reader.#depth = this.#depth;
      return [{ type: 'value', value: text }, reader.read()];
    });
    return joined.length === 1 ? (joined[0] as Expression) : { type: 'joined', parts: joined };
  }

  #named({ text }: Token): Expression {
    if (text === 'function' || (text === 'async' && this.tokens[this.at + 1]?.text === 'function'))
      return this.#function();
    if (text === 'async' && this.tokens[this.at + 1]?.text !== '=>') {
      this.at += 1;
      return this.#operand();
    }
    this.at += 1;
    if (text === 'await') return this.#operand();
    if (text === 'void') {
      this.#operand();
      return { type: 'value', value: undefined };
    }
    if (text === 'new') return this.#new();
    if (text === 'typeof' || text === 'yield' || text === 'delete' || text === 'class') {
      this.#toEnd();
      return other(`"${text}"`);
    }
    if (this.#is('=>')) {
      this.at += 1;
      return this.#arrow({ tokens: this.tokens, from: this.at - 2, to: this.at - 1 });
    }
    if (Object.hasOwn(CONSTANTS, text)) return this.#behind({ type: 'value', value: CONSTANTS[text] });
    return this.#behind({ type: 'name', name: text });
  }

  #signed(token: Token): Expression {
    const { text } = token;
    if (text === '(') return this.#parenthesis(token);
    if (text === '[') {
      this.at += 1;
      return this.#behind({ type: 'array', items: this.#list(']') });
    }
    if (text === '{') {
      this.at += 1;
      return this.#behind({ type: 'object', fields: this.#fields() });
    }
    if (text === '...') {
      this.at += 1;
      return { type: 'spread', of: this.#operand() };
    }
    if (text === '-' || text === '!') {
      this.at += 1;
      const of = this.#operand();
      if (of.type === 'value' && text === '-' && typeof of.value === 'number')
        return { type: 'value', value: -of.value };
      if (of.type === 'value' && text === '!') return { type: 'value', value: of.value ? false : true };
      return other(`an expression with "${text}"`);
    }
    this.#toEnd();
    return other(`"${text}"`);
  }

  #parenthesis({ close = this.at }: Token): Expression {
    const from = this.at + 1;
    if (close <= this.at || close >= this.to) {
      this.#toEnd();
      return other('a parenthesis that is not closed');
    }
    const arrow = this.#arrowBehind(close + 1);
    if (arrow !== undefined) {
      this.at = arrow + 1;
      return this.#arrow({ tokens: this.tokens, from, to: close });
    }
    const reader = new ExpressionReader(this.tokens, from, close);
    reader.#depth = this.#depth;
    const inner = reader.read();
    this.at = close + 1;
    return this.#behind(reader.at < close ? other('several expressions') : inner);
  }

  /** Where the arrow is behind parameters, with the type of the answer between them. */
  #arrowBehind(start: number): number | undefined {
    if (this.tokens[start]?.text === '=>') return start;
    if (this.tokens[start]?.text !== ':') return undefined;
    for (let at = start + 1; at < Math.min(start + LONGEST_TYPE, this.to); at += 1) {
      const token = this.tokens[at];
      if (token?.text === '=>') return at;
      if (token === undefined || /^[,;)=\]]$/.test(token.text)) return undefined;
      if (token.close !== undefined && token.close > at) at = token.close;
    }
    return undefined;
  }

  #arrow(parameters: Range): Expression {
    const token = this.#token();
    if (token?.text !== '{' || token.type !== 'sign')
      return { type: 'function', parameters, body: this.read() };
    const { close = this.at } = token;
    const body = { tokens: this.tokens, from: this.at + 1, to: Math.max(close, this.at + 1) };
    this.at = body.to + 1;
    return { type: 'function', parameters, body };
  }

  #function(): Expression {
    while (this.at < this.to && !this.#is('(')) this.at += 1;
    const { close = this.at } = this.#token() ?? {};
    const parameters = { tokens: this.tokens, from: this.at + 1, to: close };
    this.at = Math.max(close, this.at) + 1;
    while (this.at < this.to && !this.#is('{')) this.at += 1;
    return this.#arrow(parameters);
  }

  #new(): Expression {
    const made = this.#operand();
    if (made.type === 'call') return { ...made, isNew: true };
    return { type: 'call', callee: made, given: [], isNew: true };
  }

  /** What stands behind an operand: members, calls, and types. */
  #behind(given: Expression): Expression {
    let expression = given;
    for (;;) {
      const token = this.#token();
      if (token === undefined || (token.type !== 'sign' && token.type !== 'name')) return expression;
      const { text } = token;
      if (text === '.' || text === '?.') {
        const name = this.tokens[this.at + 1];
        if (name?.type === 'name') {
          this.at += 2;
          expression = { type: 'member', of: expression, name: name.text };
          continue;
        }
        if (text === '.' || (name?.text !== '(' && name?.text !== '[')) return expression;
        this.at += 1;
        continue;
      }
      if (text === '(' && !(token.isFirst && given.type !== 'name' && given.type !== 'member')) {
        this.at += 1;
        expression = { type: 'call', callee: expression, given: this.#list(')'), isNew: false };
      } else if (text === '[' && !token.isFirst) {
        this.at += 1;
        const [index, ...more] = this.#list(']');
        expression =
          index?.type === 'value' && more.length === 0
            ? { type: 'member', of: expression, name: String(index.value) }
            : other('a member whose name is known when the code runs');
      } else if (text === '<') {
        const end = this.#endOfTypes();
        if (end === undefined) return expression;
        this.at = end;
      } else if (text === '!' && this.tokens[this.at + 1]?.text !== '=') this.at += 1;
      else if ((text === 'as' || text === 'satisfies') && !token.isFirst) this.#type();
      else return expression;
    }
  }

  /** Behind the arguments of types, where a call follows them. */
  #endOfTypes(): number | undefined {
    let depth = 0;
    for (let at = this.at; at < Math.min(this.at + LONGEST_TYPE, this.to); at += 1) {
      const token = this.tokens[at];
      if (token === undefined || /^(;|&&|\|\||[)=+*/])$/.test(token.text)) return undefined;
      if (token.text === '<') depth += 1;
      else if (token.text === '>') depth -= 1;
      else if (token.close !== undefined && token.close > at) at = token.close;
      if (depth === 0) return this.tokens[at + 1]?.text === '(' ? at + 1 : undefined;
    }
    return undefined;
  }

  /** Passes over the type that something is said to have. */
  #type(): void {
    this.at += 1;
    let depth = 0;
    while (this.at < this.to) {
      const token = this.#token();
      if (token === undefined || (depth === 0 && ENDS.has(token.text) && token.type === 'sign')) return;
      if (token.isFirst && depth === 0) return;
      if (token.text === '<') depth += 1;
      if (token.text === '>') depth -= 1;
      this.at = Math.max(token.close ?? this.at, this.at) + 1;
    }
  }

  /** The expressions of a list, behind its opening bracket; behind the closing one afterwards. */
  #list(closing: string): readonly Expression[] {
    const items: Expression[] = [];
    while (this.at < this.to) {
      if (this.#is(closing)) {
        this.at += 1;
        return items;
      }
      const before = this.at;
      if (this.#is(',')) this.at += 1;
      else items.push(this.read());
      if (this.at === before) this.at += 1;
    }
    return items;
  }

  #fields(): readonly (readonly [string, Expression])[] {
    const fields: (readonly [string, Expression])[] = [];
    while (this.at < this.to) {
      const token = this.tokens[this.at];
      if (token?.text === '}' && token.type === 'sign') {
        this.at += 1;
        return fields;
      }
      const before = this.at;
      if (this.#is(',')) this.at += 1;
      else if (token !== undefined) fields.push(this.#field(token));
      if (this.at === before) this.at += 1;
    }
    return fields;
  }

  #field(token: Token): readonly [string, Expression] {
    if (this.#is('...')) {
      this.at += 1;
      return ['', { type: 'spread', of: this.read() }];
    }
    let name = token.type === 'template' || token.type === 'sign' ? undefined : token.text;
    this.at += 1;
    if (token.text === '[' && token.type === 'sign') {
      const [computed] = this.#list(']');
      if (computed?.type === 'value') name = String(computed.value);
    }
    if (this.#is(':')) {
      this.at += 1;
      const value = this.read();
      return [
        name ?? '',
        name === undefined ? other('a field whose name is known when the code runs') : value,
      ];
    }
    if (token.type === 'name' && (this.#is(',') || this.#is('}')))
      return [token.text, { type: 'name', name: token.text }];
    this.#toEnd();
    return [name ?? '', other('a method')];
  }

  /** Goes to where the expression ends. */
  #toEnd(): void {
    while (this.at < this.to) {
      const token = this.#token();
      if (token === undefined || (token.type === 'sign' && ENDS.has(token.text) && token.text !== ':'))
        return;
      this.at = Math.max(token.close ?? this.at, this.at) + 1;
    }
  }
}

function other(what: string): Expression {
  return { type: 'other', what };
}
