import type { Clock } from '@backlot/core/plugin';
import { bitLibrary } from './bit.js';
import { cjsonLibrary } from './cjson.js';
import { cmsgpackLibrary } from './cmsgpack.js';
import { hostLibrary, mathLibrary } from './host-library.js';
import { GLOBALS, type LuaFunction, type LuaMachine } from './lua-machine.js';
import type { Rand48 } from './random.js';
import { defineConstants, redisLibrary, type RedisLibraryHost } from './redis-library.js';
import { structLibrary } from './struct.js';

/** What libraries tell of themselves. */
const ABOUT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  cjson: { _NAME: 'cjson', _VERSION: '2.1.0' },
  cmsgpack: {
    _NAME: 'cmsgpack',
    _VERSION: 'lua-cmsgpack 0.4.0',
    _DESCRIPTION: 'MessagePack C implementation for Lua',
  },
};

/** Pushes the functions of the host, and a table of the libraries by their names, onto the main thread. */
export function pushLibraries(lua: LuaMachine, random: Rand48, clock: Clock, host: RedisLibraryHost): void {
  const { x, main } = lua;
  const startedAt = clock.now();
  const pushTable = (functions: Record<string, LuaFunction>): void => {
    x.lua_createtable(main, 0, 8);
    lua.define(functions);
  };
  pushTable(hostLibrary(lua));
  x.lua_createtable(main, 0, 8);
  const libraries: readonly (readonly [string, Record<string, LuaFunction>])[] = [
    ['redis', redisLibrary(lua, host)],
    ['cjson', cjsonLibrary(lua)],
    ['cmsgpack', cmsgpackLibrary(lua)],
    ['bit', bitLibrary(lua)],
    ['struct', structLibrary(lua)],
    [
      'os',
      {
        clock(L) {
          x.lua_pushnumber(L, (clock.now() - startedAt) / 1000);
          return 1;
        },
      },
    ],
  ];
  for (const [name, functions] of libraries) {
    pushTable(functions);
    if (name === 'redis') defineConstants(lua);
    if (name === 'cjson') {
      x.lua_pushlightuserdata(main, 0);
      lua.setField(main, -2, 'null');
    }
    for (const [key, text] of Object.entries(ABOUT[name] ?? {})) {
      lua.push(main, text);
      lua.setField(main, -2, key);
    }
    lua.setField(main, -2, name);
  }
  // math is there already: what it does by chance is done by the host.
  lua.push(main, 'math');
  x.lua_rawget(main, GLOBALS);
  lua.define(mathLibrary(lua, random));
  lua.pop(main);
}
