import { describe, expect, it, jest } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { isMap, isScalar, isSeq, parseDocument, stringify, type Node } from 'yaml';
import { runAtOnce } from '@backlot/core/plugin';
import { interpolate } from '../src/config/interpolate.js';
import { readPlainJsonSteps } from '../src/config/quick-json.js';
import { QuickPlaces } from '../src/config/quick-places.js';
import { readQuickSteps } from '../src/config/quick-yaml.js';
import { parseSourceSteps, valueOf } from '../src/config/source.js';
import { anyText, anyValue, below, pick, TEXTS } from './made-yaml.js';

const readQuickly = (text: string): unknown => runAtOnce(readQuickSteps(text));
const list = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
const readPlainJson = (text: string): unknown => runAtOnce(readPlainJsonSteps(text));

/** What the whole parser gives; `undefined` for what it refuses. */
function readWhole(text: string): unknown {
  const document = parseDocument(text, { merge: true, strict: true, prettyErrors: false });
  return document.errors.length > 0 ? undefined : (document.toJS() as unknown);
}

/** Where each key and item stands, as the whole parser says it, and as the quick places say it. */
function placesOf(text: string): {
  readonly whole: [string, number | undefined][];
  readonly quick: [string, number | undefined][];
} {
  const places = new QuickPlaces(text);
  const whole: [string, number | undefined][] = [];
  const quick: [string, number | undefined][] = [];
  const walk = (node: unknown, names: readonly string[]): void => {
    const entries = isMap(node)
      ? node.items.map(({ key, value }) => [String(isScalar(key) ? key.value : key), key, value] as const)
      : isSeq(node)
        ? node.items.map((item, index) => [String(index), item, item] as const)
        : [];
    for (const [name, at, value] of entries) {
      const inner = [...names, name];
      const found = places.find(inner);
      whole.push([inner.join('/'), (at as Node).range?.[0]]);
      quick.push([inner.join('/'), found.key]);
      if (isScalar(value)) {
        whole.push(['', value.range?.[0]]);
        quick.push(['', found.value]);
      }
      walk(value, inner);
    }
  };
  walk(parseDocument(text, { merge: true }).contents, []);
  return { whole, quick };
}

describe('readQuickly', () => {
  it('gives what the whole parser gives, or nothing', () => {
    let read = 0;
    for (let round = 0; round < 3000; round += 1) {
      const text = anyText();
      const value = readQuickly(text);
      if (value === undefined) continue;
      read += 1;
      expect([text, value]).toEqual([text, readWhole(text)]);
      const { whole, quick } = placesOf(text);
      expect([text, quick]).toEqual([text, whole]);
    }
    expect(read).toBeGreaterThan(300);
  });

  it('gives nothing for what the whole parser refuses, and never another value', () => {
    const pieces = [
      '\n',
      ' ',
      '  ',
      '- ',
      ':',
      ': ',
      '#',
      ' #',
      '"',
      "'",
      '{',
      '}',
      '[',
      ']',
      ',',
      '|',
      '>',
      '&a',
      '*a',
      '---\n',
      '-',
      '?',
      '\\',
      'x',
      '0',
      '.',
      'a: b\n',
      '\n    ',
      'a:b',
      ',\n      ',
      '\n}',
      '\n]',
      '{\n',
    ];
    let read = 0;
    for (let round = 0; round < 20_000; round += 1) {
      const text = anyText();
      const at = below(text.length);
      const changed = text.slice(0, at) + pick(pieces) + text.slice(at + below(4));
      const value = readQuickly(changed);
      if (value === undefined) continue;
      read += 1;
      expect([changed, value]).toEqual([changed, readWhole(changed)]);
      const { whole, quick } = placesOf(changed);
      expect([changed, quick]).toEqual([changed, whole]);
    }
    expect(read).toBeGreaterThan(500);
  });

  it('has its names replaced as in a file that the whole parser has read', () => {
    const environment = { TEXT: 'a b', NUMBER: '+5', TRUE: 'true', OWN: '' };
    let replaced = 0;
    for (let round = 0; round < 1000; round += 1) {
      const own = { OWN: pick(['${NUMBER}', 7, 'x']), GONE: anyValue(1), ['5']: pick(TEXTS) };
      const value = { top: anyValue(3), more: ['${OWN}', anyValue(2)], vars: own, '9': '${NOWHERE}' };
      const style = pick(['PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE'] as const);
      const isJson = below(3) === 0;
      const text = isJson
        ? JSON.stringify(value, null, below(3))
        : stringify(value, { defaultStringType: style });
      const file = isJson ? 'a.json' : 'a.yaml';
      const plain = runAtOnce(parseSourceSteps(text, file, '/'));
      if (plain.plain === undefined || !text.includes('${')) continue;
      replaced += 1;
      // A tab is left to the whole parser.
      const whole = runAtOnce(parseSourceSteps(`${text}\n# \t\n`, file, '/'));
      expect(whole.plain).toBeUndefined();
      expect([text, interpolate(plain, environment)]).toEqual([text, interpolate(whole, environment)]);
      expect([text, valueOf(plain)]).toEqual([text, valueOf(whole)]);
    }
    expect(replaced).toBeGreaterThan(300);
  });

  it.each([
    [
      'mocks in blocks',
      'protocols:\n  http:\n    mocks:\n      - id: a\n        request:\n          path: /a/{id}\n        response:\n          status: 200\n',
    ],
    ['lists at the column of their key', 'a:\n- b: 1\n  c: 2\n- d\ne: f\n'],
    ['mappings on a line', 'a: {b: [c d, \'e\', "f\\n"], g: {h: 1}}\n'],
    ['literal texts', 'a: |\n  one\n    two\n\n  three\nb: |-\n  end\nc: d\n'],
    ['folded texts', 'a: >-\n  one\n  two\nb: >\n  end\nc: d\n'],
    [
      'texts on several lines',
      'a: one\n  two\nb: "three\n  four"\nc:\n  - five\n    six\n  - \'seven\n    eight\'\n',
    ],
    [
      'mappings on several lines',
      'a:\n  - {\n      b: c:d,\n      e: [f, (g)],\n    }\n  - [\n      h,\n    ]\nb:\n  { c: d }\n',
    ],
    [
      'brackets that end at the column of their key',
      'a: {\n  b: c,\n  d: [e, f]\n}\ng:\n  h: [\n    i\n  ]\nj: k\n',
    ],
    ['a file that is one mapping in brackets', '{a: b,\nc: {d: "e # f"},\n}\n'],
    ['texts on a line below their key', 'a:\n  one:\n    two\nb:\n  "three"\n'],
    ['keys of services', 'a:b: c\n/d: e\n.f: g\n'],
    ['a key without a value', 'a:\n'],
    [
      'keys and items without a value',
      'a:\nb:  \nc:\n  d:\n  # e\n\n  f:\ng:\n- \n-\n- h:\n-\ni:\n  -\n  - j:\n',
    ],
    ['comments on lines of their own', '# first\na: b\n  # second\nc: "d"\n'],
  ])('reads %s', (_, text) => {
    expect(readQuickly(text)).toEqual(readWhole(text));
    expect(readQuickly(text)).toBeDefined();
    const { whole, quick } = placesOf(text);
    expect(quick).toEqual(whole);
  });

  it.each([
    'a: 1.0\n',
    'a: b # c\n',
    'a: b\n\n  c\n',
    'a: b\n  # c\n  d\n',
    'a: [b,\n  # c\n  d]\n',
    'a: *b\n',
    'a: b\na: c\n',
    '- a\n',
    'a:\tb\n',
    '__proto__: a\n',
    '',
    'a: >\n  b\n\n  c\n',
    'a: >\n  b\n    c\n',
  ])('leaves %j to the whole parser', (text) => {
    expect(readQuickly(text)).toBeUndefined();
  });
});

// The whole parser takes longer for one of them than this for all.
const SERVICES = new URL('../../../packages/services/services/', import.meta.url);
it.each(readdirSync(SERVICES))('the file of the service %s is read quickly', (name) => {
  const text = readFileSync(new URL(`${name}/service.yaml`, SERVICES), 'utf8');
  expect(readQuickly(text)).toEqual(readWhole(text));
});

describe('readPlainJson', () => {
  it('reads objects', () => {
    const value = { a: [{ b: ':', c: '"' }, {}], d: 'x\\' };
    expect(readPlainJson(JSON.stringify(value))).toEqual(value);
  });

  it.each([
    '[1]',
    '{"a": 1,}',
    '{"a": 1, "a": 2}',
    '{"a": {"b": 1, "b": 1}}',
    '{"a": 1.0}',
    '{"a": 1e3}',
    '{"a":-0}',
    '{"a":12345678901234567890}',
  ])('leaves %s to the whole parser', (text) => {
    expect(readPlainJson(text)).toBeUndefined();
  });
});

it('reads an object of more members than a request may have', () => {
  const value = Object.fromEntries(Array.from({ length: 100_001 }, (_, n) => [`k${n}`, n]));
  expect(readPlainJson(JSON.stringify(value))).toEqual(value);
});

it('finds places in JSON', () => {
  const value = { 'a:b': [{ 'c"d\\': ['{', "it's", 1.5, null] }, [[]], {}], '': { e: [true] } };
  for (const indent of [undefined, 2, '\t']) {
    const { whole, quick } = placesOf(JSON.stringify(value, null, indent));
    expect(quick).toEqual(whole);
    expect(whole).toHaveLength(18);
  }
});

it.each([
  ['of many mocks', { mocks: list(20_000, (n) => ({ id: `m${n}`, path: `/${n}`, list: [n, null] })) }],
  [
    'with more members than a request may have',
    { state: Object.fromEntries(list(100_001, (n) => [`k${n}`, n])) },
  ],
])('parses a large file of JSON %s in pieces, and nothing twice', (_, value) => {
  const text = JSON.stringify(value);
  const parse = jest.spyOn(JSON, 'parse');
  try {
    const read = readPlainJson(text);
    const longest = Math.max(...parse.mock.calls.map(([piece]) => piece.length));
    expect(longest).toBeLessThan(text.length / 10);
    const parsed = parse.mock.calls.reduce((sum, [piece]) => sum + piece.length, 0);
    expect(parsed).toBeLessThan(1.1 * text.length);
    expect(read).toEqual(value);
  } finally {
    parse.mockRestore();
  }
});
