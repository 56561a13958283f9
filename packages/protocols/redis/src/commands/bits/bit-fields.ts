import { byteAt, lengthOf, withBytes, type Text } from '../../data/text.js';
import type { Session } from '../../session.js';
import { ERRORS, fail } from '../../wire/errors.js';
import { array, integer, nil } from '../../wire/reply.js';
import { parseInt64 } from '../../wire/numbers.js';
import { at, onKey, optionAt, toInt64, type Answer, type Args, type Command } from '../command.js';

const TYPE = /^([iu])([1-9]\d?)$/;
const BAD_TYPE =
  'ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.';
const BAD_OFFSET = 'ERR bit offset is not an integer or out of range';
/** Most operations of one command: each takes some microseconds. */
const MAX_OPERATIONS = 4096;

type Overflow = 'WRAP' | 'SAT' | 'FAIL';

interface FieldType {
  readonly isSigned: boolean;
  readonly width: number;
}

interface Operation {
  readonly kind: 'GET' | 'SET' | 'INCRBY';
  readonly type: FieldType;
  readonly offset: number;
  readonly value: bigint;
  readonly overflow: Overflow;
}

/** The commands that see a string as integers of any width (redis.io, command page of BITFIELD). */
export const BIT_FIELD_COMMANDS: readonly Command[] = [
  onKey('bitfield', -2, 'wm', (args, session) => carryOut(readOperations(args, session), args, session)),
  onKey('bitfield_ro', -2, 'r', (args, session) => {
    const operations = readOperations(args, session);
    if (operations.some(({ kind }) => kind !== 'GET'))
      fail('ERR BITFIELD_RO only supports the GET subcommand');
    return carryOut(operations, args, session);
  }),
];

/** A string of which some bytes have changed; behind its end are zeros. */
class ChangedBytes {
  readonly changed = new Map<number, number>();
  readonly #text: Text;

  constructor(text: Text) {
    this.#text = text;
  }

  at(place: number): number {
    return this.changed.get(place) ?? (byteAt(this.#text, place) || 0);
  }
}

function carryOut(operations: readonly Operation[], args: Args, { database, resp }: Session): Answer {
  const key = at(args, 1);
  const text = database.text(key) ?? '';
  const writes = operations.filter(({ kind }) => kind !== 'GET');
  const size = Math.max(
    lengthOf(text),
    ...writes.map(({ offset, type }) => Math.floor((offset + type.width - 1) / 8) + 1),
  );
  const bytes = new ChangedBytes(text);
  const replies = operations.map((operation) => {
    const { kind, type, offset, value, overflow } = operation;
    const old = readField(bytes, offset, type);
    if (kind === 'GET') return integer(old);
    const wanted = fit(kind === 'SET' ? wrapSet(value, type) : old + value, type, overflow);
    if (wanted === undefined) return nil(resp);
    writeField(bytes, offset, type, wanted);
    return integer(kind === 'SET' ? old : wanted);
  });
  if (writes.length > 0)
    database.put(key, withBytes(text, size, bytes.changed), database.find(key)?.expireAt);
  return array(replies);
}

/** A negative value that is set without a sign counts as one of 64 bits. */
function wrapSet(value: bigint, { isSigned }: FieldType): bigint {
  return isSigned ? value : BigInt.asUintN(64, value);
}

/** What is stored of a value; `undefined` when it does not fit and that fails. */
function fit(value: bigint, { isSigned, width }: FieldType, overflow: Overflow): bigint | undefined {
  const max = 2n ** BigInt(isSigned ? width - 1 : width) - 1n;
  const min = isSigned ? -max - 1n : 0n;
  if (value >= min && value <= max) return value;
  if (overflow === 'FAIL') return undefined;
  if (overflow === 'SAT') return value > max ? max : min;
  return isSigned ? BigInt.asIntN(width, value) : BigInt.asUintN(width, value);
}

function readField(bytes: ChangedBytes, offset: number, { isSigned, width }: FieldType): bigint {
  const first = Math.floor(offset / 8);
  const last = Math.floor((offset + width - 1) / 8);
  let value = 0n;
  for (let place = first; place <= last; place += 1) value = (value << 8n) | BigInt(bytes.at(place));
  value = BigInt.asUintN(width, value >> BigInt(8 * (last + 1) - offset - width));
  return isSigned ? BigInt.asIntN(width, value) : value;
}

function writeField(bytes: ChangedBytes, offset: number, { width }: FieldType, value: bigint): void {
  const bits = BigInt.asUintN(width, value);
  for (let index = 0; index < width; index += 1) {
    const place = offset + index;
    const mask = 0x80 >> (place % 8);
    const byte = bytes.at(Math.floor(place / 8));
    const isSet = ((bits >> BigInt(width - 1 - index)) & 1n) === 1n;
    bytes.changed.set(Math.floor(place / 8), isSet ? byte | mask : byte & ~mask);
  }
}

function readOperations(args: Args, { server }: Session): Operation[] {
  const operations: Operation[] = [];
  let overflow: Overflow = 'WRAP';
  for (let index = 2; index < args.length;) {
    const kind = optionAt(args, index);
    const more = args.length - index - 1;
    if (kind === 'OVERFLOW' && more >= 1) {
      const wanted = optionAt(args, index + 1);
      overflow =
        wanted === 'WRAP' || wanted === 'SAT' || wanted === 'FAIL'
          ? wanted
          : fail('ERR Invalid OVERFLOW type specified');
      index += 2;
      continue;
    }
    if (!(kind === 'GET' && more >= 2) && !((kind === 'SET' || kind === 'INCRBY') && more >= 3))
      fail(ERRORS.syntax);
    const type = readType(at(args, index + 1));
    const offset = readOffset(at(args, index + 2), type, server.settings.maxRequest);
    const value = kind === 'GET' ? 0n : toInt64(args[index + 3]);
    operations.push({ kind, type, offset, value, overflow });
    if (operations.length > MAX_OPERATIONS) fail(`ERR a command has ${MAX_OPERATIONS} operations at most`);
    index += kind === 'GET' ? 3 : 4;
  }
  return operations;
}

function readType(text: string): FieldType {
  const [, sign, digits] = TYPE.exec(text) ?? fail(BAD_TYPE);
  const width = Number(digits);
  const isSigned = sign === 'i';
  return width > (isSigned ? 64 : 63) ? fail(BAD_TYPE) : { isSigned, width };
}

/** Where a field begins, in bits; `#` counts in fields. */
function readOffset(text: string, { width }: FieldType, maxBytes: number): number {
  const isCounted = text.startsWith('#');
  const number = parseInt64(isCounted ? text.slice(1) : text) ?? fail(BAD_OFFSET);
  const offset = Number(number) * (isCounted ? width : 1);
  return offset < 0 || offset >= 8 * maxBytes || offset >= 2 ** 32 ? fail(BAD_OFFSET) : offset;
}
