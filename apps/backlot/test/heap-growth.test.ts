import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { OWN_ENGINE, boundHeapGrowth } from '../src/cli/heap-growth.js';

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

describe('the engine of the process', () => {
  it('calls back after each of many collections', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    let calls = 0;
    let told: () => void = () => undefined;
    OWN_ENGINE.onCollected(() => {
      calls += 1;
      told();
    });
    for (let count = 0; count < 5; count += 1) {
      const next = new Promise<void>((resolve) => (told = resolve));
      collect();
      await next;
    }
    expect(calls).toBeGreaterThanOrEqual(5);
  });
});
