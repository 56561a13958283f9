import type { Session } from '../../session.js';
import { ERRORS, fail } from '../../wire/errors.js';
import { integer, ZERO } from '../../wire/reply.js';
import { at, onKeys, optionAt, type Args, type Command } from '../command.js';

/** Bytes that are made in one step. */
const PAGE = 4096;
/** Most bytes that one command goes through. */
const MAX_READ = 1_073_741_824;

type Operation = (one: number, two: number) => number;

const OPERATIONS = new Map<string, Operation>([
  ['AND', (one, two) => one & two],
  ['OR', (one, two) => one | two],
  ['XOR', (one, two) => one ^ two],
  ['NOT', (one) => ~one & 0xff],
]);

/** BITOP (redis.io, command page of it). */
export const BIT_OPERATION_COMMANDS: readonly Command[] = [onKeys('bitop', -4, 'wm', [2, -1, 1], combine)];

function* combine(args: Args, { database }: Session): Generator<undefined, string> {
  const operation = OPERATIONS.get(optionAt(args, 1)) ?? fail(ERRORS.syntax);
  const isNot = optionAt(args, 1) === 'NOT';
  if (isNot && args.length !== 4) fail('ERR BITOP NOT must be called with a single source key.');
  const texts: string[] = [];
  let length = 0;
  for (const key of args.slice(3)) {
    const text = database.string(key) ?? '';
    texts.push(text);
    length = Math.max(length, text.length);
    if (texts.length % PAGE === 0) yield;
  }
  if (length * texts.length > MAX_READ) fail(`ERR the strings have more than ${MAX_READ} bytes together`);
  const target = at(args, 2);
  if (length === 0) {
    database.delete(target);
    return ZERO;
  }
  const made = Buffer.alloc(length);
  for (let start = 0; start < length; start += PAGE) {
    const end = Math.min(start + PAGE, length);
    for (let index = 0; index < texts.length; index += 1) {
      const text = texts[index] ?? '';
      for (let place = start; place < end; place += 1) {
        const byte = place < text.length ? text.charCodeAt(place) : 0;
        made[place] = index === 0 && !isNot ? byte : operation(isNot ? byte : (made[place] ?? 0), byte);
      }
      yield;
    }
  }
  database.put(target, made.toString('latin1'));
  return integer(length);
}
