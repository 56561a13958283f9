import { BAD_NAME, FUNCTION_FLAGS, isName, type LibraryFunction } from './function-library.js';
import { LuaType, type LuaFunction, type LuaMachine } from './lua-machine.js';
import type { Pointer } from './lua-module.js';
import { pushPlainError } from './redis-library.js';

/** A function that is being registered, with its place in the registry of Lua. */
export interface Registered extends LibraryFunction {
  readonly chunk: number;
}

/** What a call of `redis.register_function` has given so far. */
interface Given {
  name?: string;
  description?: string;
  chunk?: number;
  flags: ReadonlySet<string>;
}

/** A mistake in a call of `redis.register_function`. */
class Mistake extends Error {}

/** `redis.register_function` (redis.io, "Redis Lua API reference"). What it takes is added to `registered`. */
export function registerFunction(lua: LuaMachine, registered: Map<string, Registered>): LuaFunction {
  return (L) => {
    try {
      const { name, description, chunk, flags } = readCall(lua, L);
      if (name === undefined) throw new Mistake('redis.register_function must get a function name argument');
      if (chunk === undefined) throw new Mistake('redis.register_function must get a callback argument');
      if (!isName(name)) throw new Mistake(BAD_NAME);
      if (registered.has(name)) throw new Mistake('Function already exists in the library');
      registered.set(name, { name, description, chunk, flags });
      return 0;
    } catch (thrown) {
      if (!(thrown instanceof Mistake)) throw thrown;
      pushPlainError(lua, L, thrown.message);
    }
    return lua.x.lua_error(L);
  };
}

function readCall(lua: LuaMachine, L: Pointer): Given {
  const { x } = lua;
  const count = x.lua_gettop(L);
  if (count < 1 || count > 2) throw new Mistake('wrong number of arguments to redis.register_function');
  if (count === 1) return readNamed(lua, L);
  const name = textAt(lua, L, 1);
  if (name === undefined) throw new Mistake('first argument to redis.register_function must be a string');
  if (x.lua_type(L, 2) !== LuaType.function)
    throw new Mistake('second argument to redis.register_function must be a function');
  return { name, chunk: lua.keep(L), flags: new Set() };
}

function readNamed(lua: LuaMachine, L: Pointer): Given {
  const { x } = lua;
  if (x.lua_type(L, 1) !== LuaType.table)
    throw new Mistake(
      'calling redis.register_function with a single argument is only applicable to Lua table (representing named arguments).',
    );
  const given: Given = { flags: new Set() };
  x.lua_pushnil(L);
  while (x.lua_next(L, 1) !== 0) {
    const type = x.lua_type(L, -2);
    if (type !== LuaType.string && type !== LuaType.number)
      throw new Mistake('named argument key given to redis.register_function is not a string');
    readArgument(lua, L, type === LuaType.string ? lua.text(L, -2).toLowerCase() : '', given);
    x.lua_settop(L, 2);
  }
  return given;
}

/** Reads the value on top. */
function readArgument(lua: LuaMachine, L: Pointer, key: string, given: Given): void {
  switch (key) {
    case 'function_name':
      given.name = textArgument(lua, L, key);
      return;
    case 'description':
      given.description = textArgument(lua, L, key);
      return;
    case 'callback':
      if (lua.type(L, -1) !== LuaType.function)
        throw new Mistake('callback argument given to redis.register_function must be a function');
      given.chunk = lua.keep(L);
      return;
    case 'flags':
      given.flags = readFlags(lua, L);
      return;
    default:
      throw new Mistake('unknown argument given to redis.register_function');
  }
}

function readFlags(lua: LuaMachine, L: Pointer): ReadonlySet<string> {
  if (lua.type(L, -1) !== LuaType.table)
    throw new Mistake(
      'flags argument to redis.register_function must be a table representing function flags',
    );
  const flags = new Set<string>();
  for (let index = 1; ; index += 1) {
    lua.x.lua_rawgeti(L, -1, index);
    const type = lua.type(L, -1);
    const flag = textAt(lua, L, -1);
    lua.pop(L);
    if (type === LuaType.nil) return flags;
    if (flag === undefined || !FUNCTION_FLAGS.has(flag)) throw new Mistake('unknown flag given');
    flags.add(flag);
  }
}

function textArgument(lua: LuaMachine, L: Pointer, key: string): string {
  const text = textAt(lua, L, -1);
  if (text === undefined)
    throw new Mistake(`${key} argument given to redis.register_function must be a string`);
  return text;
}

function textAt(lua: LuaMachine, L: Pointer, index: number): string | undefined {
  const type = lua.type(L, index);
  return type === LuaType.string || type === LuaType.number ? lua.text(L, index) : undefined;
}
