import { isIPv4 } from 'node:net';
import { parseOid } from './oid.js';
import { TAG } from './wire/tags.js';
import type { SnmpValue } from './wire/value.js';

/** The types that mocks and traps name. */
export const TYPE_NAMES = [
  'string',
  'octetstring',
  'hex',
  'integer',
  'int',
  'gauge32',
  'counter32',
  'counter64',
  'timeticks',
  'ipaddress',
  'objectidentifier',
  'oid',
  'null',
  'opaque',
] as const;

/** See {@link TYPE_NAMES}. */
export type TypeName = (typeof TYPE_NAMES)[number];
/** What a mock or a trap gives as a value. */
export type GivenValue = string | number | null | undefined;

const MAX_TEXT_LENGTH = 65_535;
const MAX_COUNTER64 = 2n ** 64n - 1n;

/** The type of a value that names none. */
export function defaultType(given: GivenValue): TypeName {
  if (typeof given === 'number') return 'integer';
  return given === null || given === undefined ? 'null' : 'string';
}

/** The tag of a type. */
export function tagOf(type: TypeName): number {
  switch (type) {
    case 'string':
    case 'octetstring':
    case 'hex':
      return TAG.octetString;
    case 'integer':
    case 'int':
      return TAG.integer;
    case 'gauge32':
      return TAG.gauge32;
    case 'counter32':
      return TAG.counter32;
    case 'counter64':
      return TAG.counter64;
    case 'timeticks':
      return TAG.timeTicks;
    case 'ipaddress':
      return TAG.ipAddress;
    case 'objectidentifier':
    case 'oid':
      return TAG.oid;
    case 'null':
      return TAG.null;
    default:
      return TAG.opaque;
  }
}

/**
 * Makes a value of what a mock or a trap says.
 *
 * @throws Error that says what would be right
 */
export function parseValue(type: TypeName, given: GivenValue): SnmpValue {
  const tag = tagOf(type);
  if (tag === TAG.null) {
    if (given === undefined || given === null || given === '') return { tag, native: null };
    throw new Error(`must be absent for type null, got ${JSON.stringify(given)}`);
  }
  if (given === undefined || given === null) throw new Error(`type ${type} needs a value`);
  return { tag, native: parseNative(type, tag, given) };
}

function parseNative(type: TypeName, tag: number, given: string | number): number | string | Buffer {
  switch (tag) {
    case TAG.integer:
      return parseWhole(type, given, -(2 ** 31), 2 ** 31 - 1);
    case TAG.gauge32:
    case TAG.counter32:
    case TAG.timeTicks:
      return parseWhole(type, given, 0, 2 ** 32 - 1);
    case TAG.counter64:
      return parseCounter64(given);
    case TAG.ipAddress:
      if (isIPv4(String(given))) return String(given);
      throw new Error(
        `must be an IPv4 address such as 192.0.2.1 for type ipaddress, got ${JSON.stringify(given)}`,
      );
    case TAG.oid:
      return parseOid(String(given));
    default:
      return parseOctets(type, String(given));
  }
}

function parseWhole(type: TypeName, given: string | number, least: number, most: number): number {
  const number = typeof given === 'number' || /^\s*[+-]?\d+\s*$/.test(given) ? Number(given) : Number.NaN;
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new Error(
    `must be an integer from ${least} to ${most} for type ${type}, got ${JSON.stringify(given)}`,
  );
}

function parseCounter64(given: string | number): Buffer {
  // A number beyond 2^53 has lost its last digits already when it was read.
  const isExact = typeof given === 'number' ? Number.isSafeInteger(given) : /^\s*\d+\s*$/.test(given);
  const number = isExact ? BigInt(given) : -1n;
  if (number < 0n || number > MAX_COUNTER64) {
    throw new Error(
      `must be an integer from 0 to ${MAX_COUNTER64} for type counter64, as a text when it is larger than 2^53, got ` +
        JSON.stringify(given),
    );
  }
  const octets = Buffer.alloc(8);
  octets.writeBigUInt64BE(number);
  return octets;
}

function parseOctets(type: TypeName, given: string): Buffer {
  const octets = type === 'string' || type === 'octetstring' ? Buffer.from(given) : parseHex(type, given);
  if (octets.length <= MAX_TEXT_LENGTH) return octets;
  throw new Error(`must have at most ${MAX_TEXT_LENGTH} octets, got ${octets.length}`);
}

function parseHex(type: TypeName, given: string): Buffer {
  const digits = given
    .trim()
    .replace(/^(0x|hex:)/i, '')
    .replaceAll(/[\s:-]/g, '');
  if (/^(?:[\da-f]{2})*$/i.test(digits)) return Buffer.from(digits, 'hex');
  throw new Error(
    `must be hexadecimal octets such as "de ad be ef" for type ${type}, got ${JSON.stringify(given)}`,
  );
}
