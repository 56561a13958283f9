/** What is copied into memory that was never used takes the system a millisecond or two: it makes each page on the way. */
const STEP = 1024 * 1024;

/**
 * Puts bytes together in one piece as `Buffer.concat` does, and yields after each megabyte, see `runInSlices`.
 * A piece that is alone is given as it is.
 *
 * @param pieces - neither they nor their bytes may be changed meanwhile
 */
export function* joinSteps(pieces: readonly Uint8Array[]): Generator<undefined, Uint8Array> {
  const [first] = pieces;
  if (pieces.length === 1 && first !== undefined) return first;
  const whole = Buffer.allocUnsafe(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let copied = 0;
  let next = STEP;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += STEP) {
      const part = piece.subarray(at, at + STEP);
      whole.set(part, copied);
      copied += part.length;
      if (copied < next) continue;
      next = copied + STEP;
      yield;
    }
  }
  return whole;
}
