import { FramingError } from '@backlot/kit/framing';

/** Most elements within each other. */
export const MAX_DEPTH = 100;

const CONSTRUCTED = 0x20;
const LONG_TAG = 0x1f;

/**
 * Checks that BER elements fill a range exactly, down to the innermost: each length is definite and ends within the
 * element around it.
 *
 * @throws FramingError
 */
export function checkStructure(bytes: Buffer, start: number, end: number): void {
  const ends = [end];
  let at = start;
  for (;;) {
    let limit = ends[ends.length - 1];
    while (limit !== undefined && at === limit) {
      ends.pop();
      limit = ends[ends.length - 1];
    }
    if (limit === undefined) return;
    const tag = bytes[at] ?? 0;
    if ((tag & LONG_TAG) === LONG_TAG) throw new FramingError('malformed', 'a tag of more than one byte');
    const first = at + 1 < limit ? (bytes[at + 1] ?? 0) : -1;
    if (first < 0) throw new FramingError('truncated', 'an element has no length');
    let length = first;
    at += 2;
    if (first >= 0x80) {
      const size = first & 0x7f;
      if (size === 0 || size > 4 || at + size > limit) {
        throw new FramingError('malformed', 'the length of an element cannot be read');
      }
      length = bytes.readUIntBE(at, size);
      at += size;
    }
    if (length > limit - at) {
      throw new FramingError(
        'truncated',
        `an element says it has ${length} bytes and ${limit - at} are there`,
      );
    }
    if ((tag & CONSTRUCTED) === 0) at += length;
    else {
      if (ends.length >= MAX_DEPTH) {
        throw new FramingError('malformed', `elements are nested deeper than ${MAX_DEPTH} levels`);
      }
      ends.push(at + length);
    }
  }
}

/** How many elements there are in bytes that {@link checkStructure} has passed, on all levels. */
export function countElements(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; count += 1) {
    const tag = bytes[at] ?? 0;
    const first = bytes[at + 1] ?? 0;
    at += 2;
    let length = first;
    if (first >= 0x80) {
      const size = first & 0x7f;
      length = bytes.readUIntBE(at, size);
      at += size;
    }
    if ((tag & CONSTRUCTED) === 0) at += length;
  }
  return count;
}
