import type { ByteWriter } from '@backlot/kit/framing';
import type { Type } from 'avsc';
import type { AvroField, AvroType } from './avro-types.js';

/**
 * Writes a JSON value as Avro.
 *
 * @param at - where it stands, for errors
 * @throws Error when it does not fit
 */
export function writeAvro(type: Type, value: unknown, writer: ByteWriter, at: string): void {
  const { typeName } = type as AvroType;
  if (typeName.startsWith('union')) return writeUnion(type as AvroType, value, writer, at);
  if (!fits(type as AvroType, value)) {
    const given = JSON.stringify(value) ?? 'nothing';
    throw new Error(
      `${at === '' ? 'the value' : at}: got ${given.slice(0, 100)}, want ${nameOf(type as AvroType)}`,
    );
  }
  writeFitting(type as AvroType, value, writer, at);
}

function writeFitting(type: AvroType, value: unknown, writer: ByteWriter, at: string): void {
  switch (type.typeName) {
    case 'null':
      return;
    case 'boolean':
      writer.u8(value === true ? 1 : 0);
      return;
    case 'int':
    case 'long':
      return writeLong(BigInt(value as number | string), writer);
    case 'float':
    case 'double':
      return writeNumber(Number(value), type.typeName === 'float' ? 4 : 8, writer);
    case 'bytes':
      return writeBytes(Buffer.from(value as string, 'latin1'), writer);
    case 'string':
      return writeBytes(Buffer.from(value as string, 'utf8'), writer);
    case 'fixed':
      writer.bytes(Buffer.from(value as string, 'latin1'));
      return;
    case 'enum':
      return writeLong(BigInt(type.symbols.indexOf(value as string)), writer);
    case 'array':
      return writeBlocks(value as readonly unknown[], writer, (item, index) =>
        writeAvro(type.itemsType, item, writer, `${at}/${index}`),
      );
    case 'map':
      return writeBlocks(Object.entries(value as object), writer, ([key, item]) => {
        writeBytes(Buffer.from(key), writer);
        writeAvro(type.valuesType, item, writer, `${at}/${key}`);
      });
    default:
      for (const field of type.fields) writeField(field, value as Record<string, unknown>, writer, at);
  }
}

function writeField(field: AvroField, record: Record<string, unknown>, writer: ByteWriter, at: string): void {
  const { name, type } = field;
  if (Object.hasOwn(record, name)) return writeAvro(type, record[name], writer, `${at}/${name}`);
  const fallback = field.defaultValue();
  if (fallback === undefined) throw new Error(`${at}/${name}: the field is missing, and has no default`);
  writer.bytes(type.toBuffer(fallback));
}

/** The first branch that fits; an object with one member that is the name of a branch is the value of that branch. */
function writeUnion({ types }: AvroType, value: unknown, writer: ByteWriter, at: string): void {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const [name, inner] = members.length === 1 ? (members[0] ?? []) : [];
  const wrapped = name === undefined ? -1 : types.findIndex((type) => nameOf(type) === name);
  const index = wrapped >= 0 ? wrapped : types.findIndex((type) => fits(type, value));
  const branch = types[index];
  if (branch === undefined) {
    const names = types.map(nameOf).join(', ');
    const given = JSON.stringify(value) ?? 'nothing';
    throw new Error(`${at === '' ? 'the value' : at}: got ${given.slice(0, 100)}, want one of ${names}`);
  }
  writeLong(BigInt(index), writer);
  writeAvro(branch, wrapped >= 0 ? inner : value, writer, at);
}

/** Whether a value is of the kind of a type; of a record, whether it has the fields that must be there. */
function fits(type: AvroType, value: unknown): boolean {
  switch (type.typeName) {
    case 'null':
      return value === null;
    case 'boolean':
      return typeof value === 'boolean';
    case 'int':
      return isInteger(value, 32);
    case 'long':
      return isInteger(value, 64);
    case 'float':
    case 'double':
      return typeof value === 'number' || value === 'NaN' || value === 'Infinity' || value === '-Infinity';
    case 'bytes':
      return isLatin1(value);
    case 'string':
      return typeof value === 'string';
    case 'fixed':
      return isLatin1(value) && (value as string).length === type.size;
    case 'enum':
      return type.symbols.includes(value as string);
    case 'array':
      return Array.isArray(value);
    case 'map':
      return isObject(value);
    default:
      return (
        isObject(value) &&
        type.fields.every((field) => Object.hasOwn(value, field.name) || field.defaultValue() !== undefined)
      );
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isLatin1(value: unknown): boolean {
  return typeof value === 'string' && /^[\0-\xff]*$/.test(value);
}

function isInteger(value: unknown, bits: number): boolean {
  const isText = typeof value === 'string' && /^-?\d{1,19}$/.test(value);
  if (!isText && !(typeof value === 'number' && Number.isInteger(value))) return false;
  const number = BigInt(value);
  return BigInt.asIntN(bits, number) === number;
}

function nameOf(type: AvroType): string {
  return type.name ?? type.typeName;
}

function writeBlocks<T>(
  list: readonly T[],
  writer: ByteWriter,
  write: (item: T, index: number) => void,
): void {
  if (list.length > 0) {
    writeLong(BigInt(list.length), writer);
    list.forEach(write);
  }
  writer.u8(0);
}

function writeBytes(bytes: Buffer, writer: ByteWriter): void {
  writeLong(BigInt(bytes.length), writer);
  writer.bytes(bytes);
}

function writeNumber(value: number, size: 4 | 8, writer: ByteWriter): void {
  const bytes = Buffer.alloc(size);
  if (size === 4) bytes.writeFloatLE(value);
  else bytes.writeDoubleLE(value);
  writer.bytes(bytes);
}

function writeLong(value: bigint, writer: ByteWriter): void {
  let left = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
  while (left > 0x7fn) {
    writer.u8(Number(left & 0x7fn) | 0x80);
    left >>= 7n;
  }
  writer.u8(Number(left));
}
