import type { Resp } from '../wire/reply.js';
import { LuaFailure, type LuaMachine } from './lua-machine.js';
import type { Pointer } from './lua-module.js';

/**
 * Pushes an encoded answer as the value that a script gets (redis.io, "Scripting with Lua", conversion from RESP to Lua):
 * with the types of RESP2, or those of RESP3 after `redis.setresp(3)`.
 */
export function pushReply(lua: LuaMachine, L: Pointer, reply: string, resp: Resp): void {
  new ReplyReader(lua, L, reply, resp).push();
}

class ReplyReader {
  readonly #lua: LuaMachine;
  readonly #L: Pointer;
  readonly #reply: string;
  readonly #resp: Resp;
  #at = 0;

  constructor(lua: LuaMachine, L: Pointer, reply: string, resp: Resp) {
    this.#lua = lua;
    this.#L = L;
    this.#reply = reply;
    this.#resp = resp;
  }

  /** Pushes the next value. */
  push(): void {
    const { x } = this.#lua;
    const type = this.#reply[this.#at];
    const line = this.#line();
    switch (type) {
      case '$':
        if (line === '-1') this.#nil();
        else this.#lua.push(this.#L, this.#bytes(Number(line)));
        break;
      case ':':
        x.lua_pushnumber(this.#L, Number(line));
        break;
      case '+':
        this.#single('ok', line);
        break;
      case '-':
        pushError(this.#lua, this.#L, line);
        break;
      case '*':
      case '>':
        if (line === '-1') this.#nil();
        else this.#list(Number(line));
        break;
      case '%':
        this.#keyed('map', Number(line), true);
        break;
      case '~':
        this.#keyed('set', Number(line), false);
        break;
      default:
        this.#simple(type, line);
    }
  }

  #simple(type: string | undefined, line: string): void {
    const { x } = this.#lua;
    switch (type) {
      case '_':
        x.lua_pushnil(this.#L);
        break;
      case '#':
        x.lua_pushboolean(this.#L, line === 't' ? 1 : 0);
        break;
      case ',':
        this.#table();
        x.lua_pushnumber(this.#L, toDouble(line));
        this.#lua.setField(this.#L, -2, 'double');
        break;
      case '(':
        this.#single('big_number', line);
        break;
      case '=': {
        const text = this.#bytes(Number(line));
        this.#table();
        this.#single('string', text.slice(4));
        this.#lua.push(this.#L, text.slice(0, 3));
        this.#lua.setField(this.#L, -2, 'format');
        this.#lua.setField(this.#L, -2, 'verbatim_string');
        break;
      }
      default:
        throw new LuaFailure('an answer could not be read');
    }
  }

  #nil(): void {
    if (this.#resp === 3) this.#lua.x.lua_pushnil(this.#L);
    else this.#lua.x.lua_pushboolean(this.#L, 0);
  }

  #table(items = 0): void {
    if (this.#lua.x.lua_checkstack(this.#L, 8) === 0) throw new LuaFailure('lua stack limit reached');
    this.#lua.x.lua_createtable(this.#L, items, 0);
  }

  #single(name: string, text: string): void {
    this.#table();
    this.#lua.push(this.#L, text);
    this.#lua.setField(this.#L, -2, name);
  }

  #list(count: number): void {
    this.#table(count);
    for (let index = 1; index <= count; index += 1) {
      this.push();
      this.#lua.x.lua_rawseti(this.#L, -2, index);
    }
  }

  #keyed(name: string, count: number, hasValues: boolean): void {
    this.#table();
    this.#table();
    for (let left = count; left > 0; left -= 1) {
      this.push();
      if (hasValues) this.push();
      else this.#lua.x.lua_pushboolean(this.#L, 1);
      this.#lua.x.lua_rawset(this.#L, -3);
    }
    this.#lua.setField(this.#L, -2, name);
  }

  #line(): string {
    const end = this.#reply.indexOf('\r\n', this.#at);
    const line = this.#reply.slice(this.#at + 1, end);
    this.#at = end + 2;
    return line;
  }

  #bytes(length: number): string {
    const bytes = this.#reply.slice(this.#at, this.#at + length);
    this.#at += length + 2;
    return bytes;
  }
}

/** Pushes an error as scripts have it: its text without the sign, and that it was counted. */
export function pushError(lua: LuaMachine, L: Pointer, text: string): void {
  lua.x.lua_createtable(L, 0, 2);
  lua.push(L, text);
  lua.setField(L, -2, 'err');
  lua.x.lua_pushboolean(L, 1);
  lua.setField(L, -2, 'ignore_error_stats_update');
}

function toDouble(text: string): number {
  if (text === 'inf') return Infinity;
  return text === '-inf' ? -Infinity : Number(text);
}
