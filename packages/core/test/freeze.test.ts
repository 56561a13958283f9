import { describe, expect, it } from '@jest/globals';
import { frozenCopy } from '../src/validation/freeze.js';

describe('frozenCopy', () => {
  it('copies and freezes what is in it, at every depth', () => {
    const given = { a: [{ b: 1 }, null, 'text'], c: undefined, d: new Date(0) };
    const copy = frozenCopy(given);
    expect(copy).toEqual(given);
    expect(copy.a).not.toBe(given.a);
    expect([copy, copy.a, copy.a[0], copy.d].every((each) => Object.isFrozen(each))).toBe(true);
    let deep: unknown = 'x';
    for (let level = 0; level < 1000; level += 1) deep = [deep];
    let inner = frozenCopy(deep);
    for (; Array.isArray(inner); inner = (inner as unknown[])[0]) expect(Object.isFrozen(inner)).toBe(true);
    expect(inner).toBe('x');
  });

  it('takes names of users as data', () => {
    const given = JSON.parse('{"__proto__": {"admin": true}, "constructor": 1}') as object;
    const copy = frozenCopy(given);
    expect(Object.keys(copy)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect('admin' in copy).toBe(false);
  });

  it('refuses what is no data', () => {
    expect(() => frozenCopy({ a: () => 1 })).toThrow(/could not be cloned/);
    expect(() => frozenCopy([Symbol('a')])).toThrow(/could not be cloned/);
  });

  it('costs no more for longer texts', () => {
    const cost = (size: number): number => {
      const value = { content: Buffer.alloc(size, 'x').toString('latin1') };
      const began = process.cpuUsage();
      for (let time = 0; time < 50; time += 1) frozenCopy(value);
      const { user, system } = process.cpuUsage(began);
      return user + system;
    };
    cost(1000);
    // Fifty copies of 20 MB take more than a hundred milliseconds.
    expect(cost(20_000_000)).toBeLessThan(50_000);
  });
});
