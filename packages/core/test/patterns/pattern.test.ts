import { describe, expect, it } from '@jest/globals';
import { Type } from '@sinclair/typebox';
import { Ajv } from 'ajv';
import { isBacklotError } from '../../src/errors.js';
import { compilePattern, PatternSchema, testAny, type PatternSource } from '../../src/patterns/pattern.js';

const ABSENT = undefined;

describe('compilePattern', () => {
  it.each<[PatternSource | undefined, (string | undefined)[], (string | undefined)[]]>([
    [undefined, [ABSENT, '', 'x'], []],
    ['', [ABSENT, '', 'x'], []],
    ['abc', ['abc'], ['ABC', 'abcd', 'xabc', '', ABSENT]],
    ['*', ['', 'x', 'a\nb'], [ABSENT]],
    ['a*', ['a', 'ab', 'a\nb'], ['ba', '', ABSENT]],
    ['*a', ['a', 'ba'], ['ab']],
    ['a*c', ['ac', 'abc', 'a\n*\nc'], ['a', 'c', 'acd']],
    ['a*b*c', ['abc', 'aXbYc', 'abbc'], ['acb', 'ab', 'ac']],
    ['ab*ba', ['abba', 'abxba'], ['aba', 'ab']],
    ['a**b', ['ab', 'axb'], ['a']],
    ['*a*a*', ['aa', 'xaxax'], ['a']],
    ['a\\*b', ['a*b'], ['ab', 'axb', 'a\\*b']],
    ['\\**', ['*', '*x'], ['x']],
    ['a\\b', ['a\\b'], ['ab']],
    ['a?c', ['a?c'], ['abc']],
    ['re:^a+$', ['a', 'aaa'], ['b', 'ba', ABSENT]],
    ['re:b', ['abc'], ['B', '']],
    ['RE:b', ['RE:b'], ['b']],
    [{ equals: 'a*' }, ['a*'], ['ab', ABSENT]],
    [{ equals: '' }, [''], ['a', ABSENT]],
    [{ equals: 're:a' }, ['re:a'], ['a']],
    [{ contains: 'b' }, ['abc', 'b'], ['ac', '', ABSENT]],
    [{ prefix: 'a', suffix: 'c' }, ['ac', 'abc'], ['a', 'ca', ABSENT]],
    [{ prefix: '*' }, ['*a'], ['a']],
    [{ regex: '^\\d+$' }, ['12'], ['a', '', ABSENT]],
    [{ any_of: ['a', 'b*', { equals: '*' }] }, ['a', 'bx', '*'], ['c', ABSENT]],
    [{ any_of: ['a', { absent: true }] }, ['a', ABSENT], ['b']],
    [{ not: 'a*' }, ['b', ''], ['a', 'ab', ABSENT]],
    [{ not: { any_of: ['a', 'b'] } }, ['c'], ['a', 'b', ABSENT]],
    [{ not: { present: true } }, [ABSENT], ['', 'a']],
    [{ not: '*' }, [ABSENT], ['', 'a']],
    [{ not: { absent: true } }, ['', 'a'], [ABSENT]],
    [{ not: '' }, [], ['', 'a', ABSENT]],
    [{ not: { not: 'a' } }, ['a'], ['b', ABSENT]],
    [{ present: true }, ['', 'a'], [ABSENT]],
    [{ absent: true }, [ABSENT], ['', 'a']],
    [{ present: true, not: 'a' }, ['b', ''], ['a', ABSENT]],
  ])('%j', (source, matching, failing) => {
    const pattern = compilePattern(source);
    for (const value of matching) {
      expect({ value, matches: pattern.test(value) }).toEqual({ value, matches: true });
    }
    for (const value of failing) {
      expect({ value, matches: pattern.test(value) }).toEqual({ value, matches: false });
    }
  });

  it.each<[PatternSource, string[], string[]]>([
    ['Ada@Example.com', ['ada@example.COM'], ['bob@example.com']],
    ['*@Example.com', ['X@EXAMPLE.COM'], ['x@example.org']],
    ['re:^ADA', ['ada'], ['bob']],
    [{ contains: 'A', not: { suffix: 'Z' } }, ['bab'], ['baz']],
    [{ equals: 'A' }, ['a', 'A'], ['b']],
    [{ prefix: 'A', any_of: ['AB', 'ac'] }, ['ab', 'AC'], ['ad']],
  ])('ignores case when asked: %j', (source, matching, failing) => {
    const pattern = compilePattern(source, { caseInsensitive: true });
    expect(matching.map((value) => pattern.test(value))).toEqual(matching.map(() => true));
    expect(failing.map((value) => pattern.test(value))).toEqual(failing.map(() => false));
    expect([pattern.exact, pattern.prefix]).toEqual([undefined, undefined]);
  });

  it.each<[PatternSource | undefined, boolean, string | undefined, string | undefined]>([
    [undefined, true, undefined, undefined],
    ['', true, undefined, undefined],
    ['*', false, undefined, ''],
    ['a', false, 'a', 'a'],
    ['a\\*', false, 'a*', 'a*'],
    ['ab*c', false, undefined, 'ab'],
    ['re:^user:\\d', false, undefined, 'user:'],
    ['re:user', false, undefined, undefined],
    [{ equals: 'a' }, false, 'a', 'a'],
    [{ equals: 'a', not: 'b' }, false, 'a', 'a'],
    [{ prefix: 'a', suffix: 'b' }, false, undefined, 'a'],
    [{ any_of: ['a'] }, false, 'a', 'a'],
    [{ any_of: ['a', 'b'] }, false, undefined, undefined],
    [{ not: 'a' }, false, undefined, undefined],
  ])('tells indexes about %j', (source, any, exact, prefix) => {
    const pattern = compilePattern(source);
    expect([pattern.any, pattern.exact, pattern.prefix]).toEqual([any, exact, prefix]);
  });

  it.each<[PatternSource, string | undefined, boolean]>([
    ['a*', '', true],
    ['a*b', 'b', false],
    ['*b', 'b', false],
    ['ab', 'ab', false],
    ['*', undefined, false],
    ['re:^a', undefined, false],
    [{ prefix: 'a' }, undefined, true],
    [{ suffix: 'b' }, 'b', false],
    [{ prefix: 'a', suffix: 'b' }, 'b', false],
    [{ any_of: ['*b'] }, 'b', false],
    [{ any_of: ['*b', 'a*'] }, undefined, false],
    [{ not: 'a*' }, undefined, false],
  ])('tells indexes about the end of %j', (source, suffix, isPrefix) => {
    const pattern = compilePattern(source);
    expect([pattern.suffix, pattern.isPrefix]).toEqual([suffix, isPrefix]);
    const folded = compilePattern(source, { caseInsensitive: true });
    expect([folded.suffix, folded.isPrefix]).toEqual([undefined, false]);
  });

  it.each<[PatternSource, string | undefined, string]>([
    ['b', 'a', 'header X-Tenant: got "a", want "b"'],
    ['b*', ABSENT, 'header X-Tenant: absent, want "b*"'],
    ['re:^b', 'a"\n', 'header X-Tenant: got "a\\"\\n", want a match of "re:^b"'],
    [{ absent: true }, 'a', 'header X-Tenant: got "a", want absent'],
    [{ prefix: 'x', not: 'y' }, 'a', 'header X-Tenant: got "a", want starts with "x" and not "y"'],
    [{ any_of: ['x', { contains: 'y' }] }, 'a', 'header X-Tenant: got "a", want "x" or contains "y"'],
  ])('says why %j did not match', (source, value, sentence) => {
    expect(compilePattern(source).reason('header X-Tenant', value)).toBe(sentence);
  });

  it('keeps reasons short', () => {
    const pattern = compilePattern({ any_of: Array.from({ length: 100 }, () => 'w'.repeat(1000)) });
    expect(pattern.reason('body', 'v'.repeat(100_000)).length).toBeLessThan(300);
  });

  it.each<[unknown, string]>([
    [5, '5 is not a pattern'],
    [null, 'is not a pattern'],
    [['a'], 'is not a pattern'],
    [{}, 'empty object'],
    [{ equal: 'a' }, 'unknown field "equal"'],
    [JSON.parse('{"__proto__": "a"}'), 'unknown field "__proto__"'],
    [{ equals: 5 }, '"equals" is 5'],
    [{ regex: '(' }, 'RE2'],
    ['re:(?=a)', 'lookahead'],
    [{ any_of: [] }, 'any_of'],
    [{ any_of: 'a' }, 'any_of'],
    [{ any_of: [{ nope: 1 }] }, 'unknown field "nope"'],
    [{ present: false }, 'only be true'],
    [{ not: { not: 5 } }, 'not a pattern'],
  ])('refuses %j', (source, words) => {
    let thrown: unknown;
    try {
      compilePattern(source as PatternSource);
    } catch (error) {
      thrown = error;
    }
    expect(isBacklotError(thrown) && thrown.status).toBe(400);
    expect(String((thrown as Error).message).replaceAll('\\"', '"')).toContain(words);
  });

  it('refuses nesting without end', () => {
    let source: PatternSource = 'a';
    for (let level = 0; level < 5000; level += 1) {
      source = { not: source };
    }
    expect(() => compilePattern(source)).toThrow('nested deeper');
  });

  it('matches ten thousand stars against long texts in no time', () => {
    // The work of this process and not the time it takes: other processes may want the machine too.
    const started = process.cpuUsage().user;
    const stars = compilePattern('a*'.repeat(10_000));
    expect(stars.test('a'.repeat(100_000))).toBe(true);
    expect(stars.test('a'.repeat(9_999))).toBe(false);
    expect(stars.test(`${'a'.repeat(9_999)}${'b'.repeat(100_000)}`)).toBe(false);
    expect(compilePattern(`${'*'.repeat(10_000)}x`).test('y'.repeat(100_000))).toBe(false);
    expect(compilePattern(`${'a*'.repeat(50)}b`).test('a'.repeat(1_000_000))).toBe(false);
    expect((process.cpuUsage().user - started) / 1000).toBeLessThan(1000);
  });
});

describe('testAny', () => {
  it.each<[PatternSource, string | string[] | undefined, boolean]>([
    ['b', ['a', 'b'], true],
    ['b', ['a', 'c'], false],
    ['b', 'b', true],
    ['b', [], false],
    ['b', undefined, false],
    ['', [], true],
    [{ absent: true }, [], true],
    [{ absent: true }, undefined, true],
    [{ absent: true }, ['a'], false],
    [{ present: true }, [''], true],
  ])('%j on %j is %j', (source, values, matches) => {
    expect(testAny(compilePattern(source), values)).toBe(matches);
  });
});

describe('PatternSchema', () => {
  const validate = new Ajv({ strict: true, allErrors: true }).compile(
    Type.Object({ one: PatternSchema, two: PatternSchema, many: Type.Record(Type.String(), PatternSchema) }),
  );
  const accepts = (pattern: unknown): boolean =>
    validate({ one: pattern, two: 'x', many: { header: pattern } });

  it.each([
    ['a'],
    [''],
    [{ equals: 'a' }],
    [{ not: { any_of: ['a', { present: true }] } }],
    [{ any_of: ['a'] }],
  ])('accepts %j, many times in one schema', (pattern) => {
    expect(accepts(pattern)).toBe(true);
  });

  it.each([
    [5],
    [null],
    [{}],
    [{ equal: 'a' }],
    [{ any_of: [] }],
    [{ present: false }],
    [{ not: 5 }],
    [['a']],
  ])('refuses %j', (pattern) => {
    expect(accepts(pattern)).toBe(false);
  });
});
