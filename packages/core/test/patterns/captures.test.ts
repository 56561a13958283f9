import { describe, expect, it } from '@jest/globals';
import { NotingTools } from '../../src/mocks/compile-tools.js';
import { recordCaptures } from '../../src/plugin.js';
import type { CompiledMock } from '../../src/contract/matcher.js';
import type { Message } from '../../src/contract/message.js';
import type { PatternSource } from '../../src/patterns/pattern-schema.js';
import type { PlaceSource } from '../../src/plugin.js';

/** What a mock with one pattern gives, and whether it gives anything at all. */
function compile(source: PatternSource | undefined) {
  const tools = new NotingTools();
  const pattern = tools.pattern(source, '/match');
  const mock: CompiledMock<Message> = { test: ({ path }) => pattern.test(path) || 'no' };
  tools.finish(mock);
  return { mock, problems: tools.problems };
}

function messageOf(path: string): Message {
  return { method: '', path, remote: '' };
}

function groupsOf(source: PatternSource, text: string): Readonly<Record<string, string>> {
  const { mock } = compile(source);
  return { ...mock.params?.(messageOf(text)) };
}

describe('what a pattern captures', () => {
  it.each<[PatternSource, string, Readonly<Record<string, string>>]>([
    ['re:^LOGIN (?<user>\\w+)$', 'LOGIN ann', { user: 'ann' }],
    ['re:(?P<day>\\d+)-(?<month>\\d+)', 'on 24-12', { day: '24', month: '12' }],
    [{ regex: '^(?<all>.*)$' }, 'grüße 😀', { all: 'grüße 😀' }],
    [{ regex: '(?<n>\\d)', prefix: 'a' }, 'a1', { n: '1' }],
    ['re:^LOGIN (?<user>\\w+)$', 'LOGOUT', {}],
    ['re:(?<a>x)|(?<b>y)', 'y', { b: 'y' }],
    [{ any_of: ['re:^a(?<a>\\d)', 're:^b(?<b>\\d)', 're:^(?<c>.)'] }, 'b2', { b: '2' }],
    [{ any_of: [{ all_of: ['re:^(?<lost>b)', 're:x$'] }, 're:^b(?<b>\\d)'] }, 'b2', { b: '2' }],
    [{ all_of: ['re:^(?<first>.)', { any_of: ['re:(?<last>.)$', 'x'] }] }, 'ab', { first: 'a', last: 'b' }],
    [{ not: 're:^(?<no>x)' }, 'y', {}],
    [{ all_of: [{ not: { not: 're:^(?<no>x)' } }, 're:(?<yes>x)'] }, 'x', { yes: 'x' }],
    [{ json_path: { path: '$.ids[*]', is: 're:^b(?<n>\\d)' } }, '{"ids":["a1","b2","b3"]}', { n: '2' }],
    [
      { some: { json_path: { path: '$.id', is: 're:^b(?<n>\\d)' } } },
      '[{"id":"a1"},{"id":"b2"}]',
      { n: '2' },
    ],
    [{ each: 're:^(?<letter>[a-z])' }, '["a","b"]', { letter: 'b' }],
    [{ each: 're:^(?<letter>[a-z])' }, '["a","1"]', {}],
    [{ xpath: { path: '//item/@id', is: 're:^x-(?<id>.*)' } }, '<o><item id="x-7"/></o>', { id: '7' }],
  ])('%j of %j', (source, text, captured) => {
    expect(groupsOf(source, text)).toEqual(captured);
  });

  it.each<[Readonly<Record<string, PlaceSource>>, unknown, Readonly<Record<string, string>>]>([
    [{ 'user.name': 're:^(?<first>\\w+) ' }, { user: { name: 'ann lee' } }, { first: 'ann' }],
    [{ 'items.*.id': 're:^b(?<n>\\d)' }, { items: [{ id: 'a1' }, { id: 'b2' }] }, { n: '2' }],
    [
      { items: [{ id: 're:^(?<id>\\d+)$', kind: 'book' }] },
      {
        items: [
          { id: '1', kind: 'pen' },
          { id: '2', kind: 'book' },
        ],
      },
      { id: '2' },
    ],
    [{ a: 're:(?<x>.)', b: 're:(?<x>.)' }, { a: '1', b: '2' }, { x: '2' }],
  ])('at places of JSON: %j of %j', (places, value, captured) => {
    const tools = new NotingTools();
    const conditions = tools.places(places, '/json', { label: 'json' });
    const test = () => conditions.every((condition) => condition.test(value, messageOf('')) === true);
    expect({ ...recordCaptures(test) }).toEqual(captured);
    expect(test()).toBe(true);
  });

  it.each<[PatternSource | undefined]>([
    [undefined],
    ['exact (?<not>)'],
    ['star *'],
    ['re:^(a|b)(?:c)$'],
    [{ contains: '(?<no>x)' }],
    [{ regex: '\\d+' }],
  ])('is nothing for %j, so that nothing is asked at all', (source) => {
    const { mock, problems } = compile(source);
    expect([mock.params, problems]).toEqual([undefined, []]);
  });

  it('stands beside what the kind reads itself, and nothing is left of it afterwards', () => {
    const tools = new NotingTools();
    const pattern = tools.pattern('re:(?<word>\\w+)$', '/match');
    const mock: CompiledMock<Message> = {
      test: ({ path }) => pattern.test(path) || 'no',
      params: () => ({ segment: 's', word: 'w' }),
    };
    tools.finish(mock);
    expect({ ...mock.params?.(messageOf('/a/b')) }).toEqual({ segment: 's', word: 'b' });
    expect({ ...mock.params?.(messageOf('/')) }).toEqual({ segment: 's', word: 'w' });
    expect({ ...recordCaptures(() => undefined) }).toEqual({});
  });

  it('is recorded for whoever asks last, also when a test throws', () => {
    const pattern = new NotingTools().pattern('re:(?<x>.)', '/match');
    const inner: unknown[] = [];
    const outer = recordCaptures(() => {
      pattern.test('a');
      inner.push({ ...recordCaptures(() => pattern.test('b')) });
    });
    expect([{ ...outer }, inner]).toEqual([{ x: 'a' }, [{ x: 'b' }]]);
    const failing = (): never => {
      throw new Error('broken');
    };
    expect(() => recordCaptures(failing)).toThrow('broken');
    expect({ ...recordCaptures(() => pattern.test('c')) }).toEqual({ x: 'c' });
  });

  it('is a problem at the place of the pattern when it is no regular expression', () => {
    expect(compile('re:(?<user>[').problems).toMatchObject([{ path: '/match' }]);
  });

  it('takes linear time, whatever the pattern', () => {
    const before = process.cpuUsage();
    expect(groupsOf('re:^(?<all>(a+)+)$', `${'a'.repeat(20_000)}b`)).toEqual({});
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(2_000_000);
  });
});
