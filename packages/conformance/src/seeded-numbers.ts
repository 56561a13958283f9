/** Gives the next whole number from 0 to below the limit, which is at least 1. */
export type SeededNumbers = (limit: number) => number;

/** Numbers that look random and are the same in every run (mulberry32); any seed will do. */
export function mulberry32(seed: number): SeededNumbers {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

/** As {@link mulberry32}, by Marsaglia's xorshift32. The seed must not be 0, from which only zeros follow. */
export function xorshift32(seed: number): SeededNumbers {
  let state = seed;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

/** Bytes that look random and are the same in every run. */
export function randomBytes(seed: number, length: number): Buffer {
  const below = xorshift32((seed * 0x9e3779b9) >>> 0 || 1);
  return Buffer.from(Array.from({ length }, () => below(256)));
}
