import { describe, expect, it } from '@jest/globals';
import { readJson } from '../src/client/read-json.js';

/** A stream of a text, so many bytes at a time. */
async function* inChunks(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  await Promise.resolve();
}

const VALUES: readonly unknown[] = [
  [],
  [[]],
  [1, -2.5e3, true, false, null, 'a'],
  ['', '"', '\\', '\\"', ',', '[', ']', '{', '}', '\n', 'zoë ☃ \u{1f600}', '\u0000'],
  [{ a: [1, { b: ']' }], ',': '{' }, [[[], {}]], 'x'.repeat(1000)],
  {},
  { a: [1, 2] },
  null,
  'text',
  12,
];

describe('a JSON value of a stream', () => {
  it.each(VALUES.map((value) => [JSON.stringify(value)]))('is %s in chunks of any size', async (text) => {
    for (const written of [text, JSON.stringify(JSON.parse(text), null, 2), ` ${text} `, `${text}\n`]) {
      for (const size of [1, 2, 3, 7, 100_000]) {
        expect(await readJson(inChunks(written, size))).toEqual(JSON.parse(text));
      }
    }
  });

  it.each([
    '',
    ' ',
    '[',
    '[1',
    '[1,',
    '[1,]',
    '[,]',
    '[,1]',
    '[1]]',
    '[1] 2',
    '[1}',
    '[1}}',
    '["a]',
    '[{]',
    'x',
    '{',
  ])('is none in %j', async (text) => {
    for (const size of [1, 100]) {
      await expect(readJson(inChunks(text, size))).rejects.toThrow(SyntaxError);
    }
  });
});
