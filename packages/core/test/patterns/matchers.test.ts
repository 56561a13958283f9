import { describe, expect, it } from '@jest/globals';
import { compilePattern, type PatternSource } from '../../src/patterns/pattern.js';
import type { Surroundings } from '../../src/patterns/pattern-settings.js';

const NOW = Date.parse('2030-01-02T03:04:05Z');
const surroundings: Surroundings = {
  clock: () => () => NOW,
  template: (source) => (message) => source.replace('{{request.path}}', message?.path ?? ''),
};
const compile = (source: unknown) => compilePattern(source as PatternSource, { surroundings });
const errorOf = (source: unknown): string => {
  try {
    compile(source);
    return '';
  } catch (thrown) {
    return (thrown as Error).message;
  }
};
const json = JSON.stringify;

describe('matchers', () => {
  it.each<[unknown, (string | undefined)[], (string | undefined)[]]>([
    [{ all_of: ['a*', '*b', { not: 'ab' }] }, ['acb'], ['ab', 'a', undefined]],
    [{ gt: 4 }, ['5', '4.5', ' 1e3 '], ['4', '-5', '', 'x', '0x10', '[5]', undefined]],
    [{ gte: 4, lt: 6 }, ['4', '5.9'], ['6', '3', 'NaN', 'Infinity']],
    [{ lte: -1 }, ['-1', '-2'], ['0']],
    [{ length: 3 }, ['abc', '[1,2,3]', '\u{1F600}ab'], ['ab', '[1,2]', undefined]],
    [{ length: { gte: 2, lt: 4 } }, ['ab', '[1, [], {}]'], ['a', '[]']],
    [{ before: 'now' }, ['2030-01-02T03:04:04Z', '1000', '1893553444'], ['2030-01-02T03:04:05Z', 'x', '']],
    [{ after: 'now-5m' }, ['2030-01-02T03:00:00Z', '1893553445000'], ['2030-01-02T02:59:05Z', '1893553000']],
    [{ after: '2029-12-31' }, ['2030-01-01', 'Tue, 01 Jan 2030 00:00:00 GMT'], ['2029-12-31']],
    [{ before: 'now+1d' }, ['2030-01-03T03:04:04Z'], ['2030-01-03T03:04:05Z']],
    [{ before: 1000 }, ['999', 'Thu Jan  1 00:00:01 1970'], ['1000', '1001']],
    [{ within: '5m' }, ['2030-01-02T04:08:00+01:00', '2030-01-02T03:00:00Z'], ['2030-01-02T03:10:00Z']],
    [{ same_as: 'x{{request.path}}' }, ['x/here'], ['/here', '', undefined]],
    [
      { json: { equals: { a: [1, 2], b: null } } },
      ['{"b":null,"a":[1,2]}'],
      ['{"a":[2,1],"b":null}', '{', ''],
    ],
    [{ json: { equals: null } }, ['null'], ['0', undefined]],
    [{ json: { equals: { a: 1 } } }, ['{"a":1.0}'], ['{"a":1,"b":2}', '{}', '{"a":"1"}']],
    [
      { json: { equals: [{ a: [1, 2] }, 3], ignore_order: true } },
      ['[3,{"a":[2,1]}]'],
      ['[3,3]', '[{"a":[1,2]}]'],
    ],
    [{ json: { equals: [1, 1, 2], ignore_order: true } }, ['[1,2,1]'], ['[1,2,2]', '[1,2]']],
    [
      { json: { partial: { u: { n: 'ann' } } } },
      ['{"u":{"n":"ann","x":1},"y":2}'],
      ['{"u":{"n":"bob"}}', '{"u":1}'],
    ],
    [{ json: { partial: [1, { a: 2 }] } }, ['[0,1,9,{"a":2,"b":3}]'], ['[{"a":2},1]', '[1]', '{}']],
    [{ json: { partial: [1, 3], ignore_order: true } }, ['[3,2,1]'], ['[3,2]', '[1,1]']],
    [
      { json: { partial: [{ a: 1 }, {}], ignore_order: true } },
      ['[{"a":1},{}]', '[{},{"a":1}]'],
      ['[{"a":1}]', '[{},{}]'],
    ],
    [{ each: { gt: 1 } }, ['[2,3]', '[]'], ['[2,1]', '5', 'x']],
    [{ each: 'a*' }, ['["a","ab"]'], ['["b"]', '"a"']],
    [{ some: { json: { partial: { id: 7 } } } }, ['[{"id":1},{"id":7}]'], ['[{"id":1}]', '[]']],
    [{ json_path: '$.a[?@.n > 2]' }, ['{"a":[{"n":3}]}'], ['{"a":[{"n":1}]}', '[]', 'x']],
    [{ json_path: { path: '$..n', is: { gt: 2 } } }, ['{"a":[{"n":1},{"n":"3"}]}'], ['{"n":1}', '{}']],
    [{ json_path: { path: '$.a', is: { absent: true } } }, ['{}'], ['{"a":1}', 'x']],
    [{ json_path: '$[?search(@, "(a+)+b")]' }, ['["xaab"]'], ['["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]']],
    [{ xpath: '//item[@id="7"]' }, ['<o><item id="7"/></o>'], ['<o><item id="8"/></o>', '<o>', '', 'x']],
    [
      { xpath: { path: '//price', is: { gt: 5 } } },
      ['<o><price>4</price><price>6</price></o>'],
      ['<o><price>4</price></o>'],
    ],
    [{ xpath: 'count(//a) > 1' }, ['<o><a/><a/></o>'], ['<o><a/></o>']],
    [{ json_schema: { type: 'object', required: ['id'] } }, ['{"id":1}'], ['{}', '[]', 'x']],
    [{ json_schema: { type: 'string', pattern: '^a' } }, ['"ab"'], ['"b"']],
    [{ json_schema: { type: 'string', pattern: '^b' } }, ['"ba"'], ['"ab"']],
    [
      { json_schema: { type: 'array', uniqueItems: true } },
      ['[1,2,{"a":1}]'],
      ['[{"a":1,"b":2},{"b":2,"a":1}]'],
    ],
    [{ json_schema: { type: 'string', format: 'email' } }, ['"a@b.de"'], ['"a"', '5']],
    [{ json_schema: { type: 'string', format: 'uri' } }, ['"http://a/b"'], ['"a b"', '"/a"']],
    [{ json_schema: { prefixItems: [{ type: 'string' }], items: { type: 'number' } } }, ['["a",1]'], ['[1]']],
    [
      {
        json_schema: {
          $schema: 'http://json-schema.org/draft-07/schema#',
          items: [{ type: 'string' }],
          additionalItems: false,
        },
      },
      ['["a"]'],
      ['["a",1]'],
    ],
    [{ not: { json: { partial: { a: 1 } } } }, ['{"a":2}', 'x'], ['{"a":1}', undefined]],
    [{ any_of: [{ json: { equals: 1 } }, 'x'] }, ['1', 'x'], ['2', undefined]],
  ])('%j', (source, matching, failing) => {
    const pattern = compile(source);
    const message = { method: '', path: '/here', remote: '' };
    for (const value of matching) expect([value, pattern.test(value, message)]).toEqual([value, true]);
    for (const value of failing) {
      expect([value, pattern.test(value, message)]).toEqual([value, false]);
      expect(pattern.reason('body', value, message)).toContain(', want ');
    }
  });

  it.each<[unknown, unknown[], unknown[]]>([
    [{ gt: 4 }, [5, '5'], [4, null, [5], true]],
    [{ length: 1 }, [['a'], 'a', '[7]'], [[], {}, 5, null]],
    [{ json: { equals: { a: 1 } } }, [{ a: 1 }, '{"a":1}'], [{ a: 2 }, '"a"', '{']],
    [{ json: { equals: 'a' } }, ['a'], ['b', '"a"']],
    [{ each: { each: { gt: 0 } } }, [[[1], [2, 3]]], [[[0]], [1]]],
    [{ json_path: '$[1]' }, [[1, null]], [[1], '[1]', 5]],
    ['a*', ['ab'], [{ a: 1 }, 5]],
    ['5', [5, '5'], [6]],
  ])('%j of values that are parsed already', (source, matching, failing) => {
    const pattern = compile(source);
    for (const value of matching) expect([value, pattern.testValue(value)]).toEqual([value, true]);
    for (const value of failing) expect([value, pattern.testValue(value)]).toEqual([value, false]);
  });

  it.each<[unknown, string, string]>([
    [
      { json_path: { path: '$.items[1].price', is: { gt: 5 } } },
      '{"items":[{},{"price":"4"}]}',
      'body: at $.items[1].price got "4", want > 5',
    ],
    [
      { json_path: { path: '$..n', is: { gt: 5 } } },
      '{"n":1,"b":{"n":2}}',
      'body: at $..n got 1, 2, want one of them to be > 5',
    ],
    [{ json_path: '$.a' }, '{}', 'body: at $.a absent, want something'],
    [
      { each: { json: { partial: { price: 5 } } } },
      '[{"price":5},{"price":"4"}]',
      'body: at [1].price got "4", want 5',
    ],
    [{ json: { equals: { a: { b: [1, 2] } } } }, '{"a":{"b":[1,3]}}', 'body: at a.b[1] got 3, want 2'],
    [{ json: { equals: { a: 1 } } }, '{"a":1,"b":2}', 'body: at b got 2, want nothing there'],
    [{ json: { partial: { a: [1] } } }, '{"a":[]}', 'body: at a got [] with 0 elements, want at least 1'],
    [{ json: { equals: 1 } }, 'x', 'body: got "x", which is not JSON, want JSON equal to 1'],
    [{ xpath: { path: '//n', is: '5' } }, '<a><n>4</n></a>', 'body: at //n got "4", want "5"'],
    [{ xpath: '//n' }, 'x', 'body: got "x", which is no XML'],
    [
      { json_schema: { properties: { n: { type: 'number', minimum: 5 } } } },
      '{"n":4}',
      'body: at n got 4, want >= 5',
    ],
    [{ json_schema: { required: ['n'] } }, '{}', 'body: at n absent, want something there'],
    [
      { same_as: '{{request.path}}' },
      'x',
      'body: got "x", want the same as "{{request.path}}", which is "/here"',
    ],
    [{ length: 2 }, 'abc', 'body: got "abc" of length 3, want a length of 2'],
    [{ gt: 5, lt: 9 }, '10', 'body: got "10", want > 5 and < 9'],
  ])('%j says of %s what differs', (source, value, reason) => {
    const message = { method: '', path: '/here', remote: '' };
    expect(compile(source).reason('body', value, message)).toContain(reason);
  });

  it.each<[unknown, string]>([
    [{ all_of: [] }, 'must be a list of patterns'],
    [{ gt: '5' }, 'it must be a number'],
    [{ before: 'yesterday' }, 'it must be a date such as'],
    [{ within: 'soon' }, 'duration'],
    [{ json: { a: 1 } }, 'unknown field "a"; known are equals, partial, ignore_order'],
    [{ json: {} }, 'needs equals or partial'],
    [{ json: 5 }, 'it must be an object'],
    [{ length: true }, 'not a pattern'],
    [{ json_path: 'a.b' }, 'begins with $'],
    [{ json_path: { is: 'a' } }, 'with path'],
    [{ json_path: { path: '$', is: { nope: 1 } } }, 'unknown field "nope"'],
    [{ xpath: '//[' }, 'XPath'],
    [{ json_schema: { type: 'nope' } }, 'JSON Schema'],
    [{ json_schema: { tpye: 'string' } }, 'unknown keyword: "tpye"'],
    [{ json_schema: { $ref: 'http://example.com/x' } }, 'another document'],
    [{ json_schema: { $ref: '#/nowhere' } }, 'where there is no schema'],
    [
      { json_schema: { $schema: 'http://json-schema.org/draft-04/schema#' } },
      'draft-06, draft-07, 2019-09 and 2020-12',
    ],
    [{ json_schema: { pattern: '(?=a)' } }, 'RE2'],
    [{ json_schema: { enum: Array.from({ length: 2_100 }, (_, n) => n) } }, 'at most 1000'],
    [{ json: { equals: Array.from({ length: 10_001 }, (_, n) => n) } }, 'at most 10000'],
    [
      { json: { equals: JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`) as unknown } },
      'nested deeper than 32',
    ],
  ])('%.80j is refused', (source, words) => {
    expect(errorOf(source)).toContain(words);
  });

  it('parses one text once, however many patterns look at it', () => {
    const parse = JSON.parse;
    let count = 0;
    JSON.parse = (text: string) => {
      count += 1;
      return parse(text) as unknown;
    };
    try {
      const text = json({ items: Array.from({ length: 10 }, (_, id) => ({ id })) });
      for (let id = 0; id < 100; id += 1) {
        compile({ json_path: `$.items[?@.id == ${id}]` }).test(text);
        compile({ json: { partial: { items: [{ id }] } } }).test(text);
      }
      expect(count).toBe(1);
      compile({ contains: 'x' }).test('{"y":1}');
      expect(count).toBe(1);
    } finally {
      JSON.parse = parse;
    }
  });

  it('refuses values that are nested too deep by saying so, and never throws', () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    for (const source of [
      { json: { equals: [[1]] } },
      { json: { equals: [[1]], ignore_order: true } },
      { each: { each: 'x' } },
      { json_path: '$..a' },
      { json_schema: { $ref: '#/$defs/a', $defs: { a: { items: { $ref: '#/$defs/a' }, maxItems: 0 } } } },
      { xpath: '//a' },
    ]) {
      expect(compile(source).test(deep)).toBe(false);
      expect(compile(source).reason('body', deep)).toContain('want');
    }
  });
});
