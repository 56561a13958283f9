import { checkLength, type CodedCount } from './coded-length.js';
import { LuaType, type LuaMachine } from './lua-machine.js';
import type { Pointer } from './lua-module.js';

/** Tables within each other; deeper ones are nil, as in lua-cmsgpack. */
const MAX_NESTING = 16;
const number = Buffer.alloc(8);

/** The MessagePack of the value on top of a stack, in the form of the wire. */
export function packMessage(lua: LuaMachine, L: Pointer, level: number, count: CodedCount): string {
  const { x } = lua;
  count.values(1);
  switch (x.lua_type(L, -1)) {
    case LuaType.string:
      return packText(lua.text(L, -1));
    case LuaType.number:
      return packNumber(x.lua_tonumber(L, -1));
    case LuaType.boolean:
      return x.lua_toboolean(L, -1) === 1 ? '\xc3' : '\xc2';
    case LuaType.table:
      if (level >= MAX_NESTING || x.lua_checkstack(L, 4) === 0) return '\xc0';
      return packTable(lua, L, level, count);
    default:
      return '\xc0';
  }
}

function packText(text: string): string {
  const { length } = text;
  if (length < 32) return String.fromCharCode(0xa0 + length) + text;
  if (length <= 0xff) return `\xd9${bigEndian(length, 1)}${text}`;
  return (length <= 0xffff ? `\xda${bigEndian(length, 2)}` : `\xdb${bigEndian(length, 4)}`) + text;
}

function packNumber(value: number): string {
  if (!Number.isInteger(value) || value >= 2 ** 63 || value < -(2 ** 63)) {
    number.writeFloatBE(value);
    if (number.readFloatBE() === value) return `\xca${number.toString('latin1', 0, 4)}`;
    number.writeDoubleBE(value);
    return `\xcb${number.toString('latin1', 0, 8)}`;
  }
  if (value >= 0) {
    if (value <= 0x7f) return String.fromCharCode(value);
    if (value <= 0xff) return `\xcc${bigEndian(value, 1)}`;
    if (value <= 0xffff) return `\xcd${bigEndian(value, 2)}`;
    if (value <= 0xffffffff) return `\xce${bigEndian(value, 4)}`;
    return `\xcf${bigEndian64(value)}`;
  }
  if (value >= -32) return String.fromCharCode(256 + value);
  if (value >= -0x80) return `\xd0${bigEndian(256 + value, 1)}`;
  if (value >= -0x8000) return `\xd1${bigEndian(0x10000 + value, 2)}`;
  if (value >= -0x80000000) return `\xd2${bigEndian(0x100000000 + value, 4)}`;
  return `\xd3${bigEndian64(value)}`;
}

function packTable(lua: LuaMachine, L: Pointer, level: number, limit: CodedCount): string {
  const { x } = lua;
  const { count, isList } = measure(lua, L, limit);
  let text = head(count, isList);
  if (isList) {
    for (let index = 1; index <= count; index += 1) {
      x.lua_rawgeti(L, -1, index);
      text += packMessage(lua, L, level + 1, limit);
      checkLength(text, 'MessagePack');
      lua.pop(L);
    }
    return text;
  }
  x.lua_pushnil(L);
  while (x.lua_next(L, -2) !== 0) {
    x.lua_pushvalue(L, -2);
    text += packMessage(lua, L, level + 1, limit);
    lua.pop(L);
    text += packMessage(lua, L, level + 1, limit);
    checkLength(text, 'MessagePack');
    lua.pop(L);
  }
  return text;
}

function head(count: number, isList: boolean): string {
  if (count <= 15) return String.fromCharCode((isList ? 0x90 : 0x80) + count);
  return count <= 0xffff
    ? `${isList ? '\xdc' : '\xde'}${bigEndian(count, 2)}`
    : `${isList ? '\xdd' : '\xdf'}${bigEndian(count, 4)}`;
}

/** How many entries the table on top has, and whether their keys are 1 up to that. */
function measure(
  lua: LuaMachine,
  L: Pointer,
  limit: CodedCount,
): { readonly count: number; readonly isList: boolean } {
  const { x } = lua;
  let count = 0;
  let most = 0;
  let isList = true;
  x.lua_pushnil(L);
  while (x.lua_next(L, -2) !== 0) {
    const key = x.lua_type(L, -2) === LuaType.number ? x.lua_tonumber(L, -2) : 0;
    if (key <= 0 || !Number.isInteger(key)) isList = false;
    most = Math.max(most, key);
    count += 1;
    limit.checkEntries(count);
    lua.pop(L);
  }
  return { count, isList: isList && most === count };
}

function bigEndian(value: number, size: number): string {
  number.writeUIntBE(value, 0, size);
  return number.toString('latin1', 0, size);
}

function bigEndian64(value: number): string {
  number.writeBigInt64BE(BigInt.asIntN(64, BigInt(value)));
  return number.toString('latin1', 0, 8);
}
