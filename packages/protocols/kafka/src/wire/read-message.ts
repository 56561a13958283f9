import { FramingError, type ByteReader } from '@backlot/kit/framing';
import { isField, type AnyField, type Decoded, type Fields } from './fields.js';

/** List elements that one request may hold: each costs far more in memory than the byte that announces it. */
const MAX_ELEMENTS = 100_000;
/** Elements that are read in one step. */
const AT_ONCE = 64;

interface Reading {
  readonly reader: ByteReader;
  readonly version: number;
  readonly isFlexible: boolean;
  elements: number;
}

/**
 * Reads the fields of a message.
 *
 * @throws FramingError when a length does not fit what is there, or a value may not be null
 */
export function readMessage<F extends Fields>(
  fields: F,
  reader: ByteReader,
  version: number,
  isFlexible: boolean,
): Decoded<F> {
  return readFields(fields, { reader, version, isFlexible, elements: 0 }) as Decoded<F>;
}

/** {@link readMessage} in steps between which others may be let in. */
export function readMessageInSteps<F extends Fields>(
  fields: F,
  reader: ByteReader,
  version: number,
  isFlexible: boolean,
): Generator<undefined, Decoded<F>> {
  return readFieldsInSteps(fields, { reader, version, isFlexible, elements: 0 }) as Generator<
    undefined,
    Decoded<F>
  >;
}

/** Leaves out tagged fields: none that we know of a client's request changes an answer of ours. */
export function skipTags(reader: ByteReader): void {
  for (let count = reader.varint(); count > 0; count -= 1) {
    reader.varint();
    reader.skip(reader.varint());
  }
}

/** Reads a signed 64-bit number; what is beyond 2^53 is cut to it. */
export function readInt64(reader: ByteReader): number {
  const value = reader.i32() * 0x1_0000_0000 + reader.u32();
  return Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

function readFields(fields: Fields, reading: Reading): Readonly<Record<string, unknown>> {
  const { version } = reading;
  const values: Record<string, unknown> = {};
  for (const name in fields) {
    const field = fields[name] as AnyField;
    const isThere = version >= field.since && version <= field.until;
    values[name] = isThere ? readValue(field, reading) : field.fallback;
  }
  if (reading.isFlexible) skipTags(reading.reader);
  return values;
}

function readValue(field: AnyField, reading: Reading): unknown {
  const { reader } = reading;
  switch (field.type) {
    case 'bool':
      return reader.u8() !== 0;
    case 'int8':
      return reader.i8();
    case 'int16':
      return reader.i16();
    case 'int32':
      return reader.i32();
    case 'int64':
      return readInt64(reader);
    case 'uuid':
      return reader.text(16, 'hex');
    case 'string': {
      const length = readLength(field, reading, 2);
      return length < 0 ? null : reader.text(length);
    }
    case 'bytes':
    case 'records': {
      const length = readLength(field, reading, 4);
      return length < 0 ? null : reader.bytes(length);
    }
    case 'array':
      return readArray(field, reading);
  }
}

function readArray(field: AnyField, reading: Reading): unknown {
  const { element } = field;
  const length = readCount(field, reading);
  if (length < 0 || element === undefined) return null;
  const values: unknown[] = [];
  for (let index = 0; index < length; index += 1) {
    values.push(isField(element) ? readValue(element, reading) : readFields(element, reading));
  }
  return values;
}

function* readFieldsInSteps(
  fields: Fields,
  reading: Reading,
): Generator<undefined, Readonly<Record<string, unknown>>> {
  const { version } = reading;
  const values: Record<string, unknown> = {};
  for (const name in fields) {
    const field = fields[name] as AnyField;
    const isThere = version >= field.since && version <= field.until;
    if (!isThere) values[name] = field.fallback;
    else if (field.type === 'array') values[name] = yield* readArrayInSteps(field, reading);
    else values[name] = readValue(field, reading);
  }
  if (reading.isFlexible) skipTags(reading.reader);
  return values;
}

function* readArrayInSteps(field: AnyField, reading: Reading): Generator<undefined, unknown> {
  const { element } = field;
  const length = readCount(field, reading);
  if (length < 0 || element === undefined) return null;
  const values: unknown[] = [];
  for (let index = 0; index < length; index += 1) {
    values.push(isField(element) ? readValue(element, reading) : yield* readFieldsInSteps(element, reading));
    if (index % AT_ONCE === AT_ONCE - 1) yield;
  }
  return values;
}

/** @returns how many elements there are, or -1 for null */
function readCount(field: AnyField, reading: Reading): number {
  const length = readLength(field, reading, 4);
  if (length < 0) return length;
  reading.elements += length;
  // Every element has a byte at least; checked before anything is made for it.
  if (length > reading.reader.remaining || reading.elements > MAX_ELEMENTS) {
    throw new FramingError(
      'too_long',
      `a list says it has ${length} elements; at most ${MAX_ELEMENTS} in a request, and no more than there are bytes`,
    );
  }
  return length;
}

/** @returns a length, or -1 for null */
function readLength(field: AnyField, { reader, version, isFlexible }: Reading, size: 2 | 4): number {
  const length = isFlexible ? reader.varint() - 1 : size === 2 ? reader.i16() : reader.i32();
  if (length < -1 || (length === -1 && version < field.nullable)) {
    throw new FramingError('malformed', `a ${field.type} cannot have a length of ${length}`);
  }
  return length;
}
