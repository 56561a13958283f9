import type { Args } from './args.js';
import type { Session } from '../session.js';
import type { Access } from '../data-queue.js';
import { ERRORS, fail } from '../wire/errors.js';
import { parseFloat64, parseInt64, parseInteger } from '../wire/numbers.js';
import type { Answer } from './work.js';

export { at, optionAt, textAt, type Args } from './args.js';
export type { Answer } from './work.js';

/** What COMMAND tells of a command, in letters: w write, r read only, m refused without memory, a admin, p pub/sub, b blocking, l allowed while loading, n not in a transaction, u without login, s kept by subscribers. */
type Flags = string;

/** A command of the protocol. */
export interface Command {
  /** In lower case; that of a subcommand is `container|name`. */
  readonly name: string;
  /** How many arguments, with the name: exactly, or at least when negative. */
  readonly arity: number;
  readonly flags: Flags;
  /** First key, last key (negative: from the end) and step, as COMMAND tells; zeros: no keys. */
  readonly keys: readonly [first: number, last: number, step: number];
  /** The name as messages have it: in upper case, with its subcommand: `CLIENT SETNAME`. */
  readonly method: string;
  /** Whether it answers by itself, whatever the mode, unless a mock matches: handshake and probing. */
  readonly isAlwaysAnswered: boolean;
  /** What it does to the data; commands that publish and subscribe are kept apart like those that write. */
  readonly access: Access;
  /** Whether it takes no more than some microseconds, whatever the data: nobody has to ask how long it took. */
  readonly isQuick: boolean;
  run(args: Args, session: Session): Answer;
}

const ALWAYS_ANSWERED = new Set([
  'hello',
  'auth',
  'info',
  'ping',
  'echo',
  'select',
  'quit',
  'reset',
  'config|get',
]);

const QUICK = new Set(
  'get set setnx setex psetex incr decr incrby decrby strlen hget hexists hlen llen scard sismember zcard zscore ttl pttl type'.split(
    ' ',
  ),
);

const ONE_KEY = [1, 1, 1] as const;
const NO_KEY = [0, 0, 0] as const;

/** A command whose first argument is its key. */
export function onKey(name: string, arity: number, flags: Flags, run: Command['run']): Command {
  return onKeys(name, arity, flags, ONE_KEY, run);
}

/** A command with several keys, or keys in other places. */
export function onKeys(
  name: string,
  arity: number,
  flags: Flags,
  keys: Command['keys'],
  run: Command['run'],
): Command {
  const [container = name] = name.split('|');
  return {
    name,
    arity,
    flags,
    keys,
    method: name.toUpperCase().replace('|', ' '),
    isAlwaysAnswered: ALWAYS_ANSWERED.has(name) || container === 'client' || container === 'command',
    access: accessOf(name, flags, keys),
    isQuick: QUICK.has(name),
    run,
  };
}

function accessOf(name: string, flags: Flags, [first]: Command['keys']): Access {
  if (name === 'exec' || flags.includes('w') || flags.includes('p')) return 'write';
  // INFO tells how many keys there are.
  return name === 'info' || flags.includes('r') || first > 0 ? 'read' : 'none';
}

/** A command without keys. */
export function keyless(name: string, arity: number, flags: Flags, run: Command['run']): Command {
  return onKeys(name, arity, flags, NO_KEY, run);
}

/** @throws CommandError when the text is no integer */
export function toInteger(text: string | undefined, message: string = ERRORS.notInteger): number {
  return parseInteger(text ?? '') ?? fail(message);
}

/** @throws CommandError when the text is no 64-bit integer */
export function toInt64(text: string | undefined, message: string = ERRORS.notInteger): bigint {
  return parseInt64(text ?? '') ?? fail(message);
}

/** @throws CommandError when the text is no number */
export function toFloat(text: string | undefined, message: string = ERRORS.notFloat): number {
  return parseFloat64(text ?? '') ?? fail(message);
}

/** An integer of at least zero. @throws CommandError */
export function toCount(text: string | undefined, message: string = ERRORS.notPositive): number {
  const count = toInteger(text, message);
  return count < 0 ? fail(message) : count;
}

/** Turns indexes that may count from the end into the range from `start` up to, not including, `end`. */
export function clampRange(
  first: number,
  last: number,
  size: number,
): { readonly start: number; readonly end: number } {
  const start = Math.max(first < 0 ? size + first : first, 0);
  const end = Math.min(last < 0 ? size + last : last, size - 1) + 1;
  return start >= end ? { start: 0, end: 0 } : { start, end };
}
