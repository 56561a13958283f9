import { describe, expect, it } from '@jest/globals';
import { freshSeed, hashText, randomFor, roll, type Random } from '../src/random/random.js';

const drawAll = (random: Random): unknown[] => [
  random.next(),
  random.int(1, 100),
  random.float(5, 6),
  random.bool(),
  random.pick(['a', 'b', 'c']),
  random.string(12),
  random.uuid(),
];

describe('randomFor', () => {
  it('repeats for the same seed and parts', () => {
    expect(drawAll(randomFor(42, 'kind', 'mock', 1))).toEqual(drawAll(randomFor(42, 'kind', 'mock', 1)));
  });

  it('differs when any part differs, also only in where one part ends', () => {
    const first = [
      randomFor(42, 'ab', 'c', 1),
      randomFor(42, 'a', 'bc', 1),
      randomFor(42, 'ab', 'c', 2),
      randomFor(43, 'ab', 'c', 1),
      randomFor(42, 'ab', 'c', '1'),
      randomFor(42 + 2 ** 32, 'ab', 'c', 1),
      randomFor(42.5, 'ab', 'c', 1),
      randomFor(42),
    ].map((random) => random.uuid());
    expect(new Set(first).size).toBe(first.length);
  });

  it('gives different UUIDs to a hundred thousand calls of one mock', () => {
    const seen = new Set<string>();
    for (let call = 0; call < 100_000; call += 1) {
      seen.add(randomFor(7, 'kind', 'mock', call).uuid());
    }
    expect(seen.size).toBe(100_000);
  });

  it('lays UUIDs out as version 4', () => {
    for (let call = 0; call < 200; call += 1) {
      expect(randomFor(1, call).uuid()).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
    }
  });

  it('spreads first draws of consecutive calls evenly', () => {
    const buckets = new Array<number>(10).fill(0);
    for (let call = 0; call < 20_000; call += 1) {
      const bucket = Math.floor(randomFor(1, 'k', call).next() * 10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    for (const count of buckets) {
      expect(count).toBeGreaterThan(1800);
      expect(count).toBeLessThan(2200);
    }
  });

  it('draws whole numbers with both ends, of any size', () => {
    const random = randomFor(3);
    const seen = new Set(Array.from({ length: 500 }, () => random.int(1, 3)));
    expect([...seen].sort()).toEqual([1, 2, 3]);
    expect(random.int(5, 5)).toBe(5);
    expect([1, 2, 3]).toContain(random.int(3, 1));
    for (let draw = 0; draw < 100; draw += 1) {
      const wide = random.int(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
      expect(Number.isInteger(wide)).toBe(true);
      expect(Math.abs(wide)).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER);
    }
  });

  it('picks nothing from an empty list and makes texts of the length asked for', () => {
    const random = randomFor(3);
    expect(random.pick([])).toBeUndefined();
    expect(random.string(0)).toBe('');
    expect(random.string(1000)).toMatch(/^[A-Za-z0-9]{1000}$/);
  });
});

describe('roll', () => {
  it('repeats, depends on each input and is even', () => {
    const hash = hashText('kind');
    expect(roll(1, hash, 5)).toBe(roll(1, hash, 5));
    expect(
      new Set([roll(1, hash, 5), roll(2, hash, 5), roll(1, hashText('other'), 5), roll(1, hash, 6)]).size,
    ).toBe(4);
    let fired = 0;
    let outside = 0;
    for (let n = 0; n < 20_000; n += 1) {
      const value = roll(99, hash, n);
      outside += value >= 0 && value < 1 ? 0 : 1;
      fired += value < 0.3 ? 1 : 0;
    }
    expect(outside).toBe(0);
    expect(fired / 20_000).toBeCloseTo(0.3, 1);
  });
});

describe('freshSeed', () => {
  it('gives safe integers that differ', () => {
    const seeds = Array.from({ length: 20 }, freshSeed);
    expect(new Set(seeds).size).toBe(20);
    expect(seeds.every((seed) => Number.isSafeInteger(seed) && seed >= 0)).toBe(true);
  });
});
