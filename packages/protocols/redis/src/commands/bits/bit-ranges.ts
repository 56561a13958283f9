import { byteAt, lengthOf, type Text } from '../../data/text.js';
import type { Session } from '../../session.js';
import { ERRORS, fail } from '../../wire/errors.js';
import { integer, ZERO } from '../../wire/reply.js';
import { at, onKey, optionAt, toInteger, type Args, type Command } from '../command.js';

/** Bytes that are gone through in one step. */
const PAGE = 16_384;
/** How many bits of each byte are set. */
const BITS = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);
const ALL_SET = 0xff;

/** The commands that look for bits in a range (redis.io, command pages of BITCOUNT and BITPOS). */
export const BIT_RANGE_COMMANDS: readonly Command[] = [
  onKey('bitcount', -2, 'r', count),
  onKey('bitpos', -3, 'r', find),
];

/** Bits from `start` up to, not including, `end`. */
interface BitRange {
  readonly start: number;
  readonly end: number;
}

function* count(args: Args, { database }: Session): Generator<undefined, string> {
  const text = database.text(at(args, 1));
  if (text === undefined) return ZERO;
  const length = lengthOf(text);
  if (args.length === 3 || args.length > 5) fail(ERRORS.syntax);
  const range =
    args.length === 2
      ? { start: 0, end: 8 * length }
      : readRange(toInteger(args[2]), toInteger(args[3]), readUnit(args, 4), length);
  let found = 0;
  for (let place = Math.floor(range.start / 8); place * 8 < range.end; place += 1) {
    found += BITS[byteWithin(text, place, range)] ?? 0;
    if (place % PAGE === 0) yield;
  }
  return integer(found);
}

function* find(args: Args, { database }: Session): Generator<undefined, string> {
  const bit = toInteger(args[2]);
  if (bit !== 0 && bit !== 1) fail('ERR The bit argument must be 1 or 0.');
  const text = database.text(at(args, 1));
  if (text === undefined) return bit === 1 ? integer(-1) : ZERO;
  const length = lengthOf(text);
  if (args.length > 6) fail(ERRORS.syntax);
  const unit = readUnit(args, 5);
  const last = args[4] === undefined ? -1 : toInteger(args[4]);
  const range = readRange(args[3] === undefined ? 0 : toInteger(args[3]), last, unit, length);
  if (range.start >= range.end) return integer(-1);
  for (let place = Math.floor(range.start / 8); place * 8 < range.end; place += 1) {
    // Looked for is a bit that is set; what is outside of the range is not.
    const byte = byteAt(text, place);
    const wanted = within(bit === 1 ? byte : byte ^ ALL_SET, place, range);
    if (wanted !== 0) return integer(8 * place + Math.clz32(wanted) - 24);
    if (place % PAGE === 0) yield;
  }
  // Behind a string whose end was not given there are zeros.
  return integer(bit === 0 && args[4] === undefined ? 8 * length : -1);
}

/** The byte at a place, its bits outside of the range cleared. */
function byteWithin(text: Text, place: number, range: BitRange): number {
  return within(byteAt(text, place), place, range);
}

function within(byte: number, place: number, { start, end }: BitRange): number {
  let kept = byte;
  if (start > place * 8) kept &= ALL_SET >> (start - place * 8);
  if (end < place * 8 + 8) kept &= ALL_SET << (place * 8 + 8 - end);
  return kept & ALL_SET;
}

/** Bits of a unit of the range: 8 for BYTE, 1 for BIT. */
function readUnit(args: Args, index: number): number {
  if (args[index] === undefined) return 8;
  const unit = optionAt(args, index);
  if (unit === 'BIT') return 1;
  return unit === 'BYTE' ? 8 : fail(ERRORS.syntax);
}

function readRange(first: number, last: number, unit: number, length: number): BitRange {
  const size = (length * 8) / unit;
  if (first < 0 && last < 0 && first > last) return { start: 0, end: 0 };
  const start = Math.max(first < 0 ? size + first : first, 0);
  const end = Math.min(Math.max(last < 0 ? size + last : last, 0), size - 1) + 1;
  return start >= end ? { start: 0, end: 0 } : { start: start * unit, end: end * unit };
}
