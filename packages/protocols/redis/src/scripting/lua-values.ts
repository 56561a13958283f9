import type { Pointer } from './lua-module.js';

/** What `lua_type` tells. */
export const LuaType = {
  nil: 0,
  boolean: 1,
  lightUserdata: 2,
  number: 3,
  string: 4,
  table: 5,
  function: 6,
} as const;

/** An error that a function of ours raises within Lua; the place of the script is put in front when it has one. */
export class LuaFailure extends Error {
  override readonly name = 'LuaFailure';
  readonly isPlaced: boolean;

  constructor(message: string, isPlaced = true) {
    super(message);
    this.isPlaced = isPlaced;
  }
}

/** The thread, and the argument that is wrong. */
export class LuaArgumentError extends Error {
  override readonly name = 'LuaArgumentError';
  readonly argument: number;

  constructor(argument: number, message: string) {
    super(message);
    this.argument = argument;
  }
}

/** A function that Lua calls: its arguments are on the stack of the thread, and it gives how many results it has pushed. */
export type LuaFunction = (L: Pointer) => number;
