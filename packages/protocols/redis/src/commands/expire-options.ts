import { MAX_INT64 } from '../wire/numbers.js';
import { fail } from '../wire/errors.js';
import { toInt64 } from './command.js';

/** How the commands and options for an expiry read their number. */
const UNITS = new Map<string, { readonly scale: bigint; readonly isAbsolute: boolean }>([
  ['EX', { scale: 1000n, isAbsolute: false }],
  ['PX', { scale: 1n, isAbsolute: false }],
  ['EXAT', { scale: 1000n, isAbsolute: true }],
  ['PXAT', { scale: 1n, isAbsolute: true }],
]);

/** Whether a word names a unit of an expiry: EX, PX, EXAT or PXAT (redis.io, command pages of SET and GETEX). */
export function isExpireUnit(word: string): boolean {
  return UNITS.has(word);
}

/**
 * The moment of an expiry, in milliseconds since 1970.
 *
 * @param command - for the error
 * @param isPositive - whether the number has to be above zero
 * @throws CommandError
 */
export function readExpiry(
  unit: string,
  text: string | undefined,
  now: number,
  command: string,
  isPositive = true,
): number {
  const { scale, isAbsolute } = UNITS.get(unit) ?? { scale: 1n, isAbsolute: true };
  const given = toInt64(text);
  const invalid = `ERR invalid expire time in '${command}' command`;
  if (isPositive && given <= 0n) fail(invalid);
  const moment = given * scale + (isAbsolute ? 0n : BigInt(Math.floor(now)));
  if (moment > MAX_INT64 || given * scale < -MAX_INT64 || given * scale > MAX_INT64) fail(invalid);
  return Number(moment);
}
