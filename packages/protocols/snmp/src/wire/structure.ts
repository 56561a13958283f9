const CONSTRUCTED = 0x20;
const LONG_TAG = 0x1f;
const SEQUENCE = 0x30;
/** A message of v3 has five levels. */
const MAX_DEPTH = 6;

/**
 * Looks at the lengths of a message before net-snmp reads it, which takes what a lying length leaves: every element must
 * end where the one around it does, and the message with the datagram.
 *
 * @returns how many elements there are on each level, `undefined` for octets that are no well-formed message
 */
export function countElements(octets: Uint8Array): readonly number[] | undefined {
  const counts = [0];
  const ends = [octets.length];
  let at = 0;
  if (octets[0] !== SEQUENCE) return undefined;
  for (;;) {
    while (ends.length > 0 && at === ends[ends.length - 1]) ends.pop();
    if (ends.length === 0) return counts[0] === 1 ? counts : undefined;
    const level = ends.length - 1;
    const tag = octets[at] ?? 0;
    const content = contentAt(octets, at + 1);
    if ((tag & LONG_TAG) === LONG_TAG || content === undefined) return undefined;
    const end = content.start + content.length;
    if (end > (ends[level] ?? 0)) return undefined;
    counts[level] = (counts[level] ?? 0) + 1;
    if ((tag & CONSTRUCTED) === 0) at = end;
    else {
      if (level === MAX_DEPTH) return undefined;
      at = content.start;
      ends.push(end);
    }
  }
}

/** X.690 section 8.1.3, up to four octets of length, which is more than a datagram holds. */
function contentAt(
  octets: Uint8Array,
  at: number,
): { readonly start: number; readonly length: number } | undefined {
  const first = octets[at];
  if (first === undefined) return undefined;
  if (first < 0x80) return { start: at + 1, length: first };
  const size = first - 0x80;
  if (size === 0 || size > 4 || at + size >= octets.length) return undefined;
  let length = 0;
  for (let i = 1; i <= size; i += 1) length = length * 256 + (octets[at + i] ?? 0);
  return { start: at + 1 + size, length };
}
