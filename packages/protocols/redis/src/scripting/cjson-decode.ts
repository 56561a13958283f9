import type { JsonOptions } from './cjson-encode.js';
import { CodedCount } from './coded-length.js';
import { LuaFailure, type LuaMachine } from './lua-machine.js';
import type { Pointer } from './lua-module.js';

const NUMBER =
  /[+-]?(?:0x[0-9a-f]*(?:\.[0-9a-f]*)?|inf(?:inity)?|nan|\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)/iy;
/** Numbers that C reads and JSON does not have. */
const INVALID = /^-?(?:0x|0\d|inf|nan)/;
const PLAIN = /[^"\\\x00]*/y;
const SPACE = /[ \t\n\r]*/y;
const ZERO = 0x30;
const NINE = 0x39;
const POINT = 0x2e;
const LOWER_E = 0x65;
const UPPER_E = 0x45;
const BLANK = 0x20;
/** Digits of a number that is exact, however it is added up. */
const MOST_DIGITS = 15;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['t', '\t'],
  ['n', '\n'],
  ['f', '\f'],
  ['r', '\r'],
]);
const TOKENS: ReadonlyMap<string, string> = new Map([
  ['{', 'T_OBJ_BEGIN'],
  ['}', 'T_OBJ_END'],
  ['[', 'T_ARR_BEGIN'],
  [']', 'T_ARR_END'],
  [':', 'T_COLON'],
  [',', 'T_COMMA'],
]);

/** Pushes the value that a JSON text holds, as Lua CJSON 2.1 does. @throws LuaFailure */
export function decodeJson(
  lua: LuaMachine,
  L: Pointer,
  text: string,
  { maxDecodeDepth, decodesInvalid }: JsonOptions,
): void {
  if (text.length >= 2 && (text[0] === '\0' || text[1] === '\0'))
    throw new LuaFailure('JSON parser does not support UTF-16 or UTF-32');
  const reader = new JsonReader(lua, L, text, maxDecodeDepth, decodesInvalid);
  reader.value(0);
  reader.end();
}

class JsonReader {
  readonly #lua: LuaMachine;
  readonly #L: Pointer;
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #takesInvalid: boolean;
  readonly #count = new CodedCount('JSON');
  #at = 0;

  constructor(lua: LuaMachine, L: Pointer, text: string, maxDepth: number, takesInvalid: boolean) {
    this.#lua = lua;
    this.#L = L;
    this.#text = text;
    this.#maxDepth = maxDepth;
    this.#takesInvalid = takesInvalid;
  }

  value(depth: number): void {
    const { x } = this.#lua;
    this.#count.values(1);
    switch (this.#peek()) {
      case '"':
        this.#lua.push(this.#L, this.#string());
        break;
      case '{':
        this.#object(depth + 1);
        break;
      case '[':
        this.#list(depth + 1);
        break;
      default:
        if (this.#integer()) break;
        if (this.#word('true')) x.lua_pushboolean(this.#L, 1);
        else if (this.#word('false')) x.lua_pushboolean(this.#L, 0);
        else if (this.#word('null')) x.lua_pushlightuserdata(this.#L, 0);
        else this.#number();
    }
  }

  end(): void {
    if (this.#peek() !== undefined) this.#fail('the end');
  }

  #object(depth: number): void {
    this.#open(depth);
    this.#lua.x.lua_createtable(this.#L, 0, 0);
    if (this.#take('}')) return;
    do {
      if (this.#peek() !== '"') this.#fail('object key string');
      this.#count.values(1);
      this.#lua.push(this.#L, this.#string());
      if (!this.#take(':')) this.#fail('colon');
      this.value(depth);
      this.#lua.x.lua_rawset(this.#L, -3);
    } while (this.#take(','));
    if (!this.#take('}')) this.#fail('comma or object end');
  }

  #list(depth: number): void {
    this.#open(depth);
    this.#lua.x.lua_createtable(this.#L, 0, 0);
    if (this.#take(']')) return;
    let index = 0;
    do {
      this.value(depth);
      index += 1;
      this.#lua.x.lua_rawseti(this.#L, -2, index);
    } while (this.#take(','));
    if (!this.#take(']')) this.#fail('comma or array end');
  }

  #open(depth: number): void {
    this.#at += 1;
    if (depth > this.#maxDepth || this.#lua.x.lua_checkstack(this.#L, 3) === 0)
      throw new LuaFailure(`Found too many nested data structures (${depth}) at character ${this.#at}`);
  }

  #string(): string {
    let text = '';
    this.#at += 1;
    for (;;) {
      PLAIN.lastIndex = this.#at;
      text += PLAIN.exec(this.#text)?.[0] ?? '';
      this.#at = PLAIN.lastIndex;
      const char = this.#text[this.#at];
      if (char === '"') break;
      if (char !== '\\')
        this.#wrong(char === undefined ? 'unexpected end of string' : 'invalid token', this.#at);
      text += this.#escape();
    }
    this.#at += 1;
    return text;
  }

  #escape(): string {
    this.#count.escapes(1);
    const name = this.#text[this.#at + 1] ?? '';
    if (name !== 'u') {
      const char = ESCAPES.get(name) ?? this.#wrong('invalid escape code', this.#at);
      this.#at += 2;
      return char;
    }
    const start = this.#at;
    let code = this.#hexadecimal(start);
    this.#at += 6;
    if (code >= 0xd800 && code < 0xe000) {
      const isPair = code < 0xdc00 && this.#text.startsWith('\\u', this.#at);
      const low = isPair ? this.#hexadecimal(this.#at) : 0;
      if (low < 0xdc00 || low > 0xdfff) this.#wrong('invalid unicode escape code', start);
      this.#at += 6;
      code = 0x10000 + (code - 0xd800) * 0x400 + (low - 0xdc00);
    }
    if (code < 0x80) return String.fromCharCode(code);
    return Buffer.from(String.fromCodePoint(code), 'utf8').toString('latin1');
  }

  #hexadecimal(at: number): number {
    const digits = this.#text.slice(at + 2, at + 6);
    return /^[0-9a-f]{4}$/i.test(digits)
      ? parseInt(digits, 16)
      : this.#wrong('invalid unicode escape code', at);
  }

  /** What most numbers are: few digits, without a zero in front and without anything behind them that belongs to it. */
  #integer(): boolean {
    const text = this.#text;
    let at = this.#at;
    let code = text.charCodeAt(at);
    if (!(code > ZERO && code <= NINE)) return false;
    let value = 0;
    for (; code >= ZERO && code <= NINE; code = text.charCodeAt(at)) {
      value = value * 10 + (code - ZERO);
      at += 1;
    }
    if (at - this.#at > MOST_DIGITS || code === POINT || code === LOWER_E || code === UPPER_E) return false;
    this.#at = at;
    this.#lua.x.lua_pushnumber(this.#L, value);
    return true;
  }

  #number(): void {
    NUMBER.lastIndex = this.#at;
    const found = this.#text[this.#at] === '+' ? undefined : NUMBER.exec(this.#text)?.[0].toLowerCase();
    if (found === undefined) this.#fail('value');
    if (!this.#takesInvalid && INVALID.test(found)) this.#wrong('invalid number', this.#at);
    this.#at = NUMBER.lastIndex;
    this.#lua.x.lua_pushnumber(this.#L, toNumber(found));
  }

  #word(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    return true;
  }

  #take(char: string): boolean {
    if (this.#peek() !== char) return false;
    this.#at += 1;
    return true;
  }

  /** The next character that is no space. */
  #peek(): string | undefined {
    if (this.#text.charCodeAt(this.#at) <= BLANK) {
      SPACE.lastIndex = this.#at;
      SPACE.test(this.#text);
      this.#at = SPACE.lastIndex;
    }
    return this.#text[this.#at];
  }

  #fail(expected: string): never {
    const { token, at } = this.#found();
    throw new LuaFailure(`Expected ${expected} but found ${token} at character ${at + 1}`);
  }

  /** What stands where something else was expected. */
  #found(): { readonly token: string; readonly at: number } {
    const at = this.#at;
    const char = this.#peek();
    const known = char === undefined ? 'T_END' : TOKENS.get(char);
    if (known !== undefined) return { token: known, at: this.#at };
    if (char === '"') return { token: 'T_STRING', at };
    if (this.#word('true') || this.#word('false')) return { token: 'T_BOOLEAN', at };
    if (this.#word('null')) return { token: 'T_NULL', at };
    NUMBER.lastIndex = this.#at;
    return { token: NUMBER.test(this.#text) ? 'T_NUMBER' : 'invalid token', at: this.#at };
  }

  #wrong(problem: string, at: number): never {
    throw new LuaFailure(`Expected value but found ${problem} at character ${at + 1}`);
  }
}

function toNumber(text: string): number {
  const isNegative = text.startsWith('-');
  const bare = text.replace(/^[+-]/, '');
  if (bare === 'nan') return NaN;
  const size = bare.startsWith('inf') ? Infinity : Number(bare);
  return isNegative ? -size : size;
}
