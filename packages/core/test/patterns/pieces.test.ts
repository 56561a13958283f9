import { describe, expect, it } from '@jest/globals';
import type { PiecedText } from '../../src/contract/context.js';
import { compilePattern, type PatternSource } from '../../src/patterns/pattern.js';
import { runAtOnce } from '../../src/time/slices.js';

/** A text in pieces of a length, which counts how many of them were made. */
class Pieces implements PiecedText {
  made = 0;

  constructor(
    private readonly text: string,
    private readonly size: number,
  ) {}

  get length(): number {
    return this.text.length;
  }

  *pieces(): Generator<string> {
    for (let at = 0; at < this.text.length; at += this.size) {
      this.made += 1;
      yield this.text.slice(at, at + this.size);
    }
  }
}

const PATTERNS: readonly PatternSource[] = [
  ...[
    '',
    '*',
    'abcab',
    'ab*',
    '*ab',
    'ab*ab',
    '*ca*',
    '*b*b*',
    '*bc*a*',
    'a*b*c*a*b',
    '*abab*',
    're:ca',
    're:^ab$',
  ],
  ...['re:b$', 're:(?P<x>c)'],
  { contains: 'bca' },
  { prefix: 'abc', suffix: 'ab' },
  { equals: 'abcab' },
  { not: { contains: 'cc' } },
  { any_of: ['x', { contains: 'cb' }, { suffix: 'ca' }] },
  { all_of: ['a*', { contains: 'b' }, { not: 'ab' }] },
  { present: true },
  { absent: true },
  { not: { absent: true } },
  { length: { gt: 4 } },
  { json: { equals: { a: 1 } } },
  { any_of: [{ json: { equals: [1] } }, 'ab*'] },
];

function textsOf(length: number): string[] {
  if (length === 0) return [''];
  return textsOf(length - 1).flatMap((text) => [text, ...['a', 'b', 'c'].map((letter) => text + letter)]);
}

describe('testInPieces', () => {
  it.each(PATTERNS.map((source) => [source] as const))('says of any text what test says: %j', (source) => {
    const texts = new Set([...textsOf(5), 'abcabcab', 'abcacbabcaab', 'bbbbbbbb', '{"a":1}', '[1]', 'x']);
    for (const options of [{}, { caseInsensitive: true }]) {
      const pattern = compilePattern(source, options);
      for (const text of texts) {
        const whole = pattern.test(text);
        for (const size of [1, 2, 3, 100]) {
          const inPieces = runAtOnce(pattern.testInPieces(new Pieces(text, size)));
          if (inPieces !== whole) expect([text, size, inPieces]).toEqual([text, size, whole]);
        }
      }
    }
    expect(textsOf(5).length).toBeGreaterThan(300);
  });

  it('makes no more of a text than it has to see, and lets others in between the pieces', () => {
    const stepsOf = (source: PatternSource, text: Pieces): number => {
      let steps = 1;
      const test = compilePattern(source).testInPieces(text);
      while (test.next().done !== true) steps += 1;
      return steps;
    };
    const long = (): Pieces => new Pieces('x'.repeat(100_000) + 'needle' + 'x'.repeat(100_000), 1000);
    for (const source of ['*needle*', { contains: 'needle' }, '*needle*needle*'] as const) {
      const text = long();
      expect(stepsOf(source, text)).toBeGreaterThanOrEqual(text.made - 1);
      expect(text.made).toBe(source === '*needle*needle*' ? 201 : 101);
    }
    const begun = long();
    stepsOf({ prefix: 'y' }, begun);
    expect(begun.made).toBe(1);
    const other = long();
    stepsOf('xx', other);
    expect(other.made).toBe(0);
  });
});
