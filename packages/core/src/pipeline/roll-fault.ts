import { roll } from '../random/random.js';

/** A small odd number that keeps the rolls for delays apart from those for errors. */
const DELAY_SALT = 0x5bd1e995;

/** The times of a fault, in milliseconds: one for all, or from a range. */
export interface FaultDelay {
  readonly delay?: number;
  readonly delayRange?: { readonly min: number; readonly max: number } | undefined;
}

/**
 * The delay of the n-th message: the same for the same seed.
 *
 * @param hash - tells the faults of a host apart
 */
export function rollDelay(
  { delay = 0, delayRange }: FaultDelay,
  seed: number,
  hash: number,
  n: number,
): number {
  if (delayRange === undefined) return delay;
  return delayRange.min + (delayRange.max - delayRange.min) * roll(seed, hash ^ DELAY_SALT, n);
}

/** Whether an error that comes at this rate, 0 to 1, hits the n-th message: the same for the same seed. */
export function rollError(rate: number, seed: number, hash: number, n: number): boolean {
  if (rate >= 1) return true;
  return rate > 0 && roll(seed, hash, n) < rate;
}
