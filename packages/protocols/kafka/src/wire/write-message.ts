import type { ByteWriter } from '@backlot/kit/framing';
import { isField, NO_UUID, type AnyField, type Encodable, type Fields } from './fields.js';
import { writeInt64, writeVarint } from './varint.js';

/** Elements that are written in one step. */
const AT_ONCE = 64;

interface Writing {
  readonly writer: ByteWriter;
  readonly version: number;
  readonly isFlexible: boolean;
}

/** Writes the fields that a version of the message has; those not given as their fallback. */
export function writeMessage<F extends Fields>(
  fields: F,
  values: Encodable<F>,
  writer: ByteWriter,
  version: number,
  isFlexible: boolean,
): void {
  writeFields(fields, values, { writer, version, isFlexible });
}

/** {@link writeMessage} in steps between which others may be let in. */
export function writeMessageInSteps<F extends Fields>(
  fields: F,
  values: Encodable<F>,
  writer: ByteWriter,
  version: number,
  isFlexible: boolean,
): Generator<undefined, void> {
  return writeFieldsInSteps(fields, values, { writer, version, isFlexible });
}

function* writeFieldsInSteps(
  fields: Fields,
  values: Readonly<Record<string, unknown>>,
  writing: Writing,
): Generator<undefined, void> {
  const { version, writer } = writing;
  for (const name in fields) {
    const field = fields[name] as AnyField;
    if (version < field.since || version > field.until) continue;
    const value = values[name] === undefined ? field.fallback : values[name];
    const { element } = field;
    if (field.type !== 'array' || element === undefined || isField(element) || value === null) {
      writeValue(field, value, writing);
      continue;
    }
    const elements = value as readonly Readonly<Record<string, unknown>>[];
    writeLength(elements.length, writing, 4);
    for (const [index, each] of elements.entries()) {
      yield* writeFieldsInSteps(element, each, writing);
      if (index % AT_ONCE === AT_ONCE - 1) yield;
    }
  }
  if (writing.isFlexible) writer.u8(0);
}

function writeFields(fields: Fields, values: Readonly<Record<string, unknown>>, writing: Writing): void {
  const { version, writer } = writing;
  for (const name in fields) {
    const field = fields[name] as AnyField;
    if (version < field.since || version > field.until) continue;
    const value = values[name];
    writeValue(field, value === undefined ? field.fallback : value, writing);
  }
  if (writing.isFlexible) writer.u8(0);
}

function writeValue(field: AnyField, value: unknown, writing: Writing): void {
  const { writer } = writing;
  switch (field.type) {
    case 'bool':
      writer.u8(value === true ? 1 : 0);
      return;
    case 'int8':
      writer.i8(value as number);
      return;
    case 'int16':
      writer.i16(value as number);
      return;
    case 'int32':
      writer.i32(value as number);
      return;
    case 'int64':
      writeInt64(writer, value as number);
      return;
    case 'uuid':
      writer.text((value as string | undefined) ?? NO_UUID, 'hex');
      return;
    case 'string':
      return writeString(field, value as string | null, writing);
    case 'bytes': {
      const octets = value as Buffer;
      writeLength(octets.length, writing, 4);
      writer.bytes(octets);
      return;
    }
    case 'records':
      return writeRecords(value as readonly Buffer[] | null, writing);
    case 'array':
      return writeArray(field, value as readonly unknown[] | null, writing);
  }
}

function writeString(field: AnyField, value: string | null, writing: Writing): void {
  // A version in which the text cannot be null has the empty one for it.
  const text = value === null && writing.version < field.nullable ? '' : value;
  if (text === null) return writeLength(-1, writing, 2);
  writeLength(Buffer.byteLength(text), writing, 2);
  writing.writer.text(text);
}

function writeRecords(batches: readonly Buffer[] | null, writing: Writing): void {
  if (batches === null) return writeLength(-1, writing, 4);
  let length = 0;
  for (const batch of batches) length += batch.length;
  writeLength(length, writing, 4);
  for (const batch of batches) writing.writer.bytes(batch);
}

function writeArray(field: AnyField, values: readonly unknown[] | null, writing: Writing): void {
  const { element } = field;
  if (values === null && writing.version >= field.nullable) return writeLength(-1, writing, 4);
  writeLength(values?.length ?? 0, writing, 4);
  if (values === null || element === undefined) return;
  for (const value of values) {
    if (isField(element)) writeValue(element, value, writing);
    else writeFields(element, value as Readonly<Record<string, unknown>>, writing);
  }
}

function writeLength(length: number, { writer, isFlexible }: Writing, size: 2 | 4): void {
  if (isFlexible) writeVarint(writer, length + 1);
  else if (size === 2) writer.i16(length);
  else writer.i32(length);
}
