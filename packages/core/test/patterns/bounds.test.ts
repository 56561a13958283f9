import { describe, expect, it, jest } from '@jest/globals';
import { createFinder } from '../../src/patterns/find-text.js';
import { Glob } from '../../src/patterns/glob.js';
import { compilePathPattern, splitPath } from '../../src/patterns/path-pattern.js';
import { compilePattern } from '../../src/patterns/pattern.js';
import { compileRegex } from '../../src/patterns/regex.js';
import { estimateRegexSize } from '../../src/patterns/regex-size.js';
import { CompileBudget } from '../../src/validation/compile-budget.js';
import { WorkMeter } from '../../src/values/work-meter.js';

function messageOf(action: () => unknown): string {
  try {
    action();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('the size of a regular expression', () => {
  it.each([
    ['(?:(?:x?a){30}y?){30}', 'instructions; at most 2000'],
    [`a{1000}`.repeat(1000), 'about 1000002 instructions; at most 2000'],
    ['(a{100}){100}', 'at most 2000'],
    ['\\p{L}{900}', 'at most 2000'],
  ])('%.40s is refused with its size and the limit', (source, words) => {
    expect(messageOf(() => compileRegex(source))).toContain(words);
    expect(messageOf(() => compilePattern(`re:${source}`))).toContain(words);
    expect(messageOf(() => compilePathPattern(`re:${source}`))).toContain(words);
  });

  it.each([
    'a',
    '^/users/(?P<id>\\d+)$',
    '(?:(?:x?a){10}y?){10}',
    '[ab]*a[ab]{100}z',
    'a{3,7}b{2,}c{0,4}',
    '(?i)héllo|wörld|[^\\]a-z]+',
    '\\Qa{100}(\\E{5}',
    '[\\]a]{20}[^\\]a]{20}[[:alpha:]]{20}',
    '{x}{,3}',
    '(a|b|c){50}',
  ])('is estimated near what %s compiles to', (source) => {
    const { size } = compileRegex(source);
    expect(estimateRegexSize(source)).toBeGreaterThanOrEqual(size * 0.6);
    expect(estimateRegexSize(source)).toBeLessThanOrEqual(size * 2.5 + 10);
  });

  it('bounds how much of a text is looked at, the less the larger it is', () => {
    const small = compileRegex('z');
    const large = compileRegex('[ab]*a[ab]{300}z');
    expect(small.window * small.size).toBeLessThanOrEqual(1_000_000);
    expect(large.window * large.size).toBeLessThanOrEqual(1_000_000);
    expect(large.window).toBeLessThan(small.window);
    expect(small.test(`${'a'.repeat(small.window - 1)}z`)).toBe(true);
    expect(small.test(`${'a'.repeat(small.window)}z`)).toBe(false);
    expect(compileRegex('a$').test('a'.repeat(2_000_000))).toBe(true);
    const named = compileRegex('^(?P<all>a*)');
    expect(named.match('a'.repeat(2_000_000))?.groups).toEqual({ all: 'a'.repeat(named.window) });
  });

  it('says in its reason how much was looked at', () => {
    const { window } = compileRegex('z');
    const pattern = compilePattern({ any_of: [{ not: { present: true } }, 're:z'] });
    expect(pattern.reason('body', 'a'.repeat(window))).not.toContain('in the first');
    expect(pattern.reason('body', 'a'.repeat(window + 1))).toMatch(
      new RegExp(`in the first ${window} of ${window + 1} characters$`),
    );
  });
});

describe('what one mock may hold', () => {
  it.each<[string, (budget: CompileBudget) => unknown, number]>([
    ['tags', (budget) => budget.addTags(1000), 5],
    ['instructions', (budget) => compileRegex('a{100}', { budget }), 98],
    ['"any_of"', (budget) => compilePattern({ any_of: Array(1000).fill('a') as string[] }, { budget }), 10],
  ])('is bounded in %s', (words, add, most) => {
    const budget = new CompileBudget();
    for (let index = 0; index < most; index += 1) add(budget);
    expect(messageOf(() => add(budget))).toContain(words);
  });

  it('is bounded in the length of what is searched for', () => {
    expect(messageOf(() => compilePattern({ contains: 'a'.repeat(100_001) }))).toContain('at most 100000');
    expect(messageOf(() => compilePattern(`*${'a'.repeat(100_001)}*`))).toContain('at most 100000');
    expect(compilePattern({ equals: 'a'.repeat(200_000) }).test('a'.repeat(200_000))).toBe(true);
  });
});

describe('a JSON Schema that comes back to itself', () => {
  const same = '"#/$defs/r" again of the same value';
  it.each([
    [{ $defs: { r: { anyOf: [{ $ref: '#/$defs/r' }, true] } }, items: { $ref: '#/$defs/r' } }, same],
    [{ $defs: { r: { if: { not: { allOf: [{ $ref: '#/$defs/r' }] } } } } }, same],
    [{ $defs: { r: { dependentSchemas: { a: { $ref: '#here' } }, $anchor: 'here' } } }, same],
    [{ $defs: { r: { $ref: '#/$defs/b~1c%25' }, 'b/c%': { $ref: '#/$defs/r' } } }, 'which has no end'],
    [{ oneOf: [{ $ref: '#' }] }, 'asks "#" again of the same value by way of "#/oneOf/0"'],
    [{ $dynamicAnchor: 'a', allOf: [{ $dynamicRef: '#a' }] }, 'asks "#" again'],
  ])('without going into the value is refused: %j', (schema, words) => {
    expect(messageOf(() => compilePattern({ json_schema: schema }))).toContain(words);
  });

  it.each([
    { properties: { left: { $ref: '#' }, right: { $ref: '#' } } },
    { $defs: { r: { anyOf: [{ items: { $ref: '#/$defs/r' } }, { type: 'string' }] } }, $ref: '#/$defs/r' },
    {
      $defs: {
        a: { allOf: [{ $ref: '#/$defs/b' }, { $ref: '#/$defs/c' }] },
        b: { $ref: '#/$defs/c' },
        c: true,
      },
    },
  ])('by way of its parts is taken: %j', (schema) => {
    expect(compilePattern({ json_schema: schema }).test('{"left": {"right": {}}}')).toBe(true);
  });
});

describe('values in values', () => {
  const nested = (depth: number): string => `${'['.repeat(depth)}1${']'.repeat(depth)}`;

  it('are not written as JSON for patterns that no list or object can match', () => {
    const stringify = jest.spyOn(JSON, 'stringify');
    try {
      const pattern = compilePattern({ json_path: { path: '$..*', is: 'a*' } });
      expect(pattern.test(nested(150))).toBe(false);
      // The reason shows the first five.
      expect(stringify.mock.calls.filter(([value]) => typeof value === 'object')).toHaveLength(5);
    } finally {
      stringify.mockRestore();
    }
  });

  it('are written as JSON so far as the steps suffice', () => {
    const spent = jest.spyOn(WorkMeter.prototype, 'spend');
    try {
      const pattern = compilePattern({ json_path: { path: '$..*', is: { contains: 'x' } } });
      expect(pattern.test(nested(400))).toBe(false);
      expect(pattern.reason('body', nested(400))).toContain('which takes too many steps to look at');
      expect(spent.mock.calls.reduce((sum, [steps]) => sum + steps, 0)).toBeLessThan(4 * (2_000 + 16 * 800));
    } finally {
      spent.mockRestore();
    }
  });
});

describe('createFinder', () => {
  const repetitive = 'a'.repeat(10_000_000);

  it.each([
    ['b' + 'a'.repeat(300), -1],
    ['a'.repeat(300) + 'b', 10_000_000 - 300],
    ['a'.repeat(150) + 'c' + 'a'.repeat(150), -1],
    ['ab'.repeat(200), -1],
  ])('reads each character once when texts repeat themselves: %.10s', (part, place) => {
    const value = `${repetitive}b`;
    const indexOf = jest.spyOn(String.prototype, 'indexOf');
    const found = createFinder(part).findIn(value);
    const wasAsked = indexOf.mock.calls.length > 0;
    indexOf.mockRestore();
    // The engine's own search would compare each place of such a text with hundreds of characters.
    expect([found, wasAsked]).toEqual([place, false]);
  });

  it('finds what the engine finds', () => {
    const letters = (count: number, seed: number): string =>
      Array.from({ length: count }, (_, i) => 'ab'[((i * i * seed) >> 3) & 1]).join('');
    for (let seed = 1; seed < 30; seed += 1) {
      const value = letters(300, seed).repeat(200);
      const part = letters(100, seed).slice(seed) + 'a'.repeat(seed % 3);
      for (const from of [0, 17, 59_000]) {
        const padded = value + 'x'.repeat(200_000);
        expect(createFinder(part).findIn(padded, from)).toBe(padded.indexOf(part, from));
      }
    }
  });

  it('is what patterns with stars and path segments search with', () => {
    const part = `b${'a'.repeat(300)}`;
    const indexOf = jest.spyOn(String.prototype, 'indexOf');
    const results = [
      new Glob(['', part, '']).test(repetitive),
      compilePattern(`*${part}*`).test(repetitive),
      compilePattern({ contains: part }).test(repetitive),
      compilePathPattern(`/x/*${part}*`).test(splitPath(`/x/${repetitive}`)),
    ];
    const searches = indexOf.mock.calls.filter(([searched]) => searched === part).length;
    indexOf.mockRestore();
    expect(results).toEqual([false, false, false, false]);
    expect(searches).toBe(0);
  });
});
