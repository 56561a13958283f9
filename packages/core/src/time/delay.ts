import { invalid, messageOf, type Problem } from '../errors.js';
import { hashText, roll } from '../random/random.js';
import type { DelaySource } from './delay-schema.js';
import { parseDuration } from './duration.js';

/** The longest delay, which a lognormal one without `max` may reach: as much as a duration may be, in ms. */
const LONGEST = 10 * 366 * 86_400_000;
/** Half of the rolls are at most the median, so that all of these are too long once in 2^64 times. */
const MAX_ROLLS = 64;
/** Small odd numbers that keep the rolls of one delay apart. */
const ANGLE_SALT = 0x2c1b3c6d;
const NEXT_SALT = 0x297a2d39;

/** How long a delay may be, in milliseconds. */
export interface DelayBounds {
  readonly min: number;
  readonly median: number;
  /** Absent when nothing bounds it. */
  readonly max: number | undefined;
}

/** A delay that is rolled for each message. */
export interface RolledDelay {
  readonly bounds: DelayBounds;
  /** Tells the delays of one mock apart. */
  readonly salt: number;
  /**
   * The delay of the n-th message, in milliseconds: the same for the same seed.
   *
   * @param hash - tells what is rolled apart
   */
  roll(seed: number, hash: number, n: number): number;
}

/** A compiled delay: milliseconds where it is always the same. */
export type Delay = number | RolledDelay;

class UniformDelay implements RolledDelay {
  constructor(
    readonly salt: number,
    readonly min: number,
    readonly max: number,
  ) {}

  get bounds(): DelayBounds {
    return { min: this.min, median: (this.min + this.max) / 2, max: this.max };
  }

  roll(seed: number, hash: number, n: number): number {
    return this.min + (this.max - this.min) * roll(seed, hash, n);
  }
}

class LognormalDelay implements RolledDelay {
  constructor(
    readonly salt: number,
    readonly median: number,
    readonly sigma: number,
    readonly max: number,
  ) {}

  get bounds(): DelayBounds {
    return { min: 0, median: this.median, max: this.max === LONGEST ? undefined : this.max };
  }

  roll(seed: number, hash: number, n: number): number {
    for (let attempt = 0; attempt < MAX_ROLLS; attempt += 1) {
      const own = hash + Math.imul(attempt, NEXT_SALT);
      // Box and Muller: a radius and an angle make a number of the normal distribution.
      const radius = Math.sqrt(-2 * Math.log(1 - roll(seed, own, n)));
      const normal = radius * Math.cos(2 * Math.PI * roll(seed, own ^ ANGLE_SALT, n));
      const delay = this.median * Math.exp(this.sigma * normal);
      if (delay <= this.max) return delay;
    }
    return this.max;
  }
}

/**
 * Compiles a delay.
 *
 * @param at - where it stands, so that two delays of one mock are rolled apart
 * @throws BacklotError `invalid`, with a problem for each part that is wrong
 */
export function compileDelay(source: DelaySource | undefined, at = ''): Delay {
  if (source === undefined) return 0;
  if (typeof source === 'string') return parseDuration(source);
  const given = Object.keys(source);
  const problems: Problem[] = [];
  const duration = (text: string, path: string): number => {
    try {
      return parseDuration(text);
    } catch (thrown) {
      problems.push({ path, message: messageOf(thrown) });
      return 0;
    }
  };
  const made = compileForm(source, hashText(at), duration, problems);
  if (given.length !== 1)
    throw invalid(
      `must be a duration such as "250ms", or have one of fixed, uniform and lognormal, got ${given.length === 0 ? 'none' : given.join(' and ')}`,
    );
  const [first] = problems;
  if (first !== undefined) throw invalid(first.message, problems);
  return made;
}

function compileForm(
  { fixed, uniform, lognormal }: Exclude<DelaySource, string>,
  salt: number,
  duration: (text: string, path: string) => number,
  problems: Problem[],
): Delay {
  if (uniform !== undefined) {
    const min = duration(uniform.min, '/uniform/min');
    const max = duration(uniform.max, '/uniform/max');
    if (min > max && problems.length === 0)
      problems.push({
        path: '/uniform',
        message: `min "${uniform.min}" must not be more than max "${uniform.max}"`,
      });
    return min === max ? min : new UniformDelay(salt, min, max);
  }
  if (lognormal !== undefined) {
    const median = duration(lognormal.median, '/lognormal/median');
    const max = lognormal.max === undefined ? LONGEST : duration(lognormal.max, '/lognormal/max');
    if (median > max && problems.length === 0)
      problems.push({
        path: '/lognormal',
        message: `median "${lognormal.median}" must not be more than max "${lognormal.max ?? ''}"`,
      });
    return median === 0 || lognormal.sigma === 0
      ? median
      : new LognormalDelay(salt, median, lognormal.sigma, max);
  }
  return fixed === undefined ? 0 : duration(fixed, '/fixed');
}

/**
 * The delay of the n-th message, in milliseconds: the same for the same seed.
 *
 * @param hash - tells what is rolled apart
 */
export function rollDelay(delay: Delay, seed: number, hash: number, n: number): number {
  return typeof delay === 'number' ? delay : delay.roll(seed, hash, n);
}

/** How long a delay may be: of one that is always the same, that long. */
export function boundsOf(delay: Delay): DelayBounds {
  return typeof delay === 'number' ? { min: delay, median: delay, max: delay } : delay.bounds;
}
