import type { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import type { ScalarName } from '../schema/model.js';
import { FieldError, show } from './field-error.js';

/** How one scalar type is written and read. */
export interface ScalarCodec {
  readonly wireType: 0 | 1 | 2 | 5;
  /** The JSON value of a field that is not set. */
  readonly zero: string | number | boolean;
  /**
   * Checks a JSON value and gives what is written, `undefined` included for none.
   *
   * @throws FieldError when it does not fit
   */
  accept(value: unknown): WrittenScalar;
  write(writer: BinaryWriter, value: WrittenScalar): void;
  /** @throws Error when the bytes end too early or are no such value */
  read(reader: BinaryReader): string | number | boolean;
}

/** A scalar ready to be written; 64-bit integers are bigints. */
export type WrittenScalar = string | number | boolean | bigint | Uint8Array;

const INTEGER = /^-?\d+(?:\.0+)?$/;
const DECIMAL = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
const MAX_FLOAT = 3.4028234663852886e38;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function acceptInteger(name: string, low: bigint, high: bigint): (value: unknown) => bigint {
  return (value) => {
    let integer: bigint | undefined;
    if (typeof value === 'number' && Number.isInteger(value)) integer = BigInt(value);
    else if (typeof value === 'string' && INTEGER.test(value) && value.length <= 40)
      integer = BigInt(value.replace(/\..*$/, ''));
    if (integer === undefined) throw new FieldError(`must be ${name}, got ${show(value)}`);
    if (integer < low || integer > high)
      throw new FieldError(`must be ${name}, ${low} to ${high}, got ${show(value)}`);
    return integer;
  };
}

type Small = 'int32' | 'uint32' | 'sint32' | 'fixed32' | 'sfixed32';
type Large = 'int64' | 'uint64' | 'sint64' | 'fixed64' | 'sfixed64';

/** The library's reader and writer have a method for each scalar type. */
function small(name: Small, low: number, high: number, wireType: 0 | 5 = 0): ScalarCodec {
  const acceptBig = acceptInteger(article(name), BigInt(low), BigInt(high));
  return {
    wireType,
    zero: 0,
    accept: (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high
        ? value
        : Number(acceptBig(value)),
    write: (writer, value) => void writer[name](value as number),
    read: (reader) => reader[name](),
  };
}

function large(name: Large, low: bigint, high: bigint, wireType: 0 | 1 = 0): ScalarCodec {
  return {
    wireType,
    zero: '0',
    accept: acceptInteger(article(name), low, high),
    write: (writer, value) => void writer[name](value as bigint),
    read: (reader) => String(reader[name]()),
  };
}

function floating(name: 'double' | 'float', most: number, wireType: 1 | 5): ScalarCodec {
  return {
    wireType,
    zero: 0,
    accept(value) {
      const special = value === 'NaN' || value === 'Infinity' || value === '-Infinity';
      const number =
        typeof value === 'number'
          ? value
          : special || (typeof value === 'string' && DECIMAL.test(value))
            ? Number(value)
            : undefined;
      if (number === undefined) throw new FieldError(`must be ${article(name)}, got ${show(value)}`);
      if (!special && Math.abs(number) > most)
        throw new FieldError(`must be ${article(name)}, at most ${most} either way, got ${show(value)}`);
      return number;
    },
    write: (writer, value) => void writer[name](value as number),
    // JSON has no such numbers.
    read: (reader) => {
      const number = reader[name]();
      return Number.isFinite(number) ? number : String(number);
    },
  };
}

function article(name: string): string {
  return /^[aei]/.test(name) ? `an ${name}` : `a ${name}`;
}

const I32 = 2 ** 31;
const I64 = 2n ** 63n;
const U64 = 2n ** 64n - 1n;

/** All scalar types. */
export const SCALARS: Readonly<Record<ScalarName, ScalarCodec>> = {
  int32: small('int32', -I32, I32 - 1),
  uint32: small('uint32', 0, 2 * I32 - 1),
  sint32: small('sint32', -I32, I32 - 1),
  fixed32: small('fixed32', 0, 2 * I32 - 1, 5),
  sfixed32: small('sfixed32', -I32, I32 - 1, 5),
  int64: large('int64', -I64, I64 - 1n),
  uint64: large('uint64', 0n, U64),
  sint64: large('sint64', -I64, I64 - 1n),
  fixed64: large('fixed64', 0n, U64, 1),
  sfixed64: large('sfixed64', -I64, I64 - 1n, 1),
  double: floating('double', Number.MAX_VALUE, 1),
  float: floating('float', MAX_FLOAT, 5),
  bool: {
    wireType: 0,
    zero: false,
    accept(value) {
      if (typeof value !== 'boolean') throw new FieldError(`must be true or false, got ${show(value)}`);
      return value;
    },
    write: (writer, value) => void writer.bool(value as boolean),
    read: (reader) => reader.bool(),
  },
  string: {
    wireType: 2,
    zero: '',
    accept(value) {
      if (typeof value !== 'string') throw new FieldError(`must be a string, got ${show(value)}`);
      if (/\p{Surrogate}/u.test(value))
        throw new FieldError(`must be well-formed Unicode, got ${show(value)}`);
      return value;
    },
    write: (writer, value) => void writer.string(value as string),
    read(reader) {
      const bytes = reader.bytes();
      try {
        return utf8.decode(bytes);
      } catch {
        throw new FieldError('is no valid UTF-8');
      }
    },
  },
  bytes: {
    wireType: 2,
    zero: '',
    accept(value) {
      if (value instanceof Uint8Array) return value;
      if (typeof value !== 'string' || !BASE64.test(value) || value.replace(/=+$/, '').length % 4 === 1)
        throw new FieldError(`must be base64, got ${show(value)}`);
      return Buffer.from(value, 'base64');
    },
    write: (writer, value) => void writer.bytes(value as Uint8Array),
    read: (reader) => Buffer.from(reader.bytes()).toString('base64'),
  },
};
