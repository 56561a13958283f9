import { LongText, PAGE } from '../../data/long-text.js';
import { byteAt, lengthOf, LONG, type Text } from '../../data/text.js';
import type { Session } from '../../session.js';
import { ERRORS, fail } from '../../wire/errors.js';
import { integer, ZERO } from '../../wire/reply.js';
import { at, onKeys, optionAt, type Args, type Command } from '../command.js';

/** Bytes that are made in one step; a page has several of these parts. */
const STEP = 4096;
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
  const texts: Text[] = [];
  let length = 0;
  for (const key of args.slice(3)) {
    const text = database.text(key) ?? '';
    texts.push(text);
    length = Math.max(length, lengthOf(text));
    if (texts.length % STEP === 0) yield;
  }
  if (length * texts.length > MAX_READ) fail(`ERR the strings have more than ${MAX_READ} bytes together`);
  const target = at(args, 2);
  if (length === 0) {
    database.delete(target);
    return ZERO;
  }
  const pages: string[] = [];
  for (let start = 0; start < length; start += PAGE) {
    const page = Buffer.alloc(Math.min(PAGE, length - start));
    for (let from = 0; from < page.length; from += STEP) {
      const part = page.subarray(from, from + STEP);
      for (const [index, text] of texts.entries()) {
        const isFirst = index === 0 && !isNot;
        for (let place = 0; place < part.length; place += 1) {
          const byte = byteAt(text, start + from + place) || 0;
          part[place] = isFirst ? byte : operation(isNot ? byte : (part[place] ?? 0), byte);
        }
        yield;
      }
    }
    pages.push(page.toString('latin1'));
  }
  database.put(target, length < LONG ? pages.join('') : LongText.join(pages));
  return integer(length);
}
