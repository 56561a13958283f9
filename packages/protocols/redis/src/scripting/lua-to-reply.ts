import { joinReplies, type Encoded } from '../wire/long-reply.js';
import { boolean, bulk, scoreReply, error, integer, nil, simple, type Resp } from '../wire/reply.js';
import { oneLine } from '../wire/text.js';
import { LuaType, type LuaMachine } from './lua-machine.js';
import type { Pointer } from './lua-module.js';

/** Tables within each other that an answer may have. */
const MAX_DEPTH = 1000;
const MAX_INT64 = 2 ** 63;

/** The types of RESP that the client and the script speak. */
export interface ReplyForm {
  readonly client: Resp;
  readonly script: Resp;
}

/**
 * Encodes the value on top of a stack, and takes it off (redis.io, "Scripting with Lua", conversion from Lua to RESP):
 * numbers lose their fractions, a list ends before its first nil, and tables with `ok`, `err`, `double`, `map`, `set`,
 * `big_number` and `verbatim_string` are those types.
 */
export function takeReply(lua: LuaMachine, L: Pointer, form: ReplyForm): Encoded {
  return new ReplyWriter(lua, L, form).take(0);
}

class ReplyWriter {
  readonly #lua: LuaMachine;
  readonly #L: Pointer;
  readonly #form: ReplyForm;

  constructor(lua: LuaMachine, L: Pointer, form: ReplyForm) {
    this.#lua = lua;
    this.#L = L;
    this.#form = form;
  }

  take(depth: number): Encoded {
    const encoded = this.#encode(depth);
    this.#lua.pop(this.#L);
    return encoded;
  }

  #encode(depth: number): Encoded {
    const { x } = this.#lua;
    const { client, script } = this.#form;
    switch (x.lua_type(this.#L, -1)) {
      case LuaType.string:
        return bulk(this.#lua.text(this.#L, -1));
      case LuaType.boolean: {
        const value = x.lua_toboolean(this.#L, -1) === 1;
        if (script === 3) return boolean(value, client);
        return value ? ':1\r\n' : nil(client);
      }
      case LuaType.number:
        return integer(toInt64(x.lua_tonumber(this.#L, -1)));
      case LuaType.table:
        return depth >= MAX_DEPTH || x.lua_checkstack(this.#L, 10) === 0
          ? error('ERR reached lua stack limit')
          : this.#table(depth);
      default:
        return nil(client);
    }
  }

  #table(depth: number): Encoded {
    const { client } = this.#form;
    const failed = this.#text('err');
    if (failed !== undefined) return error(eachLineEnd(failed.replace(/^-/, '')));
    const done = this.#text('ok');
    if (done !== undefined) return simple(eachLineEnd(done));
    const number = this.#field('double', LuaType.number, () => this.#lua.x.lua_tonumber(this.#L, -1));
    if (number !== undefined) return scoreReply(number, client);
    const map = this.#field('map', LuaType.table, () => this.#entries(depth, client === 3 ? '%' : '*', true));
    if (map !== undefined) return map;
    const set = this.#field('set', LuaType.table, () =>
      this.#entries(depth, client === 3 ? '~' : '*', false),
    );
    if (set !== undefined) return set;
    const big = this.#text('big_number');
    if (big !== undefined) return client === 3 ? `(${oneLine(big)}\r\n` : bulk(oneLine(big));
    const verbatim = this.#field('verbatim_string', LuaType.table, () => this.#verbatim());
    return verbatim ?? this.#list(depth);
  }

  #verbatim(): string | undefined {
    const text = this.#text('string');
    const format = this.#text('format');
    if (text === undefined || format === undefined) return undefined;
    if (this.#form.client === 2) return bulk(text);
    return `=${text.length + 4}\r\n${format.slice(0, 3).padEnd(3, ' ')}:${text}\r\n`;
  }

  #entries(depth: number, sign: string, hasValues: boolean): Encoded {
    const { x } = this.#lua;
    const items: Encoded[] = [];
    let count = 0;
    x.lua_pushnil(this.#L);
    while (x.lua_next(this.#L, -2) !== 0) {
      // A copy of the key: what is read as a text must not change the key itself.
      x.lua_pushvalue(this.#L, -2);
      items.push(this.take(depth + 1));
      if (hasValues) items.push(this.take(depth + 1));
      else this.#lua.pop(this.#L);
      count += 1;
    }
    const length = sign === '*' ? items.length : count;
    return joinReplies(`${sign}${length}\r\n`, items);
  }

  #list(depth: number): Encoded {
    const { x } = this.#lua;
    const items: Encoded[] = [];
    for (let index = 1; ; index += 1) {
      x.lua_rawgeti(this.#L, -1, index);
      if (x.lua_type(this.#L, -1) === LuaType.nil) {
        this.#lua.pop(this.#L);
        break;
      }
      items.push(this.take(depth + 1));
    }
    return joinReplies(`*${items.length}\r\n`, items);
  }

  #text(name: string): string | undefined {
    return this.#field(name, LuaType.string, () => this.#lua.text(this.#L, -1));
  }

  #field<T>(name: string, type: number, read: () => T): T | undefined {
    this.#lua.rawField(this.#L, -1, name);
    const value = this.#lua.type(this.#L, -1) === type ? read() : undefined;
    this.#lua.pop(this.#L);
    return value;
  }
}

/** A text for an answer of one line, as long as before: each character of a line end becomes a space. */
function eachLineEnd(text: string): string {
  return text.replace(/[\r\n]/g, ' ');
}

/** A number without its fraction, as C makes an integer of 64 bits of it. */
function toInt64(value: number): number | bigint {
  const whole = Math.trunc(value);
  if (Number.isSafeInteger(whole)) return whole + 0;
  return whole >= -MAX_INT64 && whole < MAX_INT64 ? BigInt(whole) : -(2n ** 63n);
}
