/** How many bytes are gone through between two moments at which others may be let in. */
export const STEP = 256 * 1024;

/**
 * Where bytes stand between `from` and `end`, or -1; what lies beyond `end` is never looked at. Yields now and then, see
 * `runInSlices`.
 */
export function* findBytes(
  raw: Buffer,
  wanted: Buffer,
  from: number,
  end: number,
): Generator<undefined, number> {
  for (let at = from; at + wanted.length <= end; at += STEP) {
    const found = raw.subarray(at, Math.min(at + STEP + wanted.length - 1, end)).indexOf(wanted);
    if (found >= 0) return at + found;
    yield;
  }
  return -1;
}

/** How many line feeds there are between `start` and `end`. Yields now and then. */
export function* countLines(raw: Buffer, start: number, end: number): Generator<undefined, number> {
  let lines = 0;
  for (let from = start; from < end; from += STEP) {
    const to = Math.min(from + STEP, end);
    for (let at = from; at < to; at += 1) if (raw[at] === 10) lines += 1;
    if (to < end) yield;
  }
  return lines;
}
