import { describe, expect, it } from '@jest/globals';
import { boundHeapGrowth } from '../src/cli/heap-growth.js';

const MEGABYTE = 1024 * 1024;

describe('boundHeapGrowth', () => {
  it('lets the heap grow to twice what lives, and by half of what is large, as each collection finds it', () => {
    const flags: string[] = [];
    let used = 10 * MEGABYTE;
    let collected: () => void = () => undefined;
    boundHeapGrowth({
      set: (flag) => void flags.push(flag),
      used: () => used,
      onCollected: (callback) => (collected = callback),
    });
    expect(flags).toEqual(['--heap-growing-percent=100']);
    collected();
    expect(flags).toHaveLength(1);
    used = 100 * MEGABYTE;
    collected();
    collected();
    expect(flags.slice(1)).toEqual(['--heap-growing-percent=50']);
    used = 20 * MEGABYTE;
    collected();
    expect(flags.slice(2)).toEqual(['--heap-growing-percent=100']);
  });
});
