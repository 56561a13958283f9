import { ERRORS, fail } from '../wire/errors.js';
import { optionAt, toInteger, type Args } from './command.js';

/** The keys after their number, and where the arguments go on. */
export function readKeys(
  args: Args,
  first: number,
): { readonly keys: readonly string[]; readonly next: number } {
  const count = toInteger(args[first], ERRORS.numkeys);
  if (count <= 0) fail(ERRORS.numkeys);
  const next = first + 1 + count;
  if (next >= args.length) fail(ERRORS.syntax);
  return { keys: args.slice(first + 1, next), next };
}

/** `[COUNT count]` at the end of a command; 1 when it is not there. */
export function readCountOption(args: Args, index: number): number {
  if (index >= args.length) return 1;
  if (optionAt(args, index) !== 'COUNT' || args.length !== index + 2) fail(ERRORS.syntax);
  const message = 'ERR count should be greater than 0';
  const count = toInteger(args[index + 1], message);
  return count > 0 ? count : fail(message);
}
