import { describe, expect, it } from '@jest/globals';
import { xorshift32 } from '@backlot/conformance';
import { Glob } from '../src/data/glob.js';

/** What Redis does, as plainly as it can be said; it may take very long. */
function matches(pattern: string, text: string): boolean {
  const [char, next] = [pattern[0], pattern[1]];
  if (char === undefined) return text === '';
  if (char === '*')
    return matches(pattern.slice(1), text) || (text !== '' && matches(pattern, text.slice(1)));
  if (text === '') return false;
  if (char === '?') return matches(pattern.slice(1), text.slice(1));
  if (char === '[') {
    const isNot = next === '^';
    let at = isNot ? 2 : 1;
    let isIn = false;
    for (; at < pattern.length && pattern[at] !== ']'; at += 1) {
      const [one = '', dash, two] = pattern.slice(at, at + 3);
      if (one === '\\' && dash !== undefined) {
        at += 1;
        isIn ||= dash === text[0];
      } else if (dash === '-' && two !== undefined) {
        at += 2;
        const [low, high] = one < two ? [one, two] : [two, one];
        isIn ||= (text[0] ?? '') >= low && (text[0] ?? '') <= high;
      } else isIn ||= one === text[0];
    }
    return isIn !== isNot && matches(pattern.slice(at + 1), text.slice(1));
  }
  const plain = char === '\\' && next !== undefined ? 1 : 0;
  return pattern[plain] === text[0] && matches(pattern.slice(plain + 1), text.slice(1));
}

/** A text that counts how often its characters are read. */
function counted(text: string): { readonly text: string; reads: number } {
  const counter = { reads: 0 };
  const fake = {
    length: text.length,
    charCodeAt: (place: number) => {
      counter.reads += 1;
      return text.charCodeAt(place);
    },
    startsWith: (part: string, place: number) => text.startsWith(part, place),
    indexOf: (part: string, from: number) => text.indexOf(part, from),
  };
  return Object.assign(counter, { text: fake as unknown as string });
}

function inSteps(glob: Glob, text: string): { readonly result: boolean; readonly steps: number } {
  const run = glob.testInSteps(text);
  for (let steps = 1; ; steps += 1) {
    const step = run.next();
    if (step.done === true) return { result: step.value, steps };
  }
}

describe('a pattern of Redis', () => {
  it.each([
    ['*', '', true],
    ['', '', true],
    ['', 'a', false],
    ['a*', 'a', true],
    ['*a', 'ba', true],
    ['a*b*c', 'aXbYc', true],
    ['a*b*c', 'aXcYb', false],
    ['ab*ba', 'aba', false],
    ['h?llo', 'hello', true],
    ['h[ae]llo', 'hillo', false],
    ['h[^e]llo', 'hallo', true],
    ['h[a-c]llo', 'hbllo', true],
    ['h\\*llo', 'h*llo', true],
    ['*[a', 'xa', true],
    ['a\\', 'a\\', true],
  ])('%j and %j', (pattern, text, expected) => {
    expect(new Glob(pattern).test(text)).toBe(expected);
  });

  it('says what a plain description of it says', () => {
    const number = xorshift32(11);
    const make = (alphabet: string, most: number): string =>
      Array.from({ length: number(most + 1) }, () => alphabet[number(alphabet.length)]).join('');
    let hits = 0;
    for (let n = 0; n < 20_000; n += 1) {
      const pattern = make('aab**??[]^-\\', 9);
      const text = make('aaab]-', 8);
      const expected = matches(pattern, text);
      const glob = new Glob(pattern);
      if (glob.test(text) !== expected)
        throw new Error(`${JSON.stringify([pattern, text])} is not ${expected}`);
      if (!expected) continue;
      hits += 1;
      expect(text.startsWith(glob.prefix) && text.endsWith(glob.suffix)).toBe(true);
    }
    expect(hits).toBeGreaterThan(1_000);
  });

  it.each([
    `*${'a?'.repeat(100)}b*`,
    `${'*a?a'.repeat(50)}*b`,
    `*${'[a-z]'.repeat(300)}b*`,
    `*${'a'.repeat(1_000)}b*`,
  ])('reads each character once: %.12s...', (pattern) => {
    const glob = new Glob(pattern);
    for (const length of [5_000, 10_000, 20_000]) {
      const text = counted('a'.repeat(length));
      expect(glob.test(text.text)).toBe(false);
      expect(text.reads).toBeLessThan(length + 10);
    }
  });

  it('lets others in during a long text', () => {
    const text = 'a'.repeat(1_000_000);
    expect(inSteps(new Glob('*a?b*'), text)).toEqual({ result: false, steps: 16 });
    expect(inSteps(new Glob(`*${'a?'.repeat(40)}b`), `${text}${'a'.repeat(80)}b`).result).toBe(true);
    expect(inSteps(new Glob('*a?c*'), `${text}abc`).result).toBe(true);
    expect(inSteps(new Glob('*a?c*'), 'abc')).toEqual({ result: true, steps: 1 });
  });
});
