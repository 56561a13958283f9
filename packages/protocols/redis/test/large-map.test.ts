import { describe, expect, it } from '@jest/globals';
import { xorshift32 } from '@backlot/conformance';
import { runAtOnce } from '@backlot/core/plugin';
import { HashValue } from '../src/data/hash-value.js';
import { LargeMap } from '../src/data/large-map.js';
import { LargeSet } from '../src/data/large-set.js';
import { SetValue } from '../src/data/set-value.js';
import { SortedSetValue } from '../src/data/sorted-set-value.js';

describe('a map of very many keys', () => {
  it.each([1, 2, 3])('is a map, in the same order, whatever is done to it (seed %i)', (seed) => {
    const number = xorshift32(seed);
    const map = new LargeMap<number>(16);
    const model = new Map<string, number>();
    for (let step = 0; step < 5_000; step += 1) {
      // Grows, and shrinks to little.
      const isFull = step % 1_000 > 700;
      const key = `k${number(300)}`;
      if (number(10) < (isFull ? 1 : 7)) {
        map.set(key, step);
        model.set(key, step);
      } else expect(map.delete(key)).toBe(model.delete(key));
      const other = `k${number(300)}`;
      expect([map.size, map.get(other), map.has(other)]).toEqual([
        model.size,
        model.get(other),
        model.has(other),
      ]);
      if (step % 50 === 0) expect([...map.values()]).toEqual([...model.values()]);
    }
  });

  it.each([1, 2, 3])('is a set where it has no values (seed %i)', (seed) => {
    const number = xorshift32(seed);
    const set = new LargeSet(16);
    const model = new Set<string>();
    for (let step = 0; step < 5_000; step += 1) {
      const isFull = step % 1_000 > 700;
      const member = `m${number(300)}`;
      if (number(10) < (isFull ? 1 : 7)) {
        set.add(member);
        model.add(member);
      } else expect(set.delete(member)).toBe(model.delete(member));
      const other = `m${number(300)}`;
      expect([set.size, set.has(other), set.parts < 40]).toEqual([model.size, model.has(other), true]);
      if (step % 50 === 0) expect([...set]).toEqual([...model]);
    }
  });

  it('holds the members of sets, sorted sets and hashes, and their places', () => {
    const [set, sorted, hash] = [new SetValue(), new SortedSetValue(), new HashValue()];
    for (const value of [set, sorted, hash]) runAtOnce(value.places.lay());
    const names = Array.from({ length: 140_000 }, (_, n) => `m${n}`);
    for (const [n, name] of names.entries()) {
      set.add(name);
      sorted.set(name, n);
      hash.set(name, `${n}`);
    }
    for (const held of [set.members, sorted.scores, hash.fields])
      expect([held.size, held.parts]).toEqual([140_000, 2]);
    expect([[...set.members], [...sorted.scores.keys()], [...hash.fields.keys()]]).toEqual([
      names,
      names,
      names,
    ]);
    expect([hash.fields.get('m3'), sorted.score('m139999'), set.has('m140000')]).toEqual([
      '3',
      139_999,
      false,
    ]);
    expect([...hash.fields].at(-1)).toEqual(['m139999', '139999']);
    const kept = names.filter((name) => !(set.delete(name) && hash.delete(name) && sorted.delete(name)));
    expect(kept).toEqual([]);
    expect([set.size, sorted.size, hash.size, set.places.at(0)]).toEqual([0, 0, 0, undefined]);
  });

  it('is never made of many maps that have little in them', () => {
    const map = new LargeMap<number>(64);
    let most = 0;
    for (let round = 0; round < 200; round += 1) {
      for (let n = 0; n < 64; n += 1) map.set(`${round}-${n}`, n);
      for (let n = 1; n < 64; n += 1) map.delete(`${round}-${n}`);
      most = Math.max(most, map.parts);
    }
    expect(map.size).toBe(200);
    expect(most).toBeLessThan(20);
  });
});
