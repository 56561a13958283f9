import { describe, expect, it, jest } from '@jest/globals';
import { Uploads } from '../src/transfer/uploads.js';

const block = (number: number, hasMore = true) => ({ number, hasMore, exponent: 0 });

describe('uploads in blocks of 16 bytes', () => {
  it('are put together in few buffers, however many blocks there are', () => {
    const uploads = new Uploads();
    const payload = Buffer.alloc(16, 'x');
    const last = 4096;
    const spies = (['from', 'alloc', 'allocUnsafe', 'allocUnsafeSlow'] as const).map((name) =>
      jest.spyOn(Buffer, name),
    );
    const types = new Set<string>();
    for (let number = 0; number < last; number += 1)
      types.add(uploads.take('a:1', 'key', block(number), payload, undefined).type);
    const made = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
    for (const spy of spies) spy.mockRestore();
    expect([...types]).toEqual(['continue']);
    expect(made).toBeLessThan(40);
    const end = uploads.take('a:1', 'key', block(last, false), Buffer.from('end'), undefined);
    expect(end).toEqual({ type: 'complete', payload: Buffer.from(`${'x'.repeat(16 * last)}end`) });
  });

  it('count the options by which they are known among their bytes', () => {
    const uploads = new Uploads();
    const payload = Buffer.alloc(16, 'x');
    const keys = Array.from({ length: 1024 }, (_, n) => `${n}`.padEnd(100_000, 'x'));
    for (const [n, key] of keys.entries()) uploads.take(`a:${n}`, key, block(0), payload, undefined);
    const goOn = (n: number) => uploads.take(`a:${n}`, keys[n] ?? '', block(1), payload, undefined).type;
    expect([goOn(0), goOn(300), goOn(1023)]).toEqual(['refused', 'refused', 'continue']);
  });
});
