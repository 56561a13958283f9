import { Glob } from '../data/glob.js';
import { fail } from '../wire/errors.js';

/** Most bytes of a pattern. */
const LONGEST_PATTERN = 1024;

/** Reads a pattern of keys, members or channels. @throws CommandError when it is too long */
export function readGlob(pattern: string): Glob {
  if (pattern.length > LONGEST_PATTERN)
    fail(`ERR the pattern has ${pattern.length} bytes; ${LONGEST_PATTERN} are the most`);
  return new Glob(pattern);
}
