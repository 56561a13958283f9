import { CodedCount } from './coded-length.js';
import { LuaFailure, type LuaMachine } from './lua-machine.js';
import type { Pointer } from './lua-module.js';

/** Values within each other that are read. */
const MAX_DEPTH = 1000;

/** Reads MessagePack, value by value, and pushes what it reads. */
export class MessageReader {
  readonly #lua: LuaMachine;
  readonly #L: Pointer;
  readonly #bytes: Buffer;
  readonly #count = new CodedCount('MessagePack');
  at: number;

  constructor(lua: LuaMachine, L: Pointer, text: string, at: number) {
    this.#lua = lua;
    this.#L = L;
    this.#bytes = Buffer.from(text, 'latin1');
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  /** Pushes the next value. @throws LuaFailure */
  value(depth: number): void {
    const { x } = this.#lua;
    this.#count.values(1);
    const type = this.#bytes.readUInt8(this.#skip(1));
    if (type < 0x80) x.lua_pushnumber(this.#L, type);
    else if (type < 0x90) this.#map(type - 0x80, depth);
    else if (type < 0xa0) this.#list(type - 0x90, depth);
    else if (type < 0xc0) this.#text(type - 0xa0);
    else if (type >= 0xe0) x.lua_pushnumber(this.#L, type - 256);
    else this.#tagged(type, depth);
  }

  #tagged(type: number, depth: number): void {
    const { x } = this.#lua;
    switch (type) {
      case 0xc0:
        x.lua_pushnil(this.#L);
        break;
      case 0xc2:
      case 0xc3:
        x.lua_pushboolean(this.#L, type - 0xc2);
        break;
      case 0xd9:
      case 0xda:
      case 0xdb:
        this.#text(this.#unsigned(2 ** (type - 0xd9)));
        break;
      case 0xdc:
      case 0xdd:
        this.#list(this.#unsigned(type === 0xdc ? 2 : 4), depth);
        break;
      case 0xde:
      case 0xdf:
        this.#map(this.#unsigned(type === 0xde ? 2 : 4), depth);
        break;
      default:
        x.lua_pushnumber(this.#L, this.#number(type));
    }
  }

  #number(type: number): number {
    switch (type) {
      case 0xca:
        return this.#bytes.readFloatBE(this.#skip(4));
      case 0xcb:
        return this.#bytes.readDoubleBE(this.#skip(8));
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#unsigned(2 ** (type - 0xcc));
      case 0xcf:
        return Number(this.#bytes.readBigUInt64BE(this.#skip(8)));
      case 0xd0:
      case 0xd1:
      case 0xd2: {
        const size = 2 ** (type - 0xd0);
        return this.#bytes.readIntBE(this.#skip(size), size);
      }
      case 0xd3:
        return Number(this.#bytes.readBigInt64BE(this.#skip(8)));
      default:
        throw new LuaFailure('Bad data format in input.');
    }
  }

  #unsigned(size: number): number {
    return this.#bytes.readUIntBE(this.#skip(size), size);
  }

  /** Goes over bytes, and gives where they begin. */
  #skip(size: number): number {
    const { at } = this;
    if (at + size > this.#bytes.length) throw new LuaFailure('Missing bytes in input.');
    this.at += size;
    return at;
  }

  #text(size: number): void {
    const start = this.#skip(size);
    this.#lua.push(this.#L, this.#bytes.toString('latin1', start, start + size));
  }

  #open(depth: number): void {
    if (depth >= MAX_DEPTH || this.#lua.x.lua_checkstack(this.#L, 4) === 0)
      throw new LuaFailure('Bad data format in input.');
    this.#lua.x.lua_createtable(this.#L, 0, 0);
  }

  #list(count: number, depth: number): void {
    this.#open(depth);
    for (let index = 1; index <= count; index += 1) {
      this.value(depth + 1);
      this.#lua.x.lua_rawseti(this.#L, -2, index);
    }
  }

  #map(count: number, depth: number): void {
    this.#open(depth);
    for (let left = count; left > 0; left -= 1) {
      this.value(depth + 1);
      this.value(depth + 1);
      if (this.#lua.type(this.#L, -2) === 0) throw new LuaFailure('table index is nil');
      this.#lua.x.lua_rawset(this.#L, -3);
    }
  }
}
