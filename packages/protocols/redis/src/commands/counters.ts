import { byteAt, replaceIn } from '../data/text.js';
import type { Session } from '../session.js';
import { ERRORS, fail } from '../wire/errors.js';
import { formatSum, MAX_INT64, MIN_INT64, parseFloat64, parseInt64 } from '../wire/numbers.js';
import { bulk, integer } from '../wire/reply.js';
import { at, onKey, toFloat, toInt64, type Answer, type Args, type Command } from './command.js';

/** The commands that count in strings. */
export const COUNTER_COMMANDS: readonly Command[] = [
  onKey('incr', 2, 'wm', (args, session) => add(at(args, 1), 1, session)),
  onKey('decr', 2, 'wm', (args, session) => add(at(args, 1), -1, session)),
  onKey('incrby', 3, 'wm', (args, session) => addWide(at(args, 1), toInt64(args[2]), session)),
  onKey('decrby', 3, 'wm', (args, session) => {
    const by = toInt64(args[2]);
    if (by === MIN_INT64) fail('ERR decrement would overflow');
    return addWide(at(args, 1), -by, session);
  }),
  onKey('incrbyfloat', 3, 'wm', incrByFloat),
];

/**
 * The sum of two 64-bit integers.
 *
 * @throws CommandError when it has more than 64 bits
 */
export function addInt64(one: bigint, two: bigint): bigint {
  const sum = one + two;
  return sum > MAX_INT64 || sum < MIN_INT64 ? fail(ERRORS.overflow) : sum;
}

/**
 * The sum of two floating point numbers, as text.
 *
 * @throws CommandError when there is none
 */
export function addFloat(one: number, two: number): string {
  const sum = one + two;
  return Number.isFinite(sum) ? formatSum(sum) : fail(ERRORS.notANumber);
}

function add(key: string, by: number, session: Session): Answer {
  const { database } = session;
  const value = database.string(key) ?? '0';
  if (value.length > 15 || !/^(?:0|-?[1-9][0-9]*)$/.test(value)) return addWide(key, BigInt(by), session);
  return store(key, String(Number(value) + by), session);
}

function addWide(key: string, by: bigint, session: Session): Answer {
  const value = parseInt64(session.database.string(key) ?? '0') ?? fail(ERRORS.notInteger);
  return store(key, String(addInt64(value, by)), session);
}

function store(key: string, value: string, { database }: Session): Answer {
  database.put(key, value, database.find(key)?.expireAt);
  return `:${value}\r\n`;
}

function incrByFloat(args: Args, { database }: Session): Answer {
  const key = at(args, 1);
  const value = parseFloat64(database.string(key) ?? '0') ?? fail(ERRORS.notFloat);
  const sum = addFloat(value, toFloat(args[2]));
  database.put(key, sum, database.find(key)?.expireAt);
  return bulk(sum);
}

/** The commands that see a string as bits. */
export const BIT_COMMANDS: readonly Command[] = [
  onKey('setbit', 4, 'wm', setBit),
  onKey('getbit', 3, 'r', (args, { database }) => {
    const offset = bitOffset(args[2]);
    const byte = byteAt(database.text(at(args, 1)) ?? '', Math.floor(offset / 8)) || 0;
    return integer((byte >> (7 - (offset % 8))) & 1);
  }),
];

function bitOffset(text: string | undefined): number {
  const message = 'ERR bit offset is not an integer or out of range';
  const offset = Number(toInt64(text, message));
  return offset < 0 || offset >= 2 ** 32 ? fail(message) : offset;
}

function setBit(args: Args, { database, server }: Session): Answer {
  const key = at(args, 1);
  const offset = bitOffset(args[2]);
  if (args[3] !== '0' && args[3] !== '1') fail('ERR bit is not an integer or out of range');
  const place = Math.floor(offset / 8);
  if (place >= server.settings.maxRequest) fail(ERRORS.tooLarge);
  const value = database.text(key) ?? '';
  const byte = byteAt(value, place) || 0;
  const mask = 0x80 >> (offset % 8);
  const changed = args[3] === '1' ? byte | mask : byte & ~mask;
  database.put(key, replaceIn(value, place, String.fromCharCode(changed)), database.find(key)?.expireAt);
  return integer((byte & mask) === 0 ? 0 : 1);
}
