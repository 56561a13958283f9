import type { ByteReader } from '@backlot/kit/framing';
import type { Type } from 'avsc';
import type { AvroType } from './avro-types.js';

/** What one message may become: each value costs its place and the characters that its schema adds. */
const MAX_COST = 4_000_000;
const VALUE_COST = 20;
const MAX_DEPTH = 200;

/**
 * Reads values of Avro (specification 1.11, "Binary encoding") as JSON. Bytes are texts of one character a byte, as in Avro's JSON
 * encoding; what a union holds stands there without its type; integers beyond 2^53 are texts.
 *
 * The library would make lists of whatever length is said, and go on behind the end.
 */
export class AvroReader {
  readonly #reader: ByteReader;
  #cost = 0;
  #depth = 0;

  constructor(reader: ByteReader) {
    this.#reader = reader;
  }

  /** @throws Error when the bytes are no value of the type, or one that is too large */
  read(type: Type): unknown {
    this.#pay(VALUE_COST);
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new Error(`the value is nested more than ${MAX_DEPTH} deep`);
    const value = this.#value(type as AvroType);
    this.#depth -= 1;
    return value;
  }

  #value(type: AvroType): unknown {
    const reader = this.#reader;
    const { typeName } = type;
    switch (typeName) {
      case 'null':
        return null;
      case 'boolean':
        return reader.u8() !== 0;
      case 'int':
        return Number(this.#long());
      case 'long':
        return asNumber(this.#long());
      case 'float':
        return finite(reader.bytes(4).readFloatLE(0));
      case 'double':
        return finite(reader.bytes(8).readDoubleLE(0));
      case 'bytes':
        return reader.bytes(this.#length()).toString('latin1');
      case 'string':
        return reader.bytes(this.#length()).toString('utf8');
      case 'fixed':
        return reader.bytes(type.size).toString('latin1');
      case 'enum':
        return this.#symbol(type.symbols);
      case 'array':
        return this.#list(type.itemsType);
      case 'map':
        return this.#map(type.valuesType);
      case 'record':
      case 'error':
        return this.#record(type);
      default:
        return this.#union(type);
    }
  }

  #record({ fields }: AvroType): object {
    const record = Object.create(null) as Record<string, unknown>;
    for (const { name, type } of fields) {
      this.#pay(name.length);
      record[name] = this.read(type);
    }
    return record;
  }

  #symbol(symbols: readonly string[]): string {
    const symbol = symbols[Number(this.#long())];
    if (symbol === undefined) throw new Error('an enum has no such symbol');
    this.#pay(symbol.length);
    return symbol;
  }

  #union({ types, typeName }: AvroType): unknown {
    if (!typeName.startsWith('union')) throw new Error(`values of type ${typeName} are not read`);
    const branch = types[Number(this.#long())];
    if (branch === undefined) throw new Error('a union has no such branch');
    return this.read(branch);
  }

  #list(items: AvroType): unknown[] {
    const list: unknown[] = [];
    for (const _ of this.#blocks()) list.push(this.read(items));
    return list;
  }

  #map(values: AvroType): object {
    const map = Object.create(null) as Record<string, unknown>;
    for (const _ of this.#blocks())
      map[this.#reader.bytes(this.#length()).toString('utf8')] = this.read(values);
    return map;
  }

  /** One step for each element: they come in blocks, the last one of which is empty. */
  *#blocks(): Generator<undefined> {
    for (let count = this.#count(); count > 0n; count = this.#count()) {
      for (let left = count; left > 0n; left -= 1n) yield;
    }
  }

  #count(): bigint {
    const count = this.#long();
    if (count >= 0n) return count;
    // Its size in bytes follows.
    this.#long();
    return -count;
  }

  #length(): number {
    const length = this.#long();
    if (length < 0n || length > BigInt(this.#reader.remaining)) {
      throw new Error(`a length of ${length} does not fit into ${this.#reader.remaining} bytes`);
    }
    return Number(length);
  }

  #long(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#reader.u8();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n));
    }
    throw new Error('a number is longer than 10 bytes');
  }

  #pay(cost: number): void {
    this.#cost += cost;
    if (this.#cost > MAX_COST) throw new Error('the value is too large to be shown');
  }
}

function asNumber(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** JSON has no other numbers. */
function finite(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
