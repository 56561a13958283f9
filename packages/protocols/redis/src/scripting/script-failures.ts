import type { Encoded } from '../wire/long-reply.js';
import { error } from '../wire/reply.js';
import { LuaType, type LuaMachine } from './lua-machine.js';
import type { Pointer } from './lua-module.js';

/** The answer to a script that has failed: what it has thrown is on top. */
export function describeTop(lua: LuaMachine, L: Pointer, name: string): Encoded {
  const stopped = lua.stopReason;
  const type = lua.type(L, -1);
  if (stopped !== undefined)
    return describeFailure(lua, L, name, type === LuaType.string ? lua.text(L, -1) : stopped);
  if (type === LuaType.table)
    return withPlace(lua, L, name, lua.textField(L, -1, 'err') ?? 'ERR unknown error');
  if (type === LuaType.string || type === LuaType.number)
    return describeFailure(lua, L, name, lua.text(L, -1));
  if (type === LuaType.boolean)
    return describeFailure(lua, L, name, String(lua.x.lua_toboolean(L, -1) === 1));
  return describeFailure(lua, L, name, 'nil');
}

/** The answer to a script that has failed with this message. */
export function describeFailure(lua: LuaMachine, L: Pointer, name: string, message: string): Encoded {
  return withPlace(lua, L, name, `ERR ${message}`);
}

function withPlace(lua: LuaMachine, L: Pointer, name: string, message: string): Encoded {
  const place = lua.place(L);
  return error(
    place === undefined ? message : `${message} script: ${name}, on ${place.source}:${place.line}.`,
  );
}
