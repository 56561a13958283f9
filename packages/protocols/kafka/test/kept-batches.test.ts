import { describe, expect, it } from '@jest/globals';
import { checkBatch } from '../src/handlers/check-batch.js';
import { makeBatch } from '../src/wire/batch.js';

describe('batches of the log', () => {
  it('hold little more memory than they have bytes', () => {
    const buffers = new Set<ArrayBufferLike>();
    let size = 0;
    for (let index = 0; index < 500; index += 1) {
      const made = makeBatch([{ key: null, value: Buffer.from(`record ${index}`), headers: [] }], 1_000);
      const checked = checkBatch(made.bytes);
      if (!('batch' in checked)) throw new Error(checked.errorMessage);
      expect(checked.records[0]?.value?.toString()).toBe(`record ${index}`);
      for (const { bytes } of [made, checked.batch]) {
        buffers.add(bytes.buffer);
        size += bytes.length;
      }
      // What else is made meanwhile, in the pool that Node.js cuts small buffers from.
      for (let count = 0; count < 3; count += 1) Buffer.allocUnsafe(3000);
    }
    const held = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(held).toBeLessThan(2 * size);
  });
});
