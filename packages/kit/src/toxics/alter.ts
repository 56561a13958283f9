import type { Random } from '@backlot/core/plugin';

/** A copy of bytes of which some are altered: none of these keeps its value. */
export function alter(data: Uint8Array, bytes: number, random: Random): Buffer {
  const copy = Buffer.from(data);
  if (copy.length === 0) return copy;
  for (let left = Math.min(bytes, copy.length); left > 0; left -= 1) {
    const at = random.int(0, copy.length - 1);
    copy[at] = (copy[at] ?? 0) ^ random.int(1, 255);
  }
  return copy;
}
