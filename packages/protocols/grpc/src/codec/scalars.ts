import type { Reader, Writer } from 'protobufjs';
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
  write(writer: Writer, value: WrittenScalar): void;
  /** @throws Error when the bytes end too early or are no such value */
  read(reader: Reader): string | number | boolean;
}

/** A scalar ready to be written; 64-bit integers are bigints. */
export type WrittenScalar = string | number | boolean | bigint | Uint8Array;

const INTEGER = /^-?\d+(?:\.0+)?$/;
const DECIMAL = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
const LARGEST_FLOAT = 3.4028234663852886e38;
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

function small(
  name: ScalarName,
  low: number,
  high: number,
  write: (writer: Writer, value: number) => void,
  read: (reader: Reader) => number,
  wireType: 0 | 5 = 0,
): ScalarCodec {
  const acceptBig = acceptInteger(article(name), BigInt(low), BigInt(high));
  return {
    wireType,
    zero: 0,
    accept: (value) => Number(acceptBig(value)),
    write: (writer, value) => write(writer, value as number),
    read,
  };
}

/** The two halves of a 64-bit integer, as the writer takes them. */
interface Halves {
  readonly low: number;
  readonly high: number;
  readonly unsigned: boolean;
}

function large(
  name: ScalarName,
  low: bigint,
  high: bigint,
  write: (writer: Writer, value: Halves) => void,
  read: (reader: Reader) => unknown,
  wireType: 0 | 1 = 0,
): ScalarCodec {
  return {
    wireType,
    zero: '0',
    accept: acceptInteger(article(name), low, high),
    write(writer, value) {
      const bits = BigInt.asUintN(64, value as bigint);
      write(writer, {
        low: Number(bits & 0xffffffffn) | 0,
        high: Number(bits >> 32n) | 0,
        unsigned: low === 0n,
      });
    },
    read: (reader) => String(read(reader)),
  };
}

function floating(
  name: ScalarName,
  most: number,
  write: (writer: Writer, value: number) => void,
  read: (reader: Reader) => number,
  wireType: 1 | 5,
): ScalarCodec {
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
    write: (writer, value) => write(writer, value as number),
    // JSON has no such numbers.
    read: (reader) => {
      const number = read(reader);
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
  int32: small(
    'int32',
    -I32,
    I32 - 1,
    (w, v) => w.int32(v),
    (r) => r.int32(),
  ),
  uint32: small(
    'uint32',
    0,
    2 * I32 - 1,
    (w, v) => w.uint32(v),
    (r) => r.uint32(),
  ),
  sint32: small(
    'sint32',
    -I32,
    I32 - 1,
    (w, v) => w.sint32(v),
    (r) => r.sint32(),
  ),
  fixed32: small(
    'fixed32',
    0,
    2 * I32 - 1,
    (w, v) => w.fixed32(v),
    (r) => r.fixed32(),
    5,
  ),
  sfixed32: small(
    'sfixed32',
    -I32,
    I32 - 1,
    (w, v) => w.sfixed32(v),
    (r) => r.sfixed32(),
    5,
  ),
  int64: large(
    'int64',
    -I64,
    I64 - 1n,
    (w, v) => w.int64(v),
    (r) => r.int64(),
  ),
  uint64: large(
    'uint64',
    0n,
    U64,
    (w, v) => w.uint64(v),
    (r) => r.uint64(),
  ),
  sint64: large(
    'sint64',
    -I64,
    I64 - 1n,
    (w, v) => w.sint64(v),
    (r) => r.sint64(),
  ),
  fixed64: large(
    'fixed64',
    0n,
    U64,
    (w, v) => w.fixed64(v),
    (r) => r.fixed64(),
    1,
  ),
  sfixed64: large(
    'sfixed64',
    -I64,
    I64 - 1n,
    (w, v) => w.sfixed64(v),
    (r) => r.sfixed64(),
    1,
  ),
  double: floating(
    'double',
    Number.MAX_VALUE,
    (w, v) => w.double(v),
    (r) => r.double(),
    1,
  ),
  float: floating(
    'float',
    LARGEST_FLOAT,
    (w, v) => w.float(v),
    (r) => r.float(),
    5,
  ),
  bool: {
    wireType: 0,
    zero: false,
    accept(value) {
      if (typeof value !== 'boolean') throw new FieldError(`must be true or false, got ${show(value)}`);
      return value;
    },
    write: (writer, value) => writer.bool(value as boolean),
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
    write: (writer, value) => writer.string(value as string),
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
    write: (writer, value) => writer.bytes(value as Uint8Array),
    read: (reader) => Buffer.from(reader.bytes()).toString('base64'),
  },
};
