import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { MAX_DEPTH } from '../codec/encode.js';
import { FieldError } from '../codec/field-error.js';
import type { EnumType, Field, MessageType } from '../schema/model.js';

type Fields = ReadonlyMap<number, Field>;

/**
 * Looks at the bytes of a message, which have been found to be one, for what a reader passes over: fields that its type does not
 * have, and numbers that its enums do not have.
 *
 * @param most - as many fields are looked at
 * @returns whether that were all of them
 * @throws FieldError for the first of what is wrong
 */
export function scanMessage(type: MessageType, bytes: Uint8Array, most: number): boolean {
  const reader = new BinaryReader(bytes);
  const scan = new Scan(reader, most);
  scan.fields(type.byNumber, type.fullName, reader.len, []);
  return scan.isWhole;
}

class Scan {
  readonly #reader: BinaryReader;
  #left: number;

  constructor(reader: BinaryReader, most: number) {
    this.#reader = reader;
    this.#left = most;
  }

  /** Whether there was enough for all fields. */
  get isWhole(): boolean {
    return this.#left > 0;
  }

  fields(byNumber: Fields, name: string, end: number, path: readonly string[]): void {
    const reader = this.#reader;
    while (reader.pos < end && this.#left > 0) {
      this.#left -= 1;
      const [number, wire] = reader.tag();
      if (wire === WireType.EndGroup) return;
      const field = byNumber.get(number);
      if (field === undefined) throw new FieldError(`must be a field of ${name}`, [...path, String(number)]);
      this.#field(field, wire, end, [...path, field.name]);
    }
  }

  #field(field: Field, wire: WireType, end: number, path: readonly string[]): void {
    const reader = this.#reader;
    const { kind } = field;
    if (kind.type === 'enum') return this.#enum(kind.enum, wire, path);
    const within =
      kind.type === 'message'
        ? { byNumber: kind.message.byNumber, name: kind.message.fullName }
        : kind.type === 'map'
          ? { byNumber: kind.byNumber, name: field.name }
          : undefined;
    if (within === undefined || path.length > MAX_DEPTH) {
      reader.skip(wire, field.number);
      return;
    }
    const until = wire === WireType.LengthDelimited ? reader.uint32() + reader.pos : end;
    this.fields(within.byNumber, within.name, until, path);
  }

  #enum(type: EnumType, wire: WireType, path: readonly string[]): void {
    const reader = this.#reader;
    const until = wire === WireType.LengthDelimited ? reader.uint32() + reader.pos : reader.pos + 1;
    do {
      if (reader.pos >= until) return;
      const value = reader.int32();
      if (!type.byNumber.has(value))
        throw new FieldError(`must be a value of ${type.fullName}, and not ${value}`, path);
    } while (wire === WireType.LengthDelimited);
  }
}
