import { checkLength, CodedCount } from './coded-length.js';
import { LuaFailure, LuaType, type LuaMachine } from './lua-machine.js';
import type { Pointer } from './lua-module.js';
import { formatGeneral } from './number-text.js';

/** What the functions `cjson.encode_...` and `cjson.decode_...` set. */
export interface JsonOptions {
  /** What becomes of a list with many holes: an object, or an error. */
  convertsSparse: boolean;
  /** A list is sparse when it has more than so many places for each item, and more than {@link safe}; 0: never. */
  ratio: number;
  safe: number;
  maxEncodeDepth: number;
  maxDecodeDepth: number;
  precision: number;
  encodesInvalid: boolean | 'null';
  decodesInvalid: boolean;
  keepsBuffer: boolean;
}

const SPECIAL = /["\\/\x00-\x1f\x7f]/;
const EACH_SPECIAL = /["\\/\x00-\x1f\x7f]/g;
const SHORT: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['/', '\\/'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\f', '\\f'],
  ['\r', '\\r'],
]);

/** How a value is encoded, and how many were. */
interface Encoding extends JsonOptions {
  readonly count: CodedCount;
}

/** Encodes the value on top of a stack as JSON, as Lua CJSON 2.1 does. @throws LuaFailure */
export function encodeJson(lua: LuaMachine, L: Pointer, options: JsonOptions): string {
  return encodeValue(lua, L, { ...options, count: new CodedCount('JSON') }, 0);
}

function encodeValue(lua: LuaMachine, L: Pointer, options: Encoding, depth: number): string {
  const { x } = lua;
  const type = x.lua_type(L, -1);
  options.count.values(1);
  switch (type) {
    case LuaType.string:
      return quote(lua.text(L, -1), options.count);
    case LuaType.number:
      return encodeNumber(x.lua_tonumber(L, -1), options);
    case LuaType.boolean:
      return x.lua_toboolean(L, -1) === 1 ? 'true' : 'false';
    case LuaType.nil:
      return 'null';
    case LuaType.table: {
      if (depth >= options.maxEncodeDepth || x.lua_checkstack(L, 3) === 0)
        throw new LuaFailure(`Cannot serialise, excessive nesting (${depth + 1})`);
      const length = lengthOf(lua, L, options);
      return length > 0
        ? encodeList(lua, L, options, depth + 1, length)
        : encodeObject(lua, L, options, depth + 1);
    }
    case LuaType.lightUserdata:
      if (x.lua_topointer(L, -1) === 0) return 'null';
      throw new LuaFailure('Cannot serialise userdata: type not supported');
    default:
      throw new LuaFailure(
        `Cannot serialise ${type === LuaType.function ? 'function' : type === 8 ? 'thread' : 'userdata'}: type not supported`,
      );
  }
}

function encodeNumber(value: number, { precision, encodesInvalid }: JsonOptions): string {
  if (!Number.isFinite(value)) {
    if (encodesInvalid === 'null') return 'null';
    if (!encodesInvalid) throw new LuaFailure('Cannot serialise number: must not be NaN or Inf');
    return formatGeneral(value, precision).replace('inf', 'Infinity').replace('nan', 'NaN');
  }
  return formatGeneral(value, precision);
}

/** The length of a table that is a list; -1 for one that is none, and for an empty one. */
function lengthOf(
  lua: LuaMachine,
  L: Pointer,
  { convertsSparse, ratio, safe, count: limit }: Encoding,
): number {
  const { x } = lua;
  let most = 0;
  let count = 0;
  x.lua_pushnil(L);
  while (x.lua_next(L, -2) !== 0) {
    const key = x.lua_type(L, -2) === LuaType.number ? x.lua_tonumber(L, -2) : 0;
    if (key < 1 || !Number.isInteger(key)) {
      lua.pop(L, 2);
      return -1;
    }
    most = Math.max(most, key);
    count += 1;
    limit.checkEntries(count);
    lua.pop(L);
  }
  if (ratio > 0 && most > count * ratio && most > safe) {
    if (!convertsSparse) throw new LuaFailure('Cannot serialise table: excessively sparse array');
    return -1;
  }
  return most === 0 ? -1 : most;
}

function encodeList(lua: LuaMachine, L: Pointer, options: Encoding, depth: number, length: number): string {
  let text = '[';
  for (let index = 1; index <= length; index += 1) {
    if (index > 1) text += ',';
    lua.x.lua_rawgeti(L, -1, index);
    text += encodeValue(lua, L, options, depth);
    checkLength(text, 'JSON');
    lua.pop(L);
  }
  return `${text}]`;
}

function encodeObject(lua: LuaMachine, L: Pointer, options: Encoding, depth: number): string {
  const { x } = lua;
  let text = '{';
  x.lua_pushnil(L);
  while (x.lua_next(L, -2) !== 0) {
    if (text.length > 1) text += ',';
    const type = x.lua_type(L, -2);
    options.count.values(1);
    if (type === LuaType.number) text += `"${encodeNumber(x.lua_tonumber(L, -2), options)}":`;
    else if (type === LuaType.string) text += `${quote(lua.text(L, -2), options.count)}:`;
    else
      throw new LuaFailure(
        `Cannot serialise ${type === LuaType.boolean ? 'boolean' : type === LuaType.table ? 'table' : 'userdata'}: table key must be a number or string`,
      );
    text += encodeValue(lua, L, options, depth);
    checkLength(text, 'JSON');
    lua.pop(L);
  }
  return `${text}}`;
}

function quote(text: string, count: CodedCount): string {
  if (!SPECIAL.test(text)) return `"${text}"`;
  const escaped = text.replace(EACH_SPECIAL, (char) => {
    count.escapes(1);
    return SHORT.get(char) ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `"${escaped}"`;
}
