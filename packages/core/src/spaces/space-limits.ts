import type { SpaceLimits } from '../contract/spaces.js';
import { messageOf, type Problem } from '../errors.js';
import { parseDuration } from '../time/duration.js';
import { show } from '../validation/messages.js';

const DEFAULT_MAX = 1_000;
const DEFAULT_TTL = '1h';
/** What a timer can wait for. */
const MAX_TTL = 2 ** 31 - 1;

/** The limits of the spaces of a host, in numbers. */
export interface ReadLimits {
  readonly max: number;
  /** Milliseconds. */
  readonly ttl: number;
}

/** Reads the limits out of a host's options; what is wrong with them is added to `problems`. */
export function readSpaceLimits({ max, ttl }: SpaceLimits = {}, problems: Problem[] = []): ReadLimits {
  if (max !== undefined && !(Number.isInteger(max) && max >= 0))
    problems.push({ path: '/spaces/max', message: `must be a whole number from 0 on, got ${show(max)}` });
  try {
    return { max: max ?? DEFAULT_MAX, ttl: readTtl(ttl ?? DEFAULT_TTL) };
  } catch (thrown) {
    problems.push({ path: '/spaces/ttl', message: messageOf(thrown) });
    return { max: max ?? DEFAULT_MAX, ttl: readTtl(DEFAULT_TTL) };
  }
}

/** The milliseconds of a ttl. @throws Error for one that is no duration, is not above zero or longer than 24 days */
export function readTtl(text: string): number {
  const ttl = parseDuration(text);
  if (ttl > 0 && ttl <= MAX_TTL) return ttl;
  throw new Error(`must be above 0 and at most 24 days, got ${JSON.stringify(text)}`);
}
