import { describe, expect, it } from '@jest/globals';
import { compileCaptures } from '../../src/plugin.js';
import { NotingTools } from '../../src/mocks/compile-tools.js';
import type { PatternSource } from '../../src/patterns/pattern-schema.js';

function compile(source: PatternSource | undefined) {
  const tools = new NotingTools();
  return { read: compileCaptures(source, tools, '/match'), problems: tools.problems };
}

describe('what a pattern captures', () => {
  it.each<[PatternSource, string, Readonly<Record<string, string>> | undefined]>([
    ['re:^LOGIN (?<user>\\w+)$', 'LOGIN ann', { user: 'ann' }],
    ['re:(?P<day>\\d+)-(?<month>\\d+)', 'on 24-12', { day: '24', month: '12' }],
    [{ regex: '^(?<all>.*)$' }, 'grüße 😀', { all: 'grüße 😀' }],
    [{ regex: '(?<n>\\d)', prefix: 'a' }, 'a1', { n: '1' }],
    ['re:^LOGIN (?<user>\\w+)$', 'LOGOUT', undefined],
    ['re:(?<a>x)|(?<b>y)', 'y', { a: '', b: 'y' }],
  ])('%j of %j', (source, text, captured) => {
    const { read, problems } = compile(source);
    const found = read?.(text);
    expect(problems).toEqual([]);
    expect(captured === undefined ? found : { ...captured, ...found }).toEqual(captured);
    for (const [name, value] of Object.entries(captured ?? {})) expect(found?.[name] ?? '').toBe(value);
  });

  it.each<[PatternSource | undefined]>([
    [undefined],
    ['exact (?<not>)'],
    ['star *'],
    ['re:^(a|b)(?:c)$'],
    [{ contains: '(?<no>x)' }],
    [{ regex: '\\d+' }],
  ])('is nothing for %j, so that nothing is asked at all', (source) => {
    expect(compile(source)).toEqual({ read: undefined, problems: [] });
  });

  it('is a problem at the place of the pattern when it is no regular expression', () => {
    const { problems } = compile('re:(?<user>[');
    expect(problems).toMatchObject([{ path: '/match' }]);
  });

  it('takes linear time, whatever the pattern', () => {
    const { read } = compile('re:^(?<all>(a+)+)$');
    const before = process.cpuUsage();
    expect(read?.(`${'a'.repeat(20_000)}b`)).toBeUndefined();
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(2_000_000);
  });
});
