import { createHash } from 'node:crypto';
import { VERSION } from '../commands/server-facts.js';
import { findCommand } from '../commands/table.js';
import { LuaFailure, LuaType, type LuaFunction, type LuaMachine } from './lua-machine.js';
import type { Pointer } from './lua-module.js';
import { formatGeneral } from './number-text.js';

/** What the library asks of who runs a script. */
export interface RedisLibraryHost {
  /** Carries a command out and gives the number of results that it has pushed. */
  call(L: Pointer, args: readonly string[], raises: boolean): number;
  setResp(resp: 2 | 3): void;
  log(level: number, text: string): void;
  /** Whether a script runs, so that commands can be carried out. */
  isRunning(): boolean;
}

const LEVELS = ['LOG_DEBUG', 'LOG_VERBOSE', 'LOG_NOTICE', 'LOG_WARNING'];
const CONSTANTS: Readonly<Record<string, number>> = {
  REDIS_VERSION_NUM: 0x07000f,
  REPL_NONE: 0,
  REPL_AOF: 1,
  REPL_SLAVE: 2,
  REPL_REPLICA: 2,
  REPL_ALL: 3,
};

/** The functions of the table `redis` (redis.io, "Redis Lua API reference"). */
export function redisLibrary(lua: LuaMachine, host: RedisLibraryHost): Record<string, LuaFunction> {
  const { x } = lua;
  const raise = (L: Pointer, text: string): number => {
    pushPlainError(lua, L, text);
    return x.lua_error(L);
  };
  const call =
    (raises: boolean): LuaFunction =>
    (L) => {
      const args = readArguments(lua, L);
      if (!host.isRunning())
        throw new LuaFailure('redis.call/pcall can only be called inside a script invocation');
      if (typeof args !== 'string') return host.call(L, args, raises);
      if (raises) return raise(L, args);
      pushPlainError(lua, L, args);
      return 1;
    };
  const single =
    (push: (L: Pointer, text: string) => void): LuaFunction =>
    (L) => {
      if (x.lua_gettop(L) !== 1 || x.lua_type(L, 1) !== LuaType.string)
        pushPlainError(lua, L, 'wrong number or type of arguments');
      else push(L, lua.text(L, 1));
      return 1;
    };
  return {
    call: call(true),
    pcall: call(false),
    error_reply: single((L, text) => pushErrorText(lua, L, text.replace(/^-/, ''))),
    status_reply: single((L, text) => {
      x.lua_createtable(L, 0, 1);
      lua.push(L, text);
      lua.setField(L, -2, 'ok');
    }),
    sha1hex(L) {
      if (x.lua_gettop(L) !== 1) return raise(L, 'wrong number of arguments');
      const type = x.lua_type(L, 1);
      const text = type === LuaType.string || type === LuaType.number ? lua.text(L, 1) : '';
      lua.push(L, createHash('sha1').update(text, 'latin1').digest('hex'));
      return 1;
    },
    ...redisLoadLibrary(lua, (level, text) => host.log(level, text)),
    setresp(L) {
      if (x.lua_gettop(L) !== 1) return raise(L, 'redis.setresp() requires one argument.');
      const resp = x.lua_tonumber(L, 1);
      if (resp !== 2 && resp !== 3) return raise(L, 'RESP version must be 2 or 3.');
      host.setResp(resp);
      return 0;
    },
    set_repl(L) {
      if (x.lua_gettop(L) !== 1) return raise(L, 'redis.set_repl() requires two arguments.');
      const flags = x.lua_tonumber(L, 1);
      return Number.isInteger(flags) && flags >= 0 && flags <= 3
        ? 0
        : raise(L, 'Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.');
    },
    replicate_commands(L) {
      x.lua_pushboolean(L, 1);
      return 1;
    },
    breakpoint(L) {
      x.lua_pushboolean(L, 0);
      return 1;
    },
    debug: () => 0,
    acl_check_cmd(L) {
      const args = readArguments(lua, L);
      if (typeof args === 'string') return raise(L, args);
      if (findCommand(args) === undefined) return raise(L, 'Invalid command passed to redis.acl_check_cmd()');
      x.lua_pushboolean(L, 1);
      return 1;
    },
  };
}

/** The functions of the table `redis` that are there while a library of functions is loaded as well. */
export function redisLoadLibrary(
  lua: LuaMachine,
  write: (level: number, text: string) => void,
): Record<string, LuaFunction> {
  const { x } = lua;
  const raise = (L: Pointer, text: string): number => {
    pushPlainError(lua, L, text);
    return x.lua_error(L);
  };
  return {
    log(L) {
      const count = x.lua_gettop(L);
      if (count < 2) return raise(L, 'redis.log() requires two arguments or more.');
      if (x.lua_type(L, 1) !== LuaType.number)
        return raise(L, 'First argument must be a number (log level).');
      const level = Math.trunc(x.lua_tonumber(L, 1));
      if (level < 0 || level > 3) return raise(L, 'Invalid debug level.');
      const words: string[] = [];
      for (let index = 2; index <= count; index += 1) {
        const type = x.lua_type(L, index);
        if (type === LuaType.string || type === LuaType.number) words.push(lua.text(L, index));
      }
      write(level, words.join(' '));
      return 0;
    },
  };
}

/** Puts the constants of the table `redis` into the table on top of the main thread. */
export function defineConstants(lua: LuaMachine): void {
  lua.push(lua.main, VERSION);
  lua.setField(lua.main, -2, 'REDIS_VERSION');
  for (const [name, value] of [
    ...Object.entries(CONSTANTS),
    ...LEVELS.map((level, index) => [level, index] as const),
  ]) {
    lua.x.lua_pushnumber(lua.main, value);
    lua.setField(lua.main, -2, name);
  }
}

/** Pushes an error with the class ERR in front. */
export function pushPlainError(lua: LuaMachine, L: Pointer, text: string): void {
  pushErrorText(lua, L, `ERR ${text}`);
}

/** Pushes an error; the first of several words is its class. */
function pushErrorText(lua: LuaMachine, L: Pointer, text: string): void {
  lua.x.lua_createtable(L, 0, 1);
  lua.push(L, text.includes(' ') ? text : `ERR ${text}`);
  lua.setField(L, -2, 'err');
}

/** The command that the arguments on the stack are; a text that says what is wrong with them. */
function readArguments(lua: LuaMachine, L: Pointer): string[] | string {
  const { x } = lua;
  const count = x.lua_gettop(L);
  if (count === 0) return 'Please specify at least one argument for this redis lib call';
  const args: string[] = [];
  for (let index = 1; index <= count; index += 1) {
    const type = x.lua_type(L, index);
    if (type === LuaType.number) args.push(formatGeneral(x.lua_tonumber(L, index), 17));
    else if (type === LuaType.string) args.push(lua.text(L, index));
    else return 'Lua redis lib command arguments must be strings or integers';
  }
  return args;
}
