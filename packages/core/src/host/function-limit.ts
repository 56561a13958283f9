import { messageOf, type Problem } from '../errors.js';
import { parseDuration } from '../time/duration.js';

/** Milliseconds of real time that a function may take when nothing is said. */
const DEFAULT_LIMIT = 30_000;

/** How long a function may take for an answer, out of a host's options; what is wrong with them is added to `problems`. */
export function functionLimitOf(
  functions: { readonly timeout?: string } | undefined,
  problems: Problem[],
): number {
  const { timeout } = functions ?? {};
  if (timeout === undefined) return DEFAULT_LIMIT;
  try {
    const limit = parseDuration(timeout);
    if (limit > 0) return limit;
    problems.push({ path: '/functions/timeout', message: `must be more than 0, got "${timeout}"` });
  } catch (thrown) {
    problems.push({ path: '/functions/timeout', message: messageOf(thrown) });
  }
  return DEFAULT_LIMIT;
}
