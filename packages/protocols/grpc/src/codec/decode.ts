import protobuf, { type Reader } from 'protobufjs';
import type { Field, FieldKind, MessageType } from '../schema/model.js';
import { DEEPEST } from './encode.js';
import { FieldError, at } from './field-error.js';
import { SCALARS } from './scalars.js';
import { wellKnownOf } from './well-known.js';

type Plain = Record<string, unknown>;

/**
 * Decodes a message as a JSON value: names of fields as in the `.proto` file, enums by name, 64-bit integers as strings,
 * bytes as base64, well-known types in their JSON form. What is not set has its default value; messages and oneofs that
 * are not set are left out.
 *
 * @throws FieldError when the bytes are no such message
 */
export function decodeMessage(type: MessageType, bytes: Uint8Array): unknown {
  const reader = protobuf.Reader.create(bytes);
  try {
    return readMessage(reader, type, reader.len, undefined, 0);
  } catch (thrown) {
    if (thrown instanceof FieldError) throw thrown;
    throw new FieldError(
      thrown instanceof RangeError ? 'the message ends too early' : 'the bytes are no message',
    );
  }
}

function readMessage(
  reader: Reader,
  type: MessageType,
  end: number,
  group: number | undefined,
  depth: number,
): unknown {
  if (depth > DEEPEST) throw new FieldError(`is nested deeper than ${DEEPEST} levels`);
  const plain = Object.create(null) as Plain;
  readFields(reader, type, plain, end, group, depth);
  const wellKnown = wellKnownOf(type);
  if (wellKnown !== undefined) {
    return wellKnown.fromPlain(plain, type, (inner, bytes) => {
      const nested = protobuf.Reader.create(bytes);
      return readMessage(nested, inner, nested.len, undefined, depth + 1);
    });
  }
  return withDefaults(type, plain);
}

function readFields(
  reader: Reader,
  type: MessageType,
  plain: Plain,
  end: number,
  group: number | undefined,
  depth: number,
): void {
  while (reader.pos < end) {
    const tag = reader.uint32();
    const number = tag >>> 3;
    const wireType = tag & 7;
    if (wireType === 4) {
      if (number === group) return;
      throw new FieldError(`group ${number} ends without having begun`);
    }
    if (number === 0) throw new FieldError('has a field with the number 0');
    const field = type.byNumber.get(number);
    if (field === undefined || !readField(reader, field, wireType, plain, depth)) reader.skipType(wireType);
  }
  if (group !== undefined) throw new FieldError(`group ${group} does not end`);
  if (reader.pos > end) throw new FieldError('a field is longer than its message');
}

/** Gives `false` for a wire type that the field cannot have; it is skipped then, like an unknown one. */
function readField(reader: Reader, field: Field, wireType: number, plain: Plain, depth: number): boolean {
  const { name, kind } = field;
  if (kind.type === 'map') {
    if (wireType !== 2) return false;
    at(name, () => readEntry(reader, kind, (plain[name] ??= Object.create(null)) as Plain, depth));
    return true;
  }
  const own = wireTypeOf(kind);
  if (field.isRepeated) {
    const list = (): unknown[] => (plain[name] ??= []) as unknown[];
    if (wireType === own) {
      const place = list();
      at(name, () => at(place.length, () => place.push(readOne(reader, kind, field, depth))));
      return true;
    }
    if (wireType !== 2 || own === 2 || own === 3) return false;
    const end = lengthOf(reader);
    const place = list();
    while (reader.pos < end) place.push(readOne(reader, kind, field, depth));
    return true;
  }
  if (wireType !== own) return false;
  if (field.oneof !== undefined) plain[ONEOFS] = { ...(plain[ONEOFS] as object), [field.oneof]: name };
  plain[name] = at(name, () => readOne(reader, kind, field, depth));
  return true;
}

/** The last member of a oneof on the wire is the one that counts. */
const ONEOFS = '\0oneofs';

function readOne(reader: Reader, kind: FieldKind, field: Field, depth: number): unknown {
  if (kind.type === 'scalar') return SCALARS[kind.scalar].read(reader);
  if (kind.type === 'enum') {
    const number = reader.int32();
    return kind.enum.byNumber.get(number) ?? number;
  }
  if (kind.type === 'map') return undefined;
  if (kind.isGroup) return readMessage(reader, kind.message, reader.len, field.number, depth + 1);
  return readMessage(reader, kind.message, lengthOf(reader), undefined, depth + 1);
}

function readEntry(
  reader: Reader,
  { key, value }: Extract<FieldKind, { type: 'map' }>,
  into: Plain,
  depth: number,
): void {
  const end = lengthOf(reader);
  let name: unknown;
  let item: unknown;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === 1 && (tag & 7) === wireTypeOf(key.kind)) name = readOne(reader, key.kind, key, depth);
    else if (tag >>> 3 === 2 && (tag & 7) === wireTypeOf(value.kind))
      item = readOne(reader, value.kind, value, depth);
    else reader.skipType(tag & 7);
  }
  into[String(name ?? zeroOf(key.kind))] =
    item ??
    (value.kind.type === 'message'
      ? readMessage(protobuf.Reader.create(new Uint8Array(0)), value.kind.message, 0, undefined, depth + 1)
      : zeroOf(value.kind));
}

function lengthOf(reader: Reader): number {
  const length = reader.uint32();
  if (length > reader.len - reader.pos) throw new FieldError('the message ends too early');
  return reader.pos + length;
}

function wireTypeOf(kind: FieldKind): number {
  if (kind.type === 'scalar') return SCALARS[kind.scalar].wireType;
  if (kind.type === 'enum') return 0;
  return kind.type === 'message' && kind.isGroup ? 3 : 2;
}

function zeroOf(kind: FieldKind): unknown {
  if (kind.type === 'scalar') return SCALARS[kind.scalar].zero;
  return kind.type === 'enum' ? (kind.enum.byNumber.get(0) ?? kind.enum.first) : undefined;
}

/** In the order of the numbers, with what was not set. */
function withDefaults(type: MessageType, plain: Plain): Plain {
  const last = plain[ONEOFS] as Plain | undefined;
  const whole = Object.create(null) as Plain;
  for (const field of type.fields) {
    const { name, kind } = field;
    let value = plain[name];
    if (value !== undefined && field.oneof !== undefined && last?.[field.oneof] !== name) continue;
    if (value === undefined) {
      if (field.isRepeated) value = [];
      else if (kind.type === 'map') value = {};
      else if (!field.hasPresence) value = zeroOf(kind);
      else if (field.ownDefault !== undefined) value = ownDefault(field);
      else continue;
    }
    whole[name] = kind.type === 'map' ? { ...(value as Plain) } : value;
  }
  return whole;
}

function ownDefault({ kind, ownDefault: text }: Field): unknown {
  if (kind.type !== 'scalar') return text;
  if (kind.scalar === 'string') return text;
  if (kind.scalar === 'bool') return text === true || text === 'true';
  if (kind.scalar === 'bytes') return Buffer.from(String(text), 'latin1').toString('base64');
  if (typeof SCALARS[kind.scalar].zero === 'string') return String(text);
  const number = Number(text);
  return Number.isFinite(number) ? number : String(text);
}
