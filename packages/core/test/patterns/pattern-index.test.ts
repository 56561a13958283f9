import { describe, expect, it } from '@jest/globals';
import { compilePattern, type PatternSource } from '../../src/patterns/pattern.js';
import { AffixTable } from '../../src/patterns/affix-table.js';
import { PatternIndex } from '../../src/patterns/pattern-index.js';

/** Numbers below a bound that are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/** An index that keeps the sources of its patterns. */
function indexOf(sources: readonly PatternSource[]): PatternIndex<PatternSource[]> {
  const index = new PatternIndex<PatternSource[]>();
  for (const source of sources) index.change(compilePattern(source), (kept) => [...(kept ?? []), source]);
  return index;
}

function find<T>(index: PatternIndex<T[]>, text: string): T[] {
  const found: T[][] = [];
  index.find(text, found);
  return found.flat();
}

describe('an index over patterns', () => {
  it('gives the candidates of a text and no others', () => {
    const index = indexOf([
      'user:1',
      'user:*',
      'user:1*',
      'order:*',
      '*:1',
      'a*:2',
      'long-start*:1',
      '*',
      { contains: 'x' },
      { prefix: 'user:1' },
      { suffix: ':1' },
      { equals: 'user:1' },
    ]);
    expect(find(index, 'user:1')).toEqual([
      'user:1',
      { equals: 'user:1' },
      'user:*',
      'user:1*',
      { prefix: 'user:1' },
      '*:1',
      { suffix: ':1' },
      '*',
      { contains: 'x' },
    ]);
    expect(find(index, 'a:2')).toEqual(['a*:2', '*', { contains: 'x' }]);
    expect(find(index, '')).toEqual(['*', { contains: 'x' }]);
  });

  it('gives every pattern that matches, whatever is added and taken away', () => {
    const number = numbers(7);
    const word = (most: number): string =>
      Array.from({ length: number(most + 1) }, () => 'ab:'[number(3)]).join('');
    const index = new PatternIndex<Set<string>>();
    const sources = new Set<string>();
    let found = 0;
    for (let step = 0; step < 4_000; step += 1) {
      const source = [word(6), `${word(8)}*`, `*${word(8)}`, `${word(5)}*${word(5)}`][number(4)] ?? '';
      if (source !== '') {
        const pattern = compilePattern(source);
        const removes = sources.has(source);
        index.change(pattern, (kept = new Set()) => {
          if (removes) kept.delete(source);
          else kept.add(source);
          return kept.size === 0 ? undefined : kept;
        });
        if (removes) sources.delete(source);
        else sources.add(source);
      }
      const text = word(10);
      const candidates: Set<string>[] = [];
      index.find(text, candidates);
      const given = new Set(candidates.flatMap((each) => [...each]));
      const wanted = [...sources].filter((each) => compilePattern(each).test(text));
      expect(wanted.filter((each) => !given.has(each))).toEqual([]);
      expect([...given].filter((each) => !sources.has(each))).toEqual([]);
      found += wanted.length;
    }
    expect(found).toBeGreaterThan(10_000);
    for (const source of sources) index.change(compilePattern(source), () => undefined);
    expect(index.isEmpty).toBe(true);
  });

  it('reads a text once, however many lengths of beginnings there are', () => {
    const table = new AffixTable<number>('prefix');
    for (let length = 1; length <= 1_000; length += 1) table.change('x'.repeat(length), () => length);
    let reads = 0;
    const text = {
      length: 1_000,
      charCodeAt: () => {
        reads += 1;
        return 'y'.charCodeAt(0);
      },
    };
    const found: number[] = [];
    table.find(text as unknown as string, found);
    expect(found).toEqual([]);
    expect(reads).toBe(1_000);
  });

  it('keeps no more room than what is in it needs', () => {
    const table = new AffixTable<number>('suffix');
    for (let round = 0; round < 20_000; round += 1) {
      table.change(`-${round}`, () => round);
      if (round >= 10) table.change(`-${round - 10}`, () => undefined);
    }
    expect(table.size).toBe(10);
    const found: number[] = [];
    table.find('x-19999', found);
    table.find('x-19989', found);
    expect(found).toEqual([19_999]);
  });
});
