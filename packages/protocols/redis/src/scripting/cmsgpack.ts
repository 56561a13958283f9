import { checkLength, CodedCount } from './coded-length.js';
import { LuaArgumentError, LuaFailure, LuaType, type LuaFunction, type LuaMachine } from './lua-machine.js';
import { packMessage } from './msgpack-pack.js';
import { MessageReader } from './msgpack-unpack.js';

/** The library `cmsgpack` (lua-cmsgpack 0.4). */
export function cmsgpackLibrary(lua: LuaMachine): Record<string, LuaFunction> {
  const { x } = lua;
  const unpack = (L: number, limit: number, offset: number): number => {
    const text = lua.textArgument(L, 1);
    checkLength(text, 'MessagePack');
    if (limit < 0 || offset < 0)
      throw new LuaFailure(`Invalid request to unpack with offset of ${offset} and limit of ${text.length}.`);
    if (offset > text.length)
      throw new LuaFailure(`Start offset ${offset} greater than input length ${text.length}.`);
    const reader = new MessageReader(lua, L, text, offset);
    const isAll = limit === 0 && offset === 0;
    x.lua_settop(L, 0);
    let count = 0;
    while (!reader.isAtEnd && (isAll || count < limit)) {
      if (x.lua_checkstack(L, 8) === 0) throw new LuaFailure('too many values to unpack');
      reader.value(0);
      count += 1;
    }
    lua.pauseSoon(L);
    if (isAll) return count;
    x.lua_pushnumber(L, reader.isAtEnd ? -1 : reader.at);
    x.lua_insert(L, 1);
    return count + 1;
  };
  const optional = (L: number, argument: number, fallback: number): number =>
    x.lua_gettop(L) < argument || x.lua_type(L, argument) === LuaType.nil
      ? fallback
      : Math.trunc(lua.numberArgument(L, argument));
  return {
    pack(L) {
      const count = x.lua_gettop(L);
      if (count === 0) throw new LuaArgumentError(0, 'MessagePack pack needs input.');
      let text = '';
      const values = new CodedCount('MessagePack');
      for (let index = 1; index <= count; index += 1) {
        if (x.lua_checkstack(L, 4) === 0)
          throw new LuaArgumentError(0, 'Too many arguments for MessagePack pack.');
        x.lua_pushvalue(L, index);
        text += packMessage(lua, L, 0, values);
        checkLength(text, 'MessagePack');
        lua.pop(L);
      }
      lua.push(L, text);
      lua.pauseSoon(L);
      return 1;
    },
    unpack: (L) => unpack(L, 0, 0),
    unpack_one: (L) => unpack(L, 1, optional(L, 2, 0)),
    unpack_limit: (L) => unpack(L, Math.trunc(lua.numberArgument(L, 2)), optional(L, 3, 0)),
  };
}
