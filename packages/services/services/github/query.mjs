/** A text that is no document of GraphQL. */
export class SyntaxProblem extends Error {}

const TOKEN =
  /[\s,\uFEFF]+|#[^\n\r]*|(\.\.\.|[!$():=@[\]{|}&])|([_A-Za-z]\w*)|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|"""((?:[^"]|"(?!"")|\\""")*)"""|("(?:[^"\\\n\r]|\\.)*")/gy;
const MAX_LENGTH = 100_000;
const MAX_DEPTH = 25;

function tokensOf(text) {
  if (text.length > MAX_LENGTH) throw new SyntaxProblem(`A query has at most ${MAX_LENGTH} characters`);
  const tokens = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (found === null)
      throw new SyntaxProblem(
        `Expected one of SCHEMA, SCALAR, TYPE ..., actual: UNKNOWN_CHAR (${JSON.stringify(text.charAt(at))})`,
      );
    const [, sign, name, number, block, string] = found;
    if (sign !== undefined) tokens.push({ kind: 'sign', text: sign });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name });
    else if (number !== undefined) tokens.push({ kind: 'value', value: Number(number), text: number });
    else if (block !== undefined)
      tokens.push({ kind: 'value', value: block.replaceAll('\\"""', '"""').trim(), text: block });
    else if (string !== undefined) tokens.push({ kind: 'value', value: readString(string), text: string });
  }
  return tokens;
}

function readString(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new SyntaxProblem(`Bad string ${text}`);
  }
}

/** Takes a document of GraphQL apart: its operations and fragments. @throws SyntaxProblem */
export function parseQuery(text) {
  return new Parser(tokensOf(text)).document();
}

class Parser {
  #at = 0;
  #depth = 0;

  constructor(tokens) {
    this.tokens = tokens;
  }

  document() {
    const operations = [];
    const fragments = new Map();
    while (this.#at < this.tokens.length) {
      if (this.#is('{')) operations.push({ type: 'query', selections: this.#selections() });
      else if (this.#is('fragment')) {
        this.#next();
        const name = this.#name();
        this.#expect('on');
        const on = this.#name();
        this.#directives();
        fragments.set(name, { on, selections: this.#selections() });
      } else operations.push(this.#operation());
    }
    if (operations.length === 0) throw new SyntaxProblem('Unexpected end of document');
    return { operations, fragments };
  }

  #operation() {
    const type = this.#name();
    if (!['query', 'mutation', 'subscription'].includes(type))
      throw new SyntaxProblem(`Expected an operation, actual: "${type}"`);
    const name = this.#peek()?.kind === 'name' ? this.#name() : undefined;
    const defaults = {};
    const required = [];
    if (this.#take('(')) {
      while (!this.#take(')')) {
        this.#expect('$');
        const variable = this.#name();
        this.#expect(':');
        const isRequired = this.#type();
        if (this.#take('=')) defaults[variable] = this.#value({});
        else if (isRequired) required.push(variable);
        this.#directives();
      }
    }
    this.#directives();
    return { type, name, defaults, required, selections: this.#selections() };
  }

  /** @returns whether the type has an exclamation mark */
  #type() {
    if (this.#take('[')) {
      this.#type();
      this.#expect(']');
    } else this.#name();
    return this.#take('!');
  }

  #selections() {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH)
      throw new SyntaxProblem(`A query is nested at most ${MAX_DEPTH} levels deep`);
    this.#expect('{');
    const list = [];
    while (!this.#take('}')) list.push(this.#selection());
    if (list.length === 0) throw new SyntaxProblem('Expected NAME, actual: RCURLY ("}")');
    this.#depth -= 1;
    return list;
  }

  #selection() {
    if (this.#take('...')) {
      if (this.#is('on') || this.#is('{') || this.#is('@')) {
        const on = this.#take('on') ? this.#name() : undefined;
        return { kind: 'inline', on, directives: this.#directives(), selections: this.#selections() };
      }
      return { kind: 'spread', name: this.#name(), directives: this.#directives() };
    }
    const first = this.#name();
    const name = this.#take(':') ? this.#name() : first;
    const args = this.#arguments();
    const directives = this.#directives();
    const selections = this.#is('{') ? this.#selections() : undefined;
    return { kind: 'field', alias: first, name, args, directives, selections };
  }

  #arguments() {
    const args = [];
    if (!this.#take('(')) return args;
    while (!this.#take(')')) {
      const name = this.#name();
      this.#expect(':');
      args.push([name, this.#deferred()]);
    }
    return args;
  }

  #directives() {
    const list = [];
    while (this.#take('@')) list.push({ name: this.#name(), args: this.#arguments() });
    return list;
  }

  /** A value that may hold variables: what gives it. */
  #deferred() {
    const start = this.#at;
    this.#value({});
    const tokens = this.tokens.slice(start, this.#at);
    return (variables) => new Parser(tokens).#value(variables);
  }

  #value(variables) {
    if (this.#take('$'))
      return Object.hasOwn(variables, this.#peek()?.text ?? '') ? variables[this.#name()] : void this.#name();
    if (this.#take('[')) {
      const list = [];
      while (!this.#take(']')) list.push(this.#value(variables));
      return list;
    }
    if (this.#take('{')) {
      const entries = [];
      while (!this.#take('}')) {
        const name = this.#name();
        this.#expect(':');
        entries.push([name, this.#value(variables)]);
      }
      return Object.fromEntries(entries);
    }
    const token = this.#next();
    if (token.kind === 'value') return token.value;
    if (token.kind !== 'name') throw new SyntaxProblem(`Expected a value, actual: "${token.text}"`);
    const words = { true: true, false: false, null: null };
    return Object.hasOwn(words, token.text) ? words[token.text] : token.text;
  }

  #peek() {
    return this.tokens[this.#at];
  }

  #is(text) {
    const token = this.#peek();
    return token?.text === text && token.kind !== 'value';
  }

  #take(text) {
    if (!this.#is(text)) return false;
    this.#at += 1;
    return true;
  }

  #next() {
    const token = this.#peek();
    if (token === undefined) throw new SyntaxProblem('Unexpected end of document');
    this.#at += 1;
    return token;
  }

  #expect(text) {
    const token = this.#next();
    if (token.text !== text || token.kind === 'value')
      throw new SyntaxProblem(`Expected "${text}", actual: "${token.text}"`);
  }

  #name() {
    const token = this.#next();
    if (token.kind !== 'name') throw new SyntaxProblem(`Expected a name, actual: "${token.text}"`);
    return token.text;
  }
}
