import type { SeededNumbers } from './seeded-numbers.js';

/**
 * Gives a copy of valid bytes, such as a recorded session, that is changed in one to four places: a byte or a bit is
 * changed, a piece is left out or doubled, the end is cut off, or a text is inserted.
 *
 * @param below - the source of chance, such as {@link mulberry32}, so that a failure can be repeated
 * @param inserts - texts that are hard to read in this protocol, such as delimiters, wrong lengths and verbs; a
 * character is a byte
 * @returns at least one byte, unless there was none
 */
export function mutate(
  good: Uint8Array,
  below: SeededNumbers,
  inserts: readonly (string | Uint8Array)[] = [],
): Buffer {
  let bytes = Buffer.from(good);
  for (let changes = 1 + below(4); changes > 0; changes -= 1) {
    const at = below(bytes.length + 1);
    const head = bytes.subarray(0, at);
    switch (below(inserts.length === 0 ? 5 : 6)) {
      case 0:
        bytes[at] = below(256);
        break;
      case 1:
        bytes[at] = (bytes[at] ?? 0) ^ (1 << below(8));
        break;
      case 2:
        bytes = Buffer.concat([head, bytes.subarray(at + 1 + below(20))]);
        break;
      case 3:
        bytes = head;
        break;
      case 4:
        bytes = Buffer.concat([head, bytes.subarray(below(at + 1))]);
        break;
      default:
        bytes = Buffer.concat([head, toBytes(inserts[below(inserts.length)] ?? ''), bytes.subarray(at)]);
    }
    if (bytes.length === 0) bytes = Buffer.from(good);
  }
  return bytes;
}

function toBytes(insert: string | Uint8Array): Uint8Array {
  return typeof insert === 'string' ? Buffer.from(insert, 'latin1') : insert;
}
