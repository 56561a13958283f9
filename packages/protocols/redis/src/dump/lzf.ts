/** Bytes that are made in one step. */
const STEP = 64 * 1024;
/** One byte becomes so many at most. */
const MAX_GROWTH = 264;

/**
 * Unpacks what was packed with LZF (liblzf), step by step.
 *
 * @param length - how many bytes it must become
 * @returns `undefined` when it is not well formed
 */
export function* unpackLzf(packed: string, length: number): Generator<undefined, string | undefined> {
  if (length > packed.length * MAX_GROWTH) return undefined;
  const out = Buffer.alloc(length);
  let to = 0;
  let rest = STEP;
  for (let at = 0; at < packed.length;) {
    const control = packed.charCodeAt(at);
    at += 1;
    const begin = to;
    if (control < 32) {
      const count = control + 1;
      if (at + count > packed.length || to + count > length) return undefined;
      for (let left = count; left > 0; left -= 1, at += 1, to += 1) out[to] = packed.charCodeAt(at);
    } else {
      let count = control >> 5;
      if (count === 7) {
        count += packed.charCodeAt(at);
        at += 1;
      }
      count += 2;
      // Beyond the end there is no number, which fails in the comparison.
      let from = to - ((control & 0x1f) << 8) - packed.charCodeAt(at) - 1;
      at += 1;
      if (!(from >= 0 && to + count <= length)) return undefined;
      for (let left = count; left > 0; left -= 1, from += 1, to += 1) out[to] = out[from] ?? 0;
    }
    rest -= to - begin;
    if (rest < 0) {
      rest = STEP;
      yield;
    }
  }
  return to === length ? out.toString('latin1') : undefined;
}
