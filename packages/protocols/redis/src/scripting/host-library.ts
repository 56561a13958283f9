import { boundedPatterns } from './bounded-patterns.js';
import { LuaArgumentError, LuaFailure, type LuaFunction, type LuaMachine } from './lua-machine.js';
import type { Rand48 } from './random.js';

/** Bytes of a text that `string.rep` makes. */
const MAX_REPEATED = 64 * 1024 * 1024;

/** What the prelude asks of the host. */
export function hostLibrary(lua: LuaMachine): Record<string, LuaFunction> {
  const { x } = lua;
  return {
    enter(L) {
      lua.enter(x.lua_tothread(L, 1));
      return 0;
    },
    leave(L) {
      x.lua_pushboolean(L, lua.leave() ? 1 : 0);
      return 1;
    },
    rep(L) {
      const text = lua.text(L, 1);
      const times = Math.max(0, Math.trunc(x.lua_tonumber(L, 2)));
      if (text.length * times > MAX_REPEATED) throw new LuaFailure('not enough memory', false);
      lua.push(L, text.repeat(times));
      return 1;
    },
    iscfunction(L) {
      x.lua_pushboolean(L, x.lua_iscfunction(L, 1));
      return 1;
    },
    guard(L) {
      const { find, match, gmatch, gsub } = boundedPatterns(lua, L);
      for (const f of [find, match, gmatch, gsub]) lua.pushFunction(L, f);
      return 4;
    },
  };
}

const RAND_MAX = 2 ** 31 - 1;

/** The functions of `math` that give numbers by chance: in the same order after every start, as Redis has it. */
export function mathLibrary(lua: LuaMachine, random: Rand48): Record<string, LuaFunction> {
  const { x } = lua;
  return {
    random(L) {
      const part = (random.next() % RAND_MAX) / RAND_MAX;
      const count = x.lua_gettop(L);
      if (count > 2) throw new LuaFailure('wrong number of arguments');
      const low = count === 2 ? Math.trunc(lua.numberArgument(L, 1)) : 1;
      const high = count === 0 ? 1 : Math.trunc(lua.numberArgument(L, count));
      if (low > high) throw new LuaArgumentError(Math.max(count, 1), 'interval is empty');
      x.lua_pushnumber(L, count === 0 ? part : Math.floor(part * (high - low + 1)) + low);
      return 1;
    },
    randomseed(L) {
      random.seed(Math.trunc(lua.numberArgument(L, 1)));
      return 0;
    },
  };
}
