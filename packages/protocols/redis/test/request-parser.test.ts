import { describe, expect, it } from '@jest/globals';
import { ProtocolError, RequestParser } from '../src/wire/request-parser.js';
import { toWire } from '../src/wire/text.js';
import { encode } from './support.js';

function makeParser(maxRequest = 1_000_000): RequestParser {
  return new RequestParser({ maxRequest, isTrusted: () => true });
}

/** The requests in a text that comes in such pieces; an error is the last of them. */
function readPieces(pieces: readonly string[], parser = makeParser()): readonly unknown[] {
  const found: unknown[] = [];
  try {
    for (const piece of pieces) {
      parser.feed(Buffer.from(piece, 'latin1'));
      for (let args = parser.next(); args !== undefined; args = parser.next()) found.push(args);
    }
  } catch (thrown) {
    if (!(thrown instanceof ProtocolError)) throw thrown;
    found.push(thrown.message);
  }
  return found;
}

const NINE = Array.from({ length: 9 }, (_, index) => String(index));
const REQUESTS: readonly (readonly string[])[] = [
  ['GET', 'key:000000000001'],
  ['get', ''],
  ['', ''],
  ['PING'],
  ['SET', 'a\r\nb', '\xff\x00'],
  ['SET', 'long', 'x'.repeat(999)],
  ['SET', 'longer', 'x'.repeat(1000)],
  NINE,
  [...NINE, '9'],
  ['A'.repeat(33), 'k'],
];

describe('requests', () => {
  const wanted = REQUESTS.map((args) => args.map(toWire));
  const all = REQUESTS.map((args) => encode(...args)).join('');

  it('are the same as a whole and cut anywhere', () => {
    expect(readPieces([all])).toEqual(wanted);
    expect(readPieces([...all])).toEqual(wanted);
    for (let cut = 1; cut < 250; cut += 1)
      expect(readPieces([all.slice(0, cut), all.slice(cut)])).toEqual(wanted);
  });

  it.each([
    ['*1\r\n+PING\r\n', "expected '$', got '+'"],
    ['*1\r\n$\r\nPING\r\n', 'invalid bulk length'],
    ['*1\r\n$-1\r\nPING\r\n', 'invalid bulk length'],
    ['*1\r\n$4x\r\nPING\r\n', 'invalid bulk length'],
    ['*x\r\n$4\r\nPING\r\n', 'invalid multibulk length'],
  ])('%j is refused', (request, message) => {
    expect(readPieces([request])).toEqual([message]);
  });

  it('may have more digits than they need', () => {
    expect(readPieces(['*01\r\n$0004\r\nPING\r\n*1\r\n$004\r\nPING\r\n'])).toEqual([['PING'], ['PING']]);
  });

  it('are refused when short ones are too large together', () => {
    const parser = makeParser(200);
    expect(readPieces([encode('SET', 'k', 'x'.repeat(150))], parser)).toEqual(['invalid bulk length']);
  });
});
