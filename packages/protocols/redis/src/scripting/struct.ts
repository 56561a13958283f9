import { LuaArgumentError, LuaFailure, type LuaFunction, type LuaMachine } from './lua-machine.js';

/** Most bytes of an integer. */
const MAX_INTEGER = 32;
/** What the alignment of the machine is, which `!` alone means. */
const NATIVE = 8;
const scratch = Buffer.alloc(8);

interface Field {
  readonly option: string;
  readonly size: number;
  readonly padding: number;
  readonly isLittle: boolean;
}

/** The library `struct` (Roberto Ierusalimschy's, 0.2), with the sizes of a 64-bit machine. */
export function structLibrary(lua: LuaMachine): Record<string, LuaFunction> {
  const { x } = lua;
  return {
    pack(L) {
      let text = '';
      let argument = 1;
      // What is missing is nil.
      x.lua_pushnil(L);
      for (const { option, size, padding, isLittle } of fields(lua.textArgument(L, 1), () => text.length)) {
        text += '\0'.repeat(padding);
        if (option === 'x') text += '\0';
        else if (option === 's' || option === 'c') {
          argument += 1;
          text += packText(lua.textArgument(L, argument), option, size, argument);
        } else {
          argument += 1;
          text += packNumber(lua.numberArgument(L, argument), option, size, isLittle);
        }
      }
      lua.push(L, text);
      return 1;
    },
    unpack(L) {
      const format = lua.textArgument(L, 1);
      const text = lua.textArgument(L, 2);
      let at = x.lua_gettop(L) < 3 ? 0 : Math.trunc(lua.numberArgument(L, 3)) - 1;
      if (at < 0) throw new LuaArgumentError(3, 'offset must be 1 or greater');
      const top = x.lua_gettop(L);
      for (const { option, size, padding, isLittle } of fields(format, () => at)) {
        at += padding;
        if (at + size > text.length) throw new LuaArgumentError(2, 'data string too short');
        if (x.lua_checkstack(L, 2) === 0) throw new LuaFailure('too many results');
        at += size;
        if (option === 'x') continue;
        if (option === 's') at = pushTerminated(lua, L, text, at);
        else if (option === 'c') at = pushCounted(lua, L, text, at, size, top);
        else x.lua_pushnumber(L, unpackNumber(text.slice(at - size, at), option, isLittle));
      }
      x.lua_pushnumber(L, at + 1);
      return x.lua_gettop(L) - top;
    },
    size(L) {
      let total = 0;
      for (const { option, size, padding } of fields(lua.textArgument(L, 1), () => total)) {
        if (option === 's') throw new LuaArgumentError(1, "option 's' has no fixed size");
        if (option === 'c' && size === 0) throw new LuaArgumentError(1, "option 'c0' has no fixed size");
        total += padding + size;
      }
      x.lua_pushnumber(L, total);
      return 1;
    },
  };
}

/** What a format describes; `position` gives where the next field begins. */
function* fields(format: string, position: () => number): Generator<Field, void> {
  let isLittle = true;
  let most = 1;
  let at = 0;
  const count = (fallback: number): number => {
    const digits = /^\d+/.exec(format.slice(at, at + 12))?.[0];
    if (digits === undefined) return fallback;
    at += digits.length;
    const value = Number(digits);
    if (value > 0x7fffffff) throw new LuaFailure('integral size overflow');
    return value;
  };
  while (at < format.length) {
    const option = format[at] ?? '';
    at += 1;
    if (option === ' ') continue;
    if (option === '<' || option === '>') isLittle = option === '<';
    else if (option === '!') {
      most = count(NATIVE);
      if (most === 0 || (most & (most - 1)) !== 0) throw new LuaFailure('alignment is not a power of 2');
    } else {
      const size = sizeOf(option, count);
      const align = Math.min(size, most);
      const isAligned = align > 1 && option !== 'c' && option !== 'x' && option !== 's';
      const padding = isAligned ? (align - (position() & (align - 1))) & (align - 1) : 0;
      yield { option, size, padding, isLittle };
    }
  }
}

function sizeOf(option: string, count: (fallback: number) => number): number {
  switch (option) {
    case 'b':
    case 'B':
    case 'x':
      return 1;
    case 'h':
    case 'H':
      return 2;
    case 'l':
    case 'L':
    case 'T':
    case 'd':
      return 8;
    case 'f':
      return 4;
    case 's':
      return 0;
    case 'c':
      return count(1);
    case 'i':
    case 'I': {
      const size = count(4);
      if (size > MAX_INTEGER)
        throw new LuaFailure(`integral size ${size} is larger than limit of ${MAX_INTEGER}`);
      return size;
    }
    default:
      throw new LuaArgumentError(1, `invalid format option '${option}'`);
  }
}

function packText(text: string, option: string, size: number, argument: number): string {
  if (option === 's') return `${text}\0`;
  const wanted = size === 0 ? text.length : size;
  if (text.length < wanted) throw new LuaArgumentError(argument + 1, 'string too short');
  return text.slice(0, wanted);
}

function packNumber(value: number, option: string, size: number, isLittle: boolean): string {
  if (option === 'f' || option === 'd') {
    if (option === 'f') scratch.writeFloatLE(value);
    else scratch.writeDoubleLE(value);
    return order(scratch.toString('latin1', 0, size), isLittle);
  }
  scratch.writeBigInt64LE(toInt64(value));
  const isNegative = value < 0;
  const filler = isNegative ? '\xff' : '\0';
  return order(scratch.toString('latin1', 0, 8).slice(0, size).padEnd(size, filler), isLittle);
}

function unpackNumber(bytes: string, option: string, isLittle: boolean): number {
  const text = order(bytes, isLittle);
  scratch.write(text.slice(0, 8).padEnd(8, '\0'), 0, 'latin1');
  if (option === 'f') return scratch.readFloatLE();
  if (option === 'd') return scratch.readDoubleLE();
  const value = scratch.readBigUInt64LE();
  const isSigned = option === option.toLowerCase();
  return Number(isSigned ? BigInt.asIntN(Math.min(64, bytes.length * 8), value) : value);
}

function order(bytes: string, isLittle: boolean): string {
  return isLittle ? bytes : [...bytes].reverse().join('');
}

function pushTerminated(lua: LuaMachine, L: number, text: string, at: number): number {
  const end = text.indexOf('\0', at);
  if (end < 0) throw new LuaFailure('unfinished string in data');
  lua.push(L, text.slice(at, end));
  return end + 1;
}

/** A text of as many bytes as the format says; for `c0` as the number before it says. */
function pushCounted(
  lua: LuaMachine,
  L: number,
  text: string,
  end: number,
  size: number,
  top: number,
): number {
  if (size > 0) {
    lua.push(L, text.slice(end - size, end));
    return end;
  }
  if (lua.x.lua_gettop(L) <= top || lua.type(L, -1) !== 3)
    throw new LuaFailure("format 'c0' needs a previous size");
  const count = Math.trunc(lua.x.lua_tonumber(L, -1));
  lua.pop(L);
  if (count < 0 || end + count > text.length) throw new LuaArgumentError(2, 'data string too short');
  lua.push(L, text.slice(end, end + count));
  return end + count;
}

function toInt64(value: number): bigint {
  if (!Number.isFinite(value)) return -(2n ** 63n);
  return BigInt.asIntN(64, BigInt(Math.trunc(value)));
}
