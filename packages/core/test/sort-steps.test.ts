import { describe, expect, it } from '@jest/globals';
import { sortSteps } from '../src/time/sort-steps.js';

function run<T>(steps: Iterator<unknown, T>): { result: T; count: number } {
  for (let count = 0; ; count += 1) {
    const step = steps.next();
    if (step.done === true) return { result: step.value, count };
  }
}

describe('sortSteps', () => {
  it('sorts any number, and keeps the order of equals', () => {
    for (const size of [0, 1, 2, 511, 512, 513, 999, 1000, 1001, 2500, 10_007]) {
      const items = Array.from({ length: size }, (_, index) => ({ key: (index * 7919) % 101, index }));
      const { result } = run(sortSteps(items, (a, b) => a.key - b.key));
      expect(result).toEqual([...items].sort((a, b) => a.key - b.key));
    }
  });

  it('compares a bounded number of times in each step', () => {
    let compared = 0;
    let most = 0;
    const items = Array.from({ length: 20_000 }, (_, index) => (index * 7919) % 20_011);
    const steps = sortSteps(items, (a, b) => {
      compared += 1;
      return a - b;
    });
    for (let before = 0; steps.next().done !== true; before = compared) {
      most = Math.max(most, compared - before);
    }
    expect(most).toBeLessThan(10_000);
  });
});
