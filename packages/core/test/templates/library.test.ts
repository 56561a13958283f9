import { describe, expect, it } from '@jest/globals';
import Mustache from 'mustache';

/** The parser reads more of mustache's tokens than the types of the library promise; see src/templates/parse.ts. */
describe('mustache', () => {
  it('says of every token its kind, its value and where it begins and ends', () => {
    expect(new Mustache.Writer().parse('ab {{&0}}{{!1}}c')).toEqual([
      ['text', 'ab ', 0, 3],
      ['&', '0', 3, 9],
      ['!', '1', 9, 15],
      ['text', 'c', 15, 16],
    ]);
  });

  it('says of a section what is in it and where the tag begins that closes it', () => {
    expect(new Mustache.Writer().parse('{{#0}}x{{/0}}{{^1}}{{/1}}')).toEqual([
      ['#', '0', 0, 6, [['text', 'x', 6, 7]], 7],
      ['^', '1', 13, 19, [], 19],
    ]);
  });

  it('takes a line out that holds nothing but the tags of sections and comments', () => {
    expect(new Mustache.Writer().parse('x\n {{#0}} \n\nx\n{{/0}}\n')).toEqual([
      ['text', 'x\n', 0, 2],
      ['#', '0', 3, 9, [['text', '\nx\n', 11, 14]], 14],
    ]);
  });

  it.each([
    ['{{#0}}', /^Unclosed section "0"/],
    ['{{#0}}{{/1}}', /^Unclosed section "0"/],
    ['{{/0}}', /^Unopened section "0"/],
  ])('says of %s which section is wrong', (template, message) => {
    expect(() => new Mustache.Writer().parse(template)).toThrow(message);
  });

  it('keeps nothing of what a writer of our own has parsed', () => {
    const shared = (Mustache as unknown as { templateCache: { _cache?: object } }).templateCache;
    const before = Object.keys(shared._cache ?? {}).length;
    new Mustache.Writer().parse('{{&0}} only here');
    expect(Object.keys(shared._cache ?? {})).toHaveLength(before);
  });
});
