import { Glob } from '../data/glob.js';
import { fail } from '../wire/errors.js';

/** Most bytes of a pattern. */
const MAX_PATTERN_LENGTH = 1024;

/** Reads a pattern of keys, members or channels. @throws CommandError when it is too long */
export function readGlob(pattern: string): Glob {
  if (pattern.length > MAX_PATTERN_LENGTH)
    fail(`ERR the pattern has ${pattern.length} bytes; ${MAX_PATTERN_LENGTH} are the most`);
  return new Glob(pattern);
}
