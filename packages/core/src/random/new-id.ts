import { randomFillSync } from 'node:crypto';

/** Bytes of an id: two ids of one process are equal once in some billions of billions. */
const BYTES = 12;
const pool = Buffer.alloc(BYTES * 256);
let next = pool.length;

/**
 * A text that no other call gives: 24 hexadecimal digits. One flat text, where a UUID would be a tree of twenty pieces
 * that is kept as long as the id.
 */
export function newId(): string {
  if (next === pool.length) {
    randomFillSync(pool);
    next = 0;
  }
  next += BYTES;
  return pool.toString('hex', next - BYTES, next);
}
