import { isUtf8 } from 'node:buffer';
import { FramingError, type ByteReader, type ByteWriter } from '@backlot/kit/framing';

/** A number with decimal places, type `D`. */
interface Decimal {
  readonly scale: number;
  readonly unscaled: number;
}

/** A point in time in whole seconds, type `T`. */
interface Timestamp {
  readonly seconds: number;
}

/** A value of a field table. Bytes are those that are no text. */
export type Field =
  | string
  | number
  | bigint
  | boolean
  | null
  | Buffer
  | FieldTable
  | readonly Field[]
  | { readonly decimal: Decimal }
  | { readonly timestamp: Timestamp };

/** A field table: values by name. Names are data of the client, so it is no plain object. */
export type FieldTable = ReadonlyMap<string, Field>;

/** Deeper tables are refused. */
const MAX_DEPTH = 32;
const MAX_INT = 2 ** 31;

export const EMPTY_TABLE: FieldTable = new Map();

/**
 * Reads a field table (section 4.2.5.5, with RabbitMQ's types).
 *
 * @throws FramingError when its length lies, a type is unknown, or it is nested deeper than 32 levels
 */
export function readTable(reader: ByteReader, depth = 0): FieldTable {
  const length = reader.u32();
  if (length === 0) return EMPTY_TABLE;
  checkDepth(depth);
  checkLength(length, reader);
  const end = reader.position + length;
  const table = new Map<string, Field>();
  while (reader.position < end) {
    const name = reader.text(reader.u8());
    table.set(name, readField(reader, depth));
  }
  checkEnd(reader, end, 'table');
  return table;
}

function readArray(reader: ByteReader, depth: number): readonly Field[] {
  const length = reader.u32();
  checkDepth(depth);
  checkLength(length, reader);
  const end = reader.position + length;
  const array: Field[] = [];
  while (reader.position < end) array.push(readField(reader, depth));
  checkEnd(reader, end, 'array');
  return array;
}

function readField(reader: ByteReader, depth: number): Field {
  const type = String.fromCharCode(reader.u8());
  switch (type) {
    case 't':
      return reader.u8() !== 0;
    case 'b':
      return reader.i8();
    case 'B':
      return reader.u8();
    case 's':
    case 'U':
      return reader.i16();
    case 'u':
      return reader.u16();
    case 'I':
      return reader.i32();
    case 'i':
      return reader.u32();
    case 'l':
    case 'L':
      return narrow(reader.i64());
    case 'f':
      return reader.f32();
    case 'd':
      return reader.f64();
    case 'D':
      return { decimal: { scale: reader.u8(), unscaled: reader.i32() } };
    case 'T':
      return { timestamp: { seconds: Number(reader.u64()) } };
    case 'S':
      return readLongString(reader);
    case 'x':
      return Buffer.from(reader.bytes(reader.u32()));
    case 'A':
      return readArray(reader, depth + 1);
    case 'F':
      return readTable(reader, depth + 1);
    case 'V':
      return null;
    default:
      throw new FramingError('malformed', `a field has the unknown type ${JSON.stringify(type)}`);
  }
}

function readLongString(reader: ByteReader): string | Buffer {
  const bytes = reader.bytes(reader.u32());
  return isUtf8(bytes) ? bytes.toString('utf8') : Buffer.from(bytes);
}

function narrow(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) {
    throw new FramingError('malformed', `a field table is nested deeper than ${MAX_DEPTH} levels`);
  }
}

function checkLength(length: number, reader: ByteReader): void {
  if (length <= reader.remaining) return;
  throw new FramingError(
    'truncated',
    `a field table says it has ${length} bytes, and ${reader.remaining} are there`,
  );
}

function checkEnd(reader: ByteReader, end: number, what: string): void {
  if (reader.position !== end) {
    throw new FramingError('malformed', `a value of a field ${what} goes beyond its end`);
  }
}

/** Writes a field table. */
export function writeTable(writer: ByteWriter, table: FieldTable): void {
  const at = writer.length;
  writer.u32(0);
  for (const [name, value] of table) {
    writer.u8(Buffer.byteLength(name)).text(name);
    writeField(writer, value);
  }
  writer.setU32(at, writer.length - at - 4);
}

function writeField(writer: ByteWriter, value: Field): void {
  switch (typeof value) {
    case 'string':
      writer.u8(0x53).u32(Buffer.byteLength(value)).text(value);
      return;
    case 'boolean':
      writer.u8(0x74).u8(value ? 1 : 0);
      return;
    case 'bigint':
      writer.u8(0x6c).i64(value);
      return;
    case 'number':
      writeNumber(writer, value);
      return;
    default:
      if (value === null) writer.u8(0x56);
      else if (Buffer.isBuffer(value)) writer.u8(0x78).u32(value.length).bytes(value);
      else if (value instanceof Map) writeTable(writer.u8(0x46), value);
      else writeStructure(writer, value as Exclude<typeof value, Buffer | FieldTable>);
  }
}

function writeNumber(writer: ByteWriter, value: number): void {
  if (!Number.isSafeInteger(value)) writer.u8(0x64).f64(value);
  else if (value >= -MAX_INT && value < MAX_INT) writer.u8(0x49).i32(value);
  else writer.u8(0x6c).i64(BigInt(value));
}

function writeStructure(
  writer: ByteWriter,
  value: readonly Field[] | { readonly decimal: Decimal } | { readonly timestamp: Timestamp },
): void {
  if ('decimal' in value) {
    writer.u8(0x44).u8(value.decimal.scale).i32(value.decimal.unscaled);
  } else if ('timestamp' in value) {
    writer.u8(0x54).u64(BigInt.asUintN(64, BigInt(value.timestamp.seconds)));
  } else {
    writer.u8(0x41);
    const at = writer.length;
    writer.u32(0);
    for (const each of value) writeField(writer, each);
    writer.setU32(at, writer.length - at - 4);
  }
}
