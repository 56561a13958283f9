import { describe, expect, it } from '@jest/globals';
import { cutTexts } from '../src/answer/cut-texts.js';
import { isSmall, jsonPieces, listPieces, TextInPieces, withinPieces } from '../src/answer/json-pieces.js';

const long = 'x'.repeat(100_000);

const inPieces = (pieces: readonly string[]): TextInPieces =>
  new TextInPieces({ length: pieces.join('').length, pieces: () => pieces });

/** Values that take more than one piece. */
const values: [string, unknown][] = [
  ['a text', long],
  ['a text of pairs', '\u{1f600}'.repeat(50_000)],
  ['a text of pairs, one further', `a${'\u{1f600}'.repeat(50_000)}`],
  ['a text of halves of pairs', '\ud83d'.repeat(70_000)],
  ['a text that is escaped', '"\\\n\u0000\u2028é'.repeat(20_000)],
  ['a list', Array.from({ length: 20_000 }, (_, index) => index)],
  ['a list of all there is', [long, null, undefined, () => 1, Symbol('x'), NaN, true, {}, [], '']],
  ['a list with holes', Object.assign([long], { 3: 1 })],
  ['an object', { long, nothing: undefined, call: () => 1, mark: Symbol('x'), date: new Date(0), zero: -0 }],
  ['an object with long keys', { [long]: 1, b: { [long]: long } }],
  ['an object with keys of all kinds', { '2': long, '1': 1, ['__proto__x']: 2, '': 3, '"': 4 }],
  ['an object without a prototype', Object.assign(Object.create(null) as object, { long })],
  ['an object that has another form', { toJSON: () => ({ long }) }],
  ['bytes', Buffer.alloc(30_000, 1)],
  ['a text that comes in pieces', { a: inPieces(['x'.repeat(50_000), '', '"é😀']) }],
  ['what is nested', { a: [{ b: { c: [long, [long]] } }] }],
];

describe('JSON in pieces', () => {
  it.each(values)('of %s is the same as in one', (_, value) => {
    const pieces = [...jsonPieces(value)];
    expect(pieces.join('') === JSON.stringify(value)).toBe(true);
    expect(isSmall(value)).toBe(false);
    // A character takes six at most.
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(6 * 32 * 1024);
  });

  it.each([null, undefined, 1, 'a', true, [], {}, [1, [2]], { a: 1 }])('of %j is one', (value) => {
    expect([...jsonPieces(value)]).toEqual([JSON.stringify(value) ?? 'null']);
  });

  it('looks at no more of a value than it takes to know that it is long', () => {
    let seen = 0;
    const counted = Array.from({ length: 100_000 }, () =>
      Object.defineProperty({}, 'x', { enumerable: true, get: () => (seen += 1) }),
    );
    expect(isSmall(counted)).toBe(false);
    expect(seen).toBeLessThan(10_000);
  });

  it('of a list asks for an item when those before it were taken', () => {
    let asked = 0;
    const items = function* (): Generator<string> {
      for (; asked < 3;) {
        asked += 1;
        yield long;
      }
    };
    const pieces = listPieces(items());
    for (let text = ''; text.length < 100_000;) text += pieces.next().value;
    expect(asked).toBe(1);
    expect([...listPieces([])].join('')).toBe('[]');
    expect([...listPieces([1, undefined, 'a'])].join('')).toBe('[1,null,"a"]');
    expect([...withinPieces({ a: 1 }, 'list', [2])].join('')).toBe('{"a":1,"list":[2]}');
    expect([...withinPieces({}, 'list', [])].join('')).toBe('{"list":[]}');
  });
});

describe('the long texts of an item', () => {
  it('are cut, and said to be', () => {
    const item = { id: 'a', body: 'b'.repeat(10), text: 'c'.repeat(8), n: 1, deep: { body: 'd'.repeat(10) } };
    expect(cutTexts(item, 10)).toBe(item);
    expect(cutTexts(item, 9)).toEqual({ ...item, body: 'b'.repeat(8), truncated: { body: 10 } });
    expect(cutTexts(item, 7)).toEqual({
      ...item,
      body: 'bbbb',
      text: 'cccc',
      truncated: { body: 10, text: 8 },
    });
    expect(cutTexts({ body: `abc\u{1f600}` }, 4)).toEqual({ body: 'abc', truncated: { body: 5 } });
    for (const other of [null, 1, 'text', ['text']]) expect(cutTexts(other, 0)).toBe(other);
  });
});
