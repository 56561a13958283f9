import { describe, expect, it } from '@jest/globals';
import { randomFor, type Random } from '../../src/random/random.js';
import { compileJsonQuery } from '../../src/values/json-query.js';
import { parseXml } from '../../src/values/xml.js';
import { compileXpath } from '../../src/values/xpath.js';

const ROUNDS = 300;
/** Steps that every query may take, and those for each unit of size; a step is a tenth of a microsecond. */
const allowed = (size: number): number => 5_000 + 20 * size;

function jsonPath(random: Random, depth = 0): string {
  const parts = ['.a', '..b', '..*', '[*]', '[0]', '[::2]', '[*,*]', "['a','b']", '..[*,*]'];
  const tests = [
    '@.a',
    '@ == $',
    '@.b > 1',
    'count(@..*) > 2',
    "search(@.c, '(a+)+$')",
    "match(@.c, '.*.*.*x')",
  ];
  let path = '';
  for (let left = random.int(1, 4); left > 0; left -= 1) {
    path += random.pick(parts) ?? '';
    if (depth < 3 && random.bool())
      path += `[?${random.bool() ? (random.pick(tests) ?? '') : `$${jsonPath(random, depth + 1)}`}]`;
  }
  return path;
}

function xpathOf(random: Random, depth = 0): string {
  const steps = [
    '//*',
    '/*',
    '//a',
    '/parent::*',
    '/descendant::*',
    '/ancestor::*',
    '/following::*',
    '/preceding::*',
    '//@*',
    '//text()',
  ];
  const tests = [
    '@c',
    'position() = last()',
    'contains(., "x")',
    '. = //b',
    'translate(., "x", "y") = "y"',
    'number(.) > 1',
    'string-length(normalize-space(/)) > 3',
  ];
  let path = '';
  for (let left = random.int(1, 4); left > 0; left -= 1) {
    path += random.pick(steps) ?? '';
    if (depth < 3 && random.bool())
      path += `[${random.bool() ? (random.pick(tests) ?? '') : `count(${xpathOf(random, depth + 1)}) > 1`}]`;
  }
  return path;
}

describe('any query', () => {
  it('of JSON takes no more steps than the size of the value allows', () => {
    const random = randomFor(7, 'json');
    const value = Array.from({ length: 60 }, (_, at) => ({
      a: at,
      b: [at, { b: [at] }],
      c: `${'a'.repeat(at)}!`,
    }));
    const size = 60 * 9 + (60 * 61) / 2 / 16;
    for (let round = 0; round < ROUNDS; round += 1) {
      const path = `$${jsonPath(random)}`;
      const { work, problem } = compileJsonQuery(path).find(value);
      if (problem === undefined) expect([path, work <= allowed(size)]).toEqual([path, true]);
      else expect([path, problem]).toEqual([path, expect.stringMatching(/takes too long/)]);
    }
  });

  it('of XML takes no more steps than the size of the document allows', () => {
    const random = randomFor(7, 'xml');
    const { document } = parseXml(`<r>${'<a c="1">x<b>2</b><b><a/></b></a>'.repeat(40)}</r>`);
    if (document === undefined) throw new Error('no document');
    for (let round = 0; round < ROUNDS; round += 1) {
      const source = xpathOf(random);
      const { work, problem } = compileXpath(source).find(document);
      if (problem === undefined) expect([source, work <= allowed(document.size)]).toEqual([source, true]);
      else expect([source, problem]).toEqual([source, expect.stringMatching(/takes too long/)]);
    }
  });
});
