import { isAttributeName, syntaxOf } from './attribute-types.js';
import { assertion, describe, type Described, type Filter } from './filter.js';
import { foldPart } from './fold.js';
import { foldValue } from './values.js';

/** A text that is no filter. */
class FilterError extends Error {
  constructor(text: string, why: string) {
    super(`"${text.length > 200 ? `${text.slice(0, 200)}...` : text}" is no filter: ${why}`);
    this.name = 'FilterError';
  }
}

const MAX_DEPTH = 100;
const ITEM_END = /[()]/g;

/**
 * Reads a filter as RFC 4515 writes it, such as `(&(objectClass=person)(uid=a*))`. The outermost parentheses may be left
 * out, as on the command line of ldapsearch.
 *
 * @throws FilterError
 */
export function parseFilter(text: string): Filter {
  const trimmed = text.trim();
  const parser = new FilterParser(text, trimmed.startsWith('(') ? trimmed : `(${trimmed})`);
  return parser.parse();
}

class FilterParser {
  readonly #given: string;
  readonly #text: string;
  #at = 0;

  constructor(given: string, text: string) {
    this.#given = given;
    this.#text = text;
  }

  parse(): Filter {
    const filter = this.#filter(0);
    this.#skipSpaces();
    if (this.#at < this.#text.length) this.#fail(`"${this.#text.slice(this.#at)}" stands behind its end`);
    return filter;
  }

  #filter(depth: number): Filter {
    if (depth >= MAX_DEPTH) this.#fail(`it is nested deeper than ${MAX_DEPTH} levels`);
    this.#skipSpaces();
    this.#expect('(');
    this.#skipSpaces();
    const first = this.#text[this.#at];
    let filter: Filter;
    if (first === '&' || first === '|') {
      this.#at += 1;
      filter = { kind: first === '&' ? 'and' : 'or', filters: this.#list(depth) };
    } else if (first === '!') {
      this.#at += 1;
      filter = { kind: 'not', filter: this.#filter(depth + 1) };
    } else filter = this.#item();
    this.#skipSpaces();
    this.#expect(')');
    return filter;
  }

  #list(depth: number): Filter[] {
    const filters: Filter[] = [];
    for (;;) {
      this.#skipSpaces();
      if (this.#text[this.#at] !== '(') return filters;
      filters.push(this.#filter(depth + 1));
    }
  }

  #item(): Filter {
    ITEM_END.lastIndex = this.#at;
    const end = ITEM_END.exec(this.#text)?.index ?? this.#text.length;
    const item = this.#text.slice(this.#at, end);
    this.#at = end;
    const equals = item.indexOf('=');
    if (equals < 0) this.#fail(`"${item}" has no "="`);
    const sign = /[:<>~]/.exec(item[equals - 1] ?? '')?.[0] ?? '';
    const name = item.slice(0, equals - sign.length).trim();
    const value = item.slice(equals + 1);
    if (sign === ':') return this.#extensible(name, value);
    this.#checkName(name);
    if (sign === '') return this.#equality(name, value);
    const kind = sign === '>' ? 'greater' : sign === '<' ? 'less' : 'approx';
    return { kind, ...assertion(name, this.#value(value)) };
  }

  #equality(name: string, value: string): Filter {
    if (value === '*') return { kind: 'present', ...describe(name) };
    const parts = value.split('*');
    const [initial = '', ...rest] = parts;
    if (rest.length === 0) return { kind: 'equal', ...assertion(name, this.#value(value)) };
    const final = rest.pop() ?? '';
    return {
      kind: 'substrings',
      ...describe(name),
      initial: initial === '' ? undefined : this.#value(initial),
      any: rest.filter((part) => part !== '').map((part) => this.#value(part)),
      final: final === '' ? undefined : this.#value(final),
    };
  }

  #extensible(left: string, value: string): Filter {
    const [name = '', ...more] = left.split(':');
    const withDn = more[0]?.toLowerCase() === 'dn';
    if (withDn) more.shift();
    const [rule] = more;
    if (more.length > 1 || rule === '') this.#fail(`"${left}" is no attribute, "dn" and matching rule`);
    if (name === '' && rule === undefined) this.#fail(`"${left}:=" needs an attribute or a matching rule`);
    if (name !== '') this.#checkName(name);
    return {
      kind: 'extensible',
      rule,
      attribute: name === '' ? undefined : describe(name),
      value: this.#value(value),
      withDn,
    };
  }

  #value(text: string): Buffer {
    if (!text.includes('\\')) return Buffer.from(text, 'utf8');
    const bytes: Buffer[] = [];
    let start = 0;
    for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', start)) {
      const pair = text.slice(at + 1, at + 3);
      if (!/^[0-9a-fA-F]{2}$/.test(pair)) {
        this.#fail(`"\\${pair}" is no escape; write the byte as two hexadecimal digits, as in \\2a`);
      }
      bytes.push(Buffer.from(text.slice(start, at), 'utf8'), Buffer.from(pair, 'hex'));
      start = at + 3;
    }
    bytes.push(Buffer.from(text.slice(start), 'utf8'));
    return Buffer.concat(bytes);
  }

  #checkName(name: string): void {
    if (!isAttributeName(name)) this.#fail(`"${name}" is no attribute`);
  }

  #expect(letter: string): void {
    if (this.#text[this.#at] !== letter) {
      const found = this.#text[this.#at];
      this.#fail(`${found === undefined ? 'its end' : `"${found}"`} stands where "${letter}" must be`);
    }
    this.#at += 1;
  }

  #skipSpaces(): void {
    while (this.#text[this.#at] === ' ' || this.#text[this.#at] === '\n') this.#at += 1;
  }

  #fail(why: string): never {
    throw new FilterError(this.#given, why);
  }
}

/** Writes a filter as RFC 4515 has it. */
export function formatFilter(filter: Filter): string {
  return write(
    filter,
    ({ name }) => name,
    (_type, value) => escapeValue(value),
    false,
  );
}

/** The same text for filters that are equal but for case, order within `&` and `|`, and other names of attributes. */
export function filterKey(filter: Filter): string {
  return write(
    filter,
    ({ type, options }) => (options.length === 0 ? type : `${type};${[...options].sort().join(';')}`),
    (type, value, isPart) => {
      const syntax = syntaxOf(type);
      return escapeText(isPart ? foldPart(syntax, value) : foldValue(syntax, value));
    },
    true,
  );
}

type WriteName = (described: Described) => string;
type WriteValue = (type: string, value: Buffer, isPart: boolean) => string;

const SIGNS = { equal: '=', greater: '>=', less: '<=', approx: '~=' } as const;

function write(filter: Filter, name: WriteName, value: WriteValue, isSorted: boolean): string {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const parts = filter.filters.map((inner) => write(inner, name, value, isSorted));
      const list = isSorted ? [...new Set(parts)].sort() : parts;
      return `(${filter.kind === 'and' ? '&' : '|'}${list.join('')})`;
    }
    case 'not':
      return `(!${write(filter.filter, name, value, isSorted)})`;
    case 'present':
      return `(${name(filter)}=*)`;
    case 'substrings': {
      const parts = [filter.initial, ...filter.any, filter.final].map((part) =>
        part === undefined ? '' : value(filter.type, part, true),
      );
      return `(${name(filter)}=${parts.join('*')})`;
    }
    case 'extensible': {
      const { attribute, rule, withDn } = filter;
      const left = `${attribute === undefined ? '' : name(attribute)}${withDn ? ':dn' : ''}`;
      const named = rule === undefined ? '' : `:${isSorted ? rule.toLowerCase() : rule}`;
      return `(${left}${named}:=${escapeValue(filter.value)})`;
    }
    case 'unknown':
      return '(?)';
    default:
      return `(${name(filter)}${SIGNS[filter.kind]}${value(filter.type, filter.value, false)})`;
  }
}

const NEEDS_ESCAPE = /[\0()*\\]/g;

function escapeText(text: string): string {
  return text.replace(NEEDS_ESCAPE, (found) => `\\${found.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

function escapeValue(value: Buffer): string {
  const text = value.toString('utf8');
  if (!text.includes('\ufffd')) return escapeText(text);
  let escaped = '';
  for (const byte of value) {
    const isPlain = byte >= 0x20 && byte < 0x7f && !'()*\\'.includes(String.fromCharCode(byte));
    escaped += isPlain ? String.fromCharCode(byte) : `\\${byte.toString(16).padStart(2, '0')}`;
  }
  return escaped;
}
