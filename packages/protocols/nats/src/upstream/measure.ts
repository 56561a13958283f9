import { FramingError } from '@backlot/kit/framing';

const LF = 10;
/** The longest line that is taken; INFO of a large cluster is a long one. */
const MAX_LINE = 256 * 1024;
/** The operations with a payload, whose size is the last word of their line. */
const WITH_PAYLOAD = /^H?(?:PUB|MSG)\s.*?(\d{1,10})\s*$/is;

/**
 * Tells how long an operation is, with its payload, whoever sends it.
 *
 * @throws FramingError for a line that does not end
 */
export function measureOperation(bytes: Buffer, start: number, end: number): number {
  const lineEnd = bytes.subarray(start, Math.min(end, start + MAX_LINE)).indexOf(LF);
  if (lineEnd < 0) {
    if (end - start >= MAX_LINE)
      throw new FramingError('too_long', `a control line has more than ${MAX_LINE} bytes`);
    return 0;
  }
  const first = (bytes[start] ?? 0) & 0x5f;
  // P of PUB and of PING, H and M.
  if (first !== 0x50 && first !== 0x48 && first !== 0x4d) return lineEnd + 1;
  const size = WITH_PAYLOAD.exec(bytes.toString('latin1', start, start + lineEnd))?.[1];
  return size === undefined ? lineEnd + 1 : lineEnd + 1 + Number(size) + 2;
}
