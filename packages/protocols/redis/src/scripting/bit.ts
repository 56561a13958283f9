import type { LuaFunction, LuaMachine } from './lua-machine.js';

/** The library `bit` (Lua BitOp 1.0): operations on 32 bits. */
export function bitLibrary(lua: LuaMachine): Record<string, LuaFunction> {
  const { x } = lua;
  const read = (L: number, argument: number): number => toBits(lua.numberArgument(L, argument));
  const give = (L: number, value: number): number => {
    x.lua_pushnumber(L, value | 0);
    return 1;
  };
  const fold =
    (combine: (one: number, other: number) => number): LuaFunction =>
    (L) => {
      let value = read(L, 1);
      for (let index = x.lua_gettop(L); index > 1; index -= 1) value = combine(value, read(L, index));
      return give(L, value);
    };
  const shift =
    (move: (value: number, count: number) => number): LuaFunction =>
    (L) =>
      give(L, move(read(L, 1), read(L, 2) & 31));
  return {
    tobit: (L) => give(L, read(L, 1)),
    bnot: (L) => give(L, ~read(L, 1)),
    band: fold((one, other) => one & other),
    bor: fold((one, other) => one | other),
    bxor: fold((one, other) => one ^ other),
    lshift: shift((value, count) => value << count),
    rshift: shift((value, count) => value >>> count),
    arshift: shift((value, count) => value >> count),
    rol: shift((value, count) => (value << count) | (value >>> ((32 - count) & 31))),
    ror: shift((value, count) => (value >>> count) | (value << ((32 - count) & 31))),
    bswap(L) {
      const value = read(L, 1);
      return give(L, (value << 24) | ((value & 0xff00) << 8) | ((value >>> 8) & 0xff00) | (value >>> 24));
    },
    tohex(L) {
      const value = read(L, 1) >>> 0;
      const wanted = x.lua_gettop(L) < 2 ? 8 : read(L, 2);
      const digits = value
        .toString(16)
        .padStart(8, '0')
        .slice(-Math.min(Math.abs(wanted), 8));
      lua.push(L, wanted === 0 ? '' : wanted < 0 ? digits.toUpperCase() : digits);
      return 1;
    },
  };
}

/** The lowest 32 bits; fractions are rounded to the nearest, and halves to the even one. */
function toBits(value: number): number {
  if (Number.isInteger(value)) return value | 0;
  const below = Math.floor(value);
  const rest = value - below;
  return (rest > 0.5 || (rest === 0.5 && below % 2 !== 0) ? below + 1 : below) | 0;
}
