/** What {@link readScalar} and what uses it give for what only the whole parser reads. */
export const UNSURE: unique symbol = Symbol('unsure');

/** The key of a mapping on one line, with its colon: a plain name, or a quoted one without escapes. */
const KEY =
  /((?:[A-Za-z_/]|\.(?=[A-Za-z_]))(?:[\w./-]|:(?=[\w./-]))*)(?:: +|:$)|"([^"\\]*)"(?:: +|:$)|'([^']*)'(?:: +|:$)/y;
const NO_NAME = /^(?:null|true|false|\.inf|\.nan)$/i;

const DOUBLE_QUOTED = /"(?:[^"\\]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/y;
const SINGLE_QUOTED = /'(?:[^']|'')*'/y;
/** A plain scalar inside of `{}` or `[]`, of characters that mean nothing there. */
const FLOW_PLAIN =
  /[\w./+=()~^;<$-](?:(?:[\w./*+@%=()~^;<>$!?&|'" -]|:(?=[\w./*+@%=]))*(?:[\w./*+@%=()~^;<>$!?&|'"-]|:(?=[\w./*+@%=])))?/y;
const SPACE = / */y;
const SPECIAL_START = /^(?:[,[\]{}#&*!|>'"%@`]|[-?:](?: |$))/;
const NUMBER =
  /^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/;

const MAX_DEPTH = 50;

/** The key that begins at a place of a line, and where its value begins; `undefined` when there is none. */
export function readKey(
  line: string,
  from: number,
): { readonly key: string; readonly end: number } | undefined {
  KEY.lastIndex = from;
  const found = KEY.exec(line);
  if (found === null) return undefined;
  const [whole, plain, double, single] = found;
  const key = plain ?? double ?? single ?? '';
  if ((plain !== undefined && NO_NAME.test(plain)) || key === '__proto__' || key === '<<') return undefined;
  return { key, end: from + whole.length };
}

/** The value of a text that is one scalar, list or mapping on a line. */
export function readScalar(text: string): unknown {
  const first = text.charAt(0);
  if (first === '"' || first === "'" || first === '[' || first === '{') {
    const value = new FlowReader(text).readAll();
    return value;
  }
  return isPlain(text) ? plainValue(text) : UNSURE;
}

/** Whether a text is known to be one scalar, list or mapping, also where {@link readScalar} does not say which. */
export function isRightScalar(text: string): boolean {
  return /^["'[{]/.test(text) ? readScalar(text) !== UNSURE : isPlain(text);
}

function isPlain(text: string): boolean {
  return !(SPECIAL_START.test(text) || text.includes(': ') || text.endsWith(':') || text.includes(' #'));
}

/** A plain scalar by the core schema (YAML 1.2.2, section 10.3.2); a number only in the form in which it is printed. */
function plainValue(text: string): unknown {
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (text === 'null' || text === '~') return null;
  if (NO_NAME.test(text)) return UNSURE;
  if (!NUMBER.test(text)) return text;
  const number = Number(text);
  return String(number) === text ? number : UNSURE;
}

/** Reads quoted texts, lists and mappings on one line. */
class FlowReader {
  #at = 0;

  constructor(private readonly text: string) {}

  readAll(): unknown {
    const value = this.#readValue(0);
    return this.#at === this.text.length ? value : UNSURE;
  }

  #readValue(depth: number): unknown {
    if (depth > MAX_DEPTH) return UNSURE;
    switch (this.text.charAt(this.#at)) {
      case '"': {
        const quoted = this.#take(DOUBLE_QUOTED);
        return quoted === undefined ? UNSURE : (JSON.parse(quoted) as unknown);
      }
      case "'": {
        const quoted = this.#take(SINGLE_QUOTED);
        return quoted === undefined ? UNSURE : quoted.slice(1, -1).replaceAll("''", "'");
      }
      case '[':
        return this.#readList(depth);
      case '{':
        return this.#readMapping(depth);
      default: {
        const plain = this.#take(FLOW_PLAIN);
        return plain === undefined || SPECIAL_START.test(plain) ? UNSURE : plainValue(plain);
      }
    }
  }

  #readList(depth: number): unknown {
    const list: unknown[] = [];
    this.#at += 1;
    this.#take(SPACE);
    if (this.#takeMark(']')) return list;
    for (;;) {
      const item = this.#readValue(depth + 1);
      if (item === UNSURE) return UNSURE;
      list.push(item);
      this.#take(SPACE);
      if (this.#takeMark(']')) return list;
      if (!this.#takeMark(',')) return UNSURE;
      this.#take(SPACE);
      if (this.#takeMark(']')) return list;
    }
  }

  #readMapping(depth: number): unknown {
    const mapping: Record<string, unknown> = {};
    this.#at += 1;
    this.#take(SPACE);
    if (this.#takeMark('}')) return mapping;
    for (;;) {
      const found = readKey(this.text, this.#at);
      if (found === undefined || Object.hasOwn(mapping, found.key)) return UNSURE;
      this.#at = found.end;
      const value = this.#readValue(depth + 1);
      if (value === UNSURE) return UNSURE;
      mapping[found.key] = value;
      this.#take(SPACE);
      if (this.#takeMark('}')) return mapping;
      if (!this.#takeMark(',')) return UNSURE;
      this.#take(SPACE);
      if (this.#takeMark('}')) return mapping;
    }
  }

  #takeMark(mark: string): boolean {
    if (this.text.charAt(this.#at) !== mark) return false;
    this.#at += 1;
    return true;
  }

  #take(expression: RegExp): string | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}
