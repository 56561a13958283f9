import { fail, wrongArity } from '../wire/errors.js';
import { parseInteger } from '../wire/numbers.js';
import { at, optionAt, toInt64, type Args } from './command.js';

/** Milliseconds since 1970 that an expiry of a field has at most. */
const MAX_MOMENT = 2n ** 46n - 1n;
/** What a number of fields is at most. */
const MAX_FIELDS = 2 ** 31 - 1;
/** How the options for an expiry read their number. */
const UNITS = new Map<string, { readonly scale: bigint; readonly isAbsolute: boolean }>([
  ['EX', { scale: 1000n, isAbsolute: false }],
  ['PX', { scale: 1n, isAbsolute: false }],
  ['EXAT', { scale: 1000n, isAbsolute: true }],
  ['PXAT', { scale: 1n, isAbsolute: true }],
]);

/** What stands between the key and the fields of HGETEX and HSETEX, and the fields. */
export interface FieldOptions {
  /** FNX or FXX. */
  readonly condition: string | undefined;
  /** When the fields go away, in milliseconds since 1970. */
  readonly moment: number | undefined;
  /** KEEPTTL of HSETEX, PERSIST of HGETEX. */
  readonly hasWord: boolean;
  /** The fields, or fields and values in turn. */
  readonly fields: readonly string[];
}

/**
 * Reads options and fields (redis.io, command pages of HGETEX and HSETEX). They may stand in any order and errors are
 * worded as in Redis after 8.0, which wants the fields last and has words of its own for HGETEX.
 *
 * @param word - what may stand in place of an expiry
 * @param step - how many arguments a field has: 2 with its value
 * @throws CommandError
 */
export function readFieldOptions(args: Args, now: number, word: string, step: 1 | 2): FieldOptions {
  const name = at(args, 0).toLowerCase();
  let condition: string | undefined;
  let moment: number | undefined;
  let hasWord = false;
  let fields: readonly string[] | undefined;
  for (let place = 2; place < args.length; place += 1) {
    const option = optionAt(args, place);
    const unit = UNITS.get(option);
    if (option === 'FIELDS') {
      if (fields !== undefined) fail('ERR FIELDS keyword specified multiple times');
      fields = readFields(args, place, name, step);
      place += 1 + fields.length;
    } else if (unit !== undefined || option === word) {
      if (moment !== undefined || hasWord)
        fail(`ERR Only one of EX, PX, EXAT, PXAT or ${word} arguments can be specified`);
      if (unit === undefined) hasWord = true;
      else {
        place += 1;
        if (place >= args.length) fail('ERR missing expire time');
        moment = momentOf(unit, args[place], name, now);
      }
    } else if (step === 2 && (option === 'FNX' || option === 'FXX')) {
      if (condition !== undefined) fail('ERR Only one of FXX or FNX arguments can be specified');
      condition = option;
    } else fail(`ERR unknown argument: ${at(args, place)}`);
  }
  return { condition, moment, hasWord, fields: fields ?? fail('ERR missing FIELDS argument') };
}

function readFields(args: Args, place: number, name: string, step: 1 | 2): readonly string[] {
  if (place + 1 + step >= args.length) fail(wrongArity(name));
  const count = parseInteger(args[place + 1] ?? '') ?? 0;
  if (count < 1 || count > MAX_FIELDS) fail('ERR invalid number of fields');
  const from = place + 2;
  if (count > (args.length - from) / step) fail(wrongArity(name));
  return args.slice(from, from + count * step);
}

function momentOf(
  { scale, isAbsolute }: { readonly scale: bigint; readonly isAbsolute: boolean },
  text: string | undefined,
  name: string,
  now: number,
): number {
  const given = toInt64(text);
  if (given < 0n) fail('ERR invalid expire time, must be >= 0');
  const moment = given * scale + (isAbsolute ? 0n : BigInt(Math.floor(now)));
  return moment > MAX_MOMENT ? fail(`ERR invalid expire time in '${name}' command`) : Number(moment);
}
