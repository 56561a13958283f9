import type { SeededNumbers } from './seeded-numbers.js';

/**
 * Good bytes, such as a recorded session, changed in one to four places: a byte or a bit is another one, a piece is
 * missing or comes twice, the end is cut off, or a text was put in. What it is given stays as it is.
 *
 * @param below - where chance comes from, such as {@link mulberry32}, so that a failure can be repeated
 * @param inserts - what is hard to read in this protocol, such as delimiters, lengths that lie and verbs; texts have one
 *   character per byte
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
