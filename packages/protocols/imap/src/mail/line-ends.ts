const STEP = 256 * 1024;
const NUL = 0;
const LF = 10;
const CR = 13;

/**
 * The bytes with every line end made CR LF and without NUL; the same bytes where nothing is to be done. Yields now and
 * then, see `runInSlices`.
 */
export function* withCrlf(bytes: Buffer): Generator<undefined, Buffer> {
  let more = 0;
  for (let from = 0; from < bytes.length; from += STEP) {
    more += countChanges(bytes, from, Math.min(from + STEP, bytes.length));
    yield;
  }
  if (more === 0) return bytes;
  const smooth = Buffer.allocUnsafe(bytes.length + more);
  let length = 0;
  for (let from = 0; from < bytes.length; from += STEP) {
    const to = Math.min(from + STEP, bytes.length);
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === NUL) continue;
      if (byte === LF && bytes[at - 1] !== CR) smooth[length++] = CR;
      smooth[length++] = byte;
      if (byte === CR && bytes[at + 1] !== LF) smooth[length++] = LF;
    }
    yield;
  }
  return smooth.subarray(0, length);
}

/** How many bytes there will be more, at most; 0 when nothing is to be done. */
function countChanges(bytes: Buffer, from: number, to: number): number {
  let changes = 0;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte > CR) continue;
    const isChange =
      byte === NUL || (byte === LF && bytes[at - 1] !== CR) || (byte === CR && bytes[at + 1] !== LF);
    if (isChange) changes += 1;
  }
  return changes;
}
