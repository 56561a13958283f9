import { describe, expect, it } from '@jest/globals';
import { Newest } from '../src/stores/newest.js';

describe('Newest', () => {
  it('keeps what is added in order, around its end and while it grows', () => {
    const newest = new Newest();
    const expected: { value: unknown; bytes: number }[] = [];
    for (let round = 0; round < 500; round += 1) {
      newest.push(`value ${round}`, round);
      expected.push({ value: `value ${round}`, bytes: round });
      // Two of three stay, so that the ring turns and grows again and again.
      if (round % 3 === 0) expect(newest.shift()).toEqual(expected.shift());
      expect(newest.size).toBe(expected.length);
    }
    expect(newest.held()).toEqual(expected);
    expect(newest.values()).toEqual(expected.map(({ value }) => value));
    while (expected.length > 0) expect(newest.shift()).toEqual(expected.shift());
    expect(newest.held()).toEqual([]);
  });

  it('holds on to nothing that it let go', () => {
    const newest = new Newest();
    for (let round = 0; round < 40; round += 1) {
      newest.push({ round }, 1);
      newest.shift();
    }
    expect(newest.shift()).toEqual({ value: undefined, bytes: 0 });
    expect(newest.size).toBe(0);
    newest.push('after', 2);
    expect(newest.values()).toEqual(['after']);
  });
});
