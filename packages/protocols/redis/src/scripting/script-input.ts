import type { LuaMachine } from './lua-machine.js';
import type { Pointer } from './lua-module.js';
import type { ScriptInput } from './script-run.js';

/**
 * Pushes a script with its keys and arguments: those of a function are its arguments, those of a script globals.
 *
 * @param inner - the place of the table behind the globals
 * @returns how many arguments it is called with
 */
export function pushInput(
  lua: LuaMachine,
  L: Pointer,
  inner: number,
  { chunk, keys, args, isFunction }: ScriptInput,
): number {
  lua.pushKept(L, chunk);
  if (isFunction) {
    pushList(lua, L, keys);
    pushList(lua, L, args);
    return 2;
  }
  lua.pushKept(L, inner);
  pushList(lua, L, keys);
  lua.setField(L, -2, 'KEYS');
  pushList(lua, L, args);
  lua.setField(L, -2, 'ARGV');
  lua.pop(L);
  return 0;
}

function pushList(lua: LuaMachine, L: Pointer, items: readonly string[]): void {
  lua.x.lua_createtable(L, items.length, 0);
  let index = 0;
  for (const item of items) {
    lua.push(L, item);
    index += 1;
    lua.x.lua_rawseti(L, -2, index);
  }
}
