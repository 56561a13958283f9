/**
 * Where bytes stand between `from` and `end`, or -1. What lies beyond `end` is never looked at: it may be as long as
 * what was received so far, and would be searched again for each small chunk.
 */
export function findWithin(bytes: Buffer, wanted: number | Buffer, from: number, end: number): number {
  if (end === bytes.length) return bytes.indexOf(wanted, from);
  const at = bytes.subarray(from, end).indexOf(wanted);
  return at < 0 ? -1 : from + at;
}
