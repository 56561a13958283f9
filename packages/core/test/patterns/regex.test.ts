import { describe, expect, it } from '@jest/globals';
import { isBacklotError } from '../../src/errors.js';
import { compileRegex, literalStartOf } from '../../src/patterns/regex.js';

describe('compileRegex', () => {
  it.each<[string, string, boolean]>([
    ['b+', 'abbc', true],
    ['^b+', 'abbc', false],
    ['^a.c$', 'abc', true],
    ['ABC', 'abc', false],
    ['(?i)ABC', 'abc', true],
    ['\\u0041', 'A', true],
    ['^/a\\/b$', '/a/b', true],
    ['^\\d{3}$', '123', true],
    ['', 'anything', true],
  ])('%j on %j is %j', (source, text, matches) => {
    expect(compileRegex(source).test(text)).toBe(matches);
  });

  it('gives named groups of the first match, in an object without a prototype', () => {
    const match = compileRegex('/(?<user>[^/]+)/(?P<item>\\d+)?').match('/ada/7/bob/8');
    expect(match?.groups).toEqual(Object.assign(Object.create(null), { user: 'ada', item: '7' }));
    expect(Object.getPrototypeOf(match?.groups)).toBeNull();
    expect(compileRegex('(?<a>x)|(?<b>y)').match('y')?.groups).toEqual(
      Object.assign(Object.create(null), { b: 'y' }),
    );
    expect(compileRegex('x').match('y')).toBeUndefined();
    expect(compileRegex('x').match('x')?.groups).toEqual(Object.create(null));
  });

  it('ignores case when asked, and keeps the two apart', () => {
    expect(compileRegex('abc', { caseInsensitive: true }).test('ABC')).toBe(true);
    expect(compileRegex('abc').test('ABC')).toBe(false);
  });

  it('takes linear time where others explode', () => {
    // The work of this process and not the time it takes: other processes may want the machine too.
    const started = process.cpuUsage().user;
    expect(compileRegex('(a+)+$').test(`${'a'.repeat(50_000)}!`)).toBe(false);
    expect(compileRegex('(a|aa)+$').test(`${'a'.repeat(50_000)}!`)).toBe(false);
    expect(compileRegex('(.*)*x').test('y'.repeat(50_000))).toBe(false);
    expect((process.cpuUsage().user - started) / 1000).toBeLessThan(3000);
  });

  it.each<[string, string]>([
    ['(?=a)b', 'lookahead'],
    ['(?<!a)b', 'lookbehind'],
    ['(a)\\1', 'back-references'],
    ['(', 'RE2 syntax'],
    ['a{2000}', 'RE2 syntax'],
    ['[z-a]', 'RE2 syntax'],
    ['a'.repeat(10_001), '10000'],
  ])('refuses %.40j', (source, words) => {
    let thrown: unknown;
    try {
      compileRegex(source);
    } catch (error) {
      thrown = error;
    }
    expect(isBacklotError(thrown) && thrown.status).toBe(400);
    expect((thrown as Error).message).toContain(words);
    expect((thrown as Error).message.length).toBeLessThan(600);
  });

  it('keeps what it compiled, but not without end', () => {
    const first = compileRegex('cached-first');
    expect(compileRegex('cached-first')).toBe(first);
    for (let index = 0; index < 600; index += 1) {
      compileRegex(`filler-${index}`);
    }
    expect(compileRegex('cached-first')).not.toBe(first);
  });
});

describe('literalStartOf', () => {
  it.each<[string, string | undefined]>([
    ['^user:', 'user:'],
    ['^user:\\d+', 'user:'],
    ['^users?', 'user'],
    ['^ab*', 'a'],
    ['^a*', undefined],
    ['^a|b', undefined],
    ['user', undefined],
    ['^(?i)user', undefined],
    ['^a{0}b', undefined],
    ['^a.b', 'a'],
  ])('%j starts with %j', (source, start) => {
    expect(literalStartOf(source)).toBe(start);
  });
});
