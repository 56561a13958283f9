import { BinaryWriter } from '@bufbuild/protobuf/wire';
import type { EnumType, Field, FieldKind, MessageType } from '../schema/model.js';
import { FieldError, at, show } from './field-error.js';
import { SCALARS } from './scalars.js';
import { wellKnownOf } from './well-known.js';

/** Nested deeper than this no message is written or read. */
export const MAX_DEPTH = 100;
const MAX_NAMES = 20;
/** A writer keeps its buffer; one that has grown beyond this is let go. */
const MAX_KEPT = 64 * 1024;

let spare: BinaryWriter | undefined;

/** How a value is looked at. */
export interface EncodeOptions {
  /** Whether a number or boolean may stand where a string belongs, as a rendered tag leaves it. */
  readonly lenient?: boolean;
  /** Whether a text is not known yet, so that it fits anywhere. */
  readonly isOpen?: (text: string) => boolean;
}

/**
 * Encodes a JSON value as a message: names of fields as in the `.proto` file or in JSON, enums by name or number, 64-bit
 * integers as numbers or strings, bytes as base64, well-known types in their JSON form.
 *
 * @throws FieldError when it does not fit
 */
export function encodeMessage(type: MessageType, value: unknown, options: EncodeOptions = {}): Buffer {
  const writer = spare ?? new BinaryWriter();
  // Not to be had while it is in use, nor after a value that did not fit.
  spare = undefined;
  new Encoder(options).message(writer, type, value, 0);
  const bytes = writer.finish();
  if (bytes.length <= MAX_KEPT) spare = writer;
  return bufferOf(bytes);
}

/** The same bytes as a buffer. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

class Encoder {
  readonly #options: EncodeOptions;

  constructor(options: EncodeOptions) {
    this.#options = options;
  }

  message(writer: BinaryWriter, type: MessageType, value: unknown, depth: number): void {
    if (depth > MAX_DEPTH) throw new FieldError(`is nested deeper than ${MAX_DEPTH} levels`);
    if (this.#isOpen(value)) return;
    const wellKnown = wellKnownOf(type);
    if (wellKnown !== undefined) {
      const encode = (inner: MessageType, innerValue: unknown): Uint8Array =>
        this.#bytesOf(inner, innerValue, depth + 1);
      this.#plain(
        writer,
        type,
        wellKnown.toPlain(value, type, encode, (one) => this.#isOpen(one)),
        depth,
      );
      return;
    }
    this.#plain(writer, type, value, depth);
  }

  #plain(writer: BinaryWriter, type: MessageType, value: unknown, depth: number): void {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Uint8Array)
      throw new FieldError(`must be an object (${type.fullName}), got ${show(value)}`);
    const taken = new Map<string, string>();
    const seen = new Set<Field>();
    for (const [name, item] of Object.entries(value) as [string, unknown][]) {
      const field = type.byName.get(name);
      if (field === undefined) throw new FieldError(unknownField(type), [name]);
      if (seen.has(field)) throw new FieldError('is given twice, by both of its names', [name]);
      seen.add(field);
      if (item === undefined || (item === null && !takesNull(field.kind))) continue;
      if (field.oneof !== undefined) {
        const other = taken.get(field.oneof);
        if (other !== undefined)
          throw new FieldError(`cannot stand beside ${other}: both belong to the oneof "${field.oneof}"`, [
            name,
          ]);
        taken.set(field.oneof, name);
      }
      at(name, () => this.#field(writer, field, item, depth));
    }
    if (!type.hasRequired) return;
    for (const field of type.fields) {
      if (field.isRequired && !seen.has(field)) throw new FieldError('is required', [field.name]);
    }
  }

  #field(writer: BinaryWriter, field: Field, value: unknown, depth: number): void {
    if (this.#isOpen(value)) return;
    const { kind, number } = field;
    if (kind.type === 'map') return this.#map(writer, number, kind, value, depth);
    if (!field.isRepeated) return this.#one(writer, number, kind, value, depth, field.hasPresence);
    if (!Array.isArray(value)) throw new FieldError(`must be a list, got ${show(value)}`);
    if (value.length === 0) return;
    if (!field.isPacked) {
      value.forEach((item: unknown, index) =>
        at(index, () => this.#one(writer, number, kind, notNull(item, kind), depth, true)),
      );
      return;
    }
    writer.uint32((number << 3) | 2).fork();
    value.forEach((item: unknown, index) => at(index, () => this.#packed(writer, kind, item)));
    writer.join();
  }

  #packed(writer: BinaryWriter, kind: FieldKind, value: unknown): void {
    if (this.#isOpen(value)) return;
    if (kind.type === 'enum') writer.int32(enumNumber(kind.enum, value));
    else if (kind.type === 'scalar') {
      const codec = SCALARS[kind.scalar];
      codec.write(writer, codec.accept(value));
    }
  }

  #one(
    writer: BinaryWriter,
    number: number,
    kind: FieldKind,
    value: unknown,
    depth: number,
    isExplicit: boolean,
  ): void {
    if (this.#isOpen(value)) return;
    if (kind.type === 'enum') {
      const written = enumNumber(kind.enum, value);
      if (written !== 0 || isExplicit) writer.uint32((number << 3) >>> 0).int32(written);
    } else if (kind.type === 'scalar') {
      const codec = SCALARS[kind.scalar];
      const written = codec.accept(this.#loosen(kind.scalar, value));
      if (!isExplicit && isZero(written)) return;
      codec.write(writer.uint32(((number << 3) | codec.wireType) >>> 0), written);
    } else if (kind.type === 'message' && kind.isGroup) {
      writer.uint32(((number << 3) | 3) >>> 0);
      this.message(writer, kind.message, value, depth + 1);
      writer.uint32(((number << 3) | 4) >>> 0);
    } else if (kind.type === 'message') {
      writer.uint32(((number << 3) | 2) >>> 0).fork();
      this.message(writer, kind.message, value, depth + 1);
      writer.join();
    }
  }

  #map(
    writer: BinaryWriter,
    number: number,
    { key, value }: Extract<FieldKind, { type: 'map' }>,
    given: unknown,
    depth: number,
  ): void {
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      throw new FieldError(`must be an object with the entries of the map, got ${show(given)}`);
    for (const [name, item] of Object.entries(given) as [string, unknown][]) {
      at(name, () => {
        writer.uint32(((number << 3) | 2) >>> 0).fork();
        this.#one(writer, 1, key.kind, mapKey(key.kind, name), depth, true);
        this.#one(writer, 2, value.kind, notNull(item, value.kind), depth, true);
        writer.join();
      });
    }
  }

  #bytesOf(type: MessageType, value: unknown, depth: number): Uint8Array {
    const writer = new BinaryWriter();
    this.message(writer, type, value, depth);
    return writer.finish();
  }

  #isOpen(value: unknown): boolean {
    return typeof value === 'string' && this.#options.isOpen?.(value) === true;
  }

  #loosen(scalar: string, value: unknown): unknown {
    const isText = this.#options.lenient === true && scalar === 'string';
    return isText && (typeof value === 'number' || typeof value === 'boolean') ? String(value) : value;
  }
}

/** What is said of a field that the type does not have. */
export function unknownField({ fullName, fields }: MessageType): string {
  const names = fields.slice(0, MAX_NAMES).map(({ name }) => name);
  const known = fields.length === 0 ? 'it has none' : `known are ${names.join(', ')}`;
  return `is no field of ${fullName}; ${known}${fields.length > MAX_NAMES ? ', ...' : ''}`;
}

/** Whether `null` is a value of its own there. */
export function takesNull(kind: FieldKind): boolean {
  if (kind.type === 'enum') return kind.enum.fullName === 'google.protobuf.NullValue';
  return kind.type === 'message' && kind.message.fullName === 'google.protobuf.Value';
}

/** @throws FieldError for a `null` that is none */
export function notNull(value: unknown, kind: FieldKind): unknown {
  if (value === null && !takesNull(kind)) throw new FieldError('must not be null');
  return value;
}

/** The number of an enum's value by its name or number. @throws FieldError when it is none */
export function enumNumber({ fullName, byName }: EnumType, value: unknown): number {
  if (value === null && fullName === 'google.protobuf.NullValue') return 0;
  if (typeof value === 'string') {
    const number = byName.get(value);
    if (number !== undefined) return number;
    const names = [...byName.keys()].slice(0, MAX_NAMES).join(', ');
    throw new FieldError(`must be a value of ${fullName} (${names}), got ${show(value)}`);
  }
  return SCALARS.int32.accept(value) as number;
}

/** A key of a map as the scalar that it is. @throws FieldError when it is none */
export function mapKey(kind: FieldKind, name: string): unknown {
  if (kind.type !== 'scalar' || kind.scalar !== 'bool') return name;
  if (name !== 'true' && name !== 'false')
    throw new FieldError(`must have true or false as its key, got ${show(name)}`);
  return name === 'true';
}

function isZero(value: unknown): boolean {
  if (value instanceof Uint8Array) return value.length === 0;
  // A negative zero is another number on the wire.
  return value === '' || value === false || value === 0n || Object.is(value, 0);
}
