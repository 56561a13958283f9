import { checkLength } from './coded-length.js';
import { decodeJson } from './cjson-decode.js';
import { encodeJson, type JsonOptions } from './cjson-encode.js';
import { LuaArgumentError, LuaType, type LuaFunction, type LuaMachine } from './lua-machine.js';

/** The library `cjson` (Lua CJSON 2.1). */
export function cjsonLibrary(lua: LuaMachine): Record<string, LuaFunction> {
  const { x } = lua;
  const options: JsonOptions = {
    convertsSparse: false,
    ratio: 2,
    safe: 10,
    maxEncodeDepth: 1000,
    maxDecodeDepth: 1000,
    precision: 14,
    encodesInvalid: false,
    decodesInvalid: true,
    keepsBuffer: true,
  };
  const expectOne: (L: number) => void = (L) => {
    if (x.lua_gettop(L) !== 1) throw new LuaArgumentError(1, 'expected 1 argument');
  };
  const whole = (L: number, argument: number, least: number, most: number): number | undefined => {
    if (x.lua_gettop(L) < argument || x.lua_type(L, argument) === LuaType.nil) return undefined;
    const value = Math.trunc(lua.numberArgument(L, argument));
    if (value < least || value > most)
      throw new LuaArgumentError(argument, `expected integer between ${least} and ${most}`);
    return value;
  };
  const flag = (L: number, argument: number): boolean | undefined => {
    if (x.lua_gettop(L) < argument || x.lua_type(L, argument) === LuaType.nil) return undefined;
    return x.lua_toboolean(L, argument) === 1;
  };
  const MOST = 2 ** 31 - 1;
  return {
    encode(L) {
      expectOne(L);
      const text = encodeJson(lua, L, options);
      lua.push(L, text);
      lua.pauseSoon(L);
      return 1;
    },
    decode(L) {
      expectOne(L);
      const text = lua.textArgument(L, 1);
      checkLength(text, 'JSON');
      decodeJson(lua, L, text, options);
      lua.pauseSoon(L);
      return 1;
    },
    encode_sparse_array(L) {
      options.convertsSparse = flag(L, 1) ?? options.convertsSparse;
      options.ratio = whole(L, 2, 0, MOST) ?? options.ratio;
      options.safe = whole(L, 3, 0, MOST) ?? options.safe;
      x.lua_pushboolean(L, options.convertsSparse ? 1 : 0);
      x.lua_pushnumber(L, options.ratio);
      x.lua_pushnumber(L, options.safe);
      return 3;
    },
    encode_max_depth(L) {
      options.maxEncodeDepth = whole(L, 1, 1, MOST) ?? options.maxEncodeDepth;
      x.lua_pushnumber(L, options.maxEncodeDepth);
      return 1;
    },
    decode_max_depth(L) {
      options.maxDecodeDepth = whole(L, 1, 1, MOST) ?? options.maxDecodeDepth;
      x.lua_pushnumber(L, options.maxDecodeDepth);
      return 1;
    },
    encode_number_precision(L) {
      options.precision = whole(L, 1, 1, 14) ?? options.precision;
      x.lua_pushnumber(L, options.precision);
      return 1;
    },
    encode_keep_buffer(L) {
      options.keepsBuffer = flag(L, 1) ?? options.keepsBuffer;
      x.lua_pushboolean(L, options.keepsBuffer ? 1 : 0);
      return 1;
    },
    encode_invalid_numbers(L) {
      const isText = x.lua_gettop(L) > 0 && x.lua_type(L, 1) === LuaType.string;
      options.encodesInvalid =
        isText && lua.text(L, 1) === 'null' ? 'null' : (flag(L, 1) ?? options.encodesInvalid);
      if (options.encodesInvalid === 'null') lua.push(L, 'null');
      else x.lua_pushboolean(L, options.encodesInvalid ? 1 : 0);
      return 1;
    },
    decode_invalid_numbers(L) {
      options.decodesInvalid = flag(L, 1) ?? options.decodesInvalid;
      x.lua_pushboolean(L, options.decodesInvalid ? 1 : 0);
      return 1;
    },
  };
}
