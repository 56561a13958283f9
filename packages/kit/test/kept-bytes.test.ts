import { describe, expect, it } from '@jest/globals';
import { KeptBytes } from '../src/index.js';

/** Bytes of memory that buffers hold together. */
function held(buffers: readonly Buffer[]): number {
  return [...new Set(buffers.map(({ buffer }) => buffer))].reduce(
    (sum, { byteLength }) => sum + byteLength,
    0,
  );
}

/** What else a busy process makes, in the pool of Node.js. */
function makeOthers(): void {
  for (let count = 0; count < 4; count += 1) Buffer.allocUnsafe(3000);
}

describe('kept bytes', () => {
  it('hold little more than their size, whatever else is made meanwhile', () => {
    const kept = new KeptBytes();
    const copies = Array.from({ length: 2000 }, (_, index) => {
      makeOthers();
      return kept.copy(Buffer.from(`the text of number ${index}`));
    });
    const size = copies.reduce((sum, { length }) => sum + length, 0);
    expect(held(copies)).toBeLessThan(2 * size + 16_384);
    expect(copies.map(String)).toEqual(copies.map((_, index) => `the text of number ${index}`));
  });

  it('of every length are copies', () => {
    const kept = new KeptBytes();
    for (const length of [0, 1, 2047, 2048, 2049, 16_384, 100_000]) {
      const original = Buffer.alloc(length, 'a');
      const copy = kept.copy(original);
      expect(copy.equals(original)).toBe(true);
      expect(copy.buffer).not.toBe(original.buffer);
    }
  });

  it('are copied only out of something larger', () => {
    const kept = new KeptBytes();
    const own = Buffer.allocUnsafeSlow(100);
    expect(kept.keep(own)).toBe(own);
    const part = own.subarray(0, 20);
    expect(kept.keep(part)).not.toBe(part);
  });
});
