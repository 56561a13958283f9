import { describe, expect, it } from '@jest/globals';
import { xorshift32 } from '@backlot/conformance';
import { LongText, PAGE } from '../src/data/long-text.js';
import { byteAt, lengthOf, LONG, replaceIn, withBytes, type Text } from '../src/data/text.js';

const SEEDS = [1, 2];

/** The pages, from which a changed string is told to have most in common with the one before. */
function pagesOf(text: Text): string[] {
  return typeof text === 'string' ? [text] : [...text.parts()];
}

/** The bytes, with zeros behind them up to a length. */
function grown(bytes: Buffer, length: number): Buffer {
  return length <= bytes.length ? bytes : Buffer.concat([bytes], length);
}

describe('a string that is changed', () => {
  it.each(SEEDS)('is what a text would be, however long it gets (seed %i)', (seed) => {
    const number = xorshift32(seed);
    let text: Text = '';
    // Bytes and no text: a text that is changed and looked at would be put together anew with each step.
    let model: Buffer = Buffer.alloc(0);
    for (let step = 0; step < 300; step += 1) {
      const kind = number(10);
      const room = model.length + (kind === 0 ? 3 * PAGE : 5);
      const place = kind < 3 ? model.length + number(room - model.length + 1) : number(room);
      const bytes = String.fromCharCode(number(256)).repeat(kind === 1 ? number(3 * PAGE) : 1 + number(9));
      if (kind < 9) {
        text = replaceIn(text, place, bytes);
        model = grown(model, place + bytes.length);
        model.write(bytes, place, 'latin1');
      } else {
        const length = place + 1;
        text = withBytes(
          text,
          length,
          new Map([
            [place, 7],
            [Math.floor(place / 2), 9],
          ]),
        );
        model = grown(model, length);
        model[place] = 7;
        model[Math.floor(place / 2)] = 9;
      }
      expect(lengthOf(text)).toBe(model.length);
      const seen = number(model.length + 2);
      expect(byteAt(text, seen)).toBe(model[seen] ?? Number.NaN);
      if (typeof text !== 'string' && step % 10 === 0) {
        const [start, end] = [number(model.length), number(model.length + 1)];
        expect([...text.parts(start, end)].join('') === model.toString('latin1', start, end)).toBe(true);
      }
    }
    expect(text).toBeInstanceOf(LongText);
    expect(text.toString() === model.toString('latin1')).toBe(true);
  });

  it('takes long bytes that come in pages, as others', () => {
    const number = xorshift32(7);
    const bytes = Array.from({ length: 5 * PAGE }, () => String.fromCharCode(number(256))).join('');
    for (const place of [0, 1, PAGE - 1, 3 * PAGE, 7 * PAGE + 5]) {
      const text = 'a'.repeat(4 * PAGE + 3);
      const changed = replaceIn(text, place, LongText.of(bytes)).toString();
      expect(
        changed === text.padEnd(place, '\0').slice(0, place) + bytes + text.slice(place + bytes.length),
      ).toBe(true);
    }
  });

  it('is a plain text as long as it is short', () => {
    let text: Text = replaceIn('', 3, 'abc');
    expect(text).toBe('\0\0\0abc');
    text = replaceIn(text, 6, 'x'.repeat(LONG - 7));
    expect(typeof text).toBe('string');
    expect(replaceIn(text, LONG - 1, 'y')).toBeInstanceOf(LongText);
  });

  it('has all pages but the changed ones in common with the one before, which stays as it was', () => {
    const before = LongText.of('a'.repeat(20 * PAGE));
    const after = before.replace(5 * PAGE - 1, 'bb');
    expect(pagesOf(after).flatMap((page, index) => (page.includes('b') ? [index] : []))).toEqual([4, 5]);
    expect(pagesOf(before).some((page) => page.includes('b'))).toBe(false);
    // Zeros behind the end are one page, seen often.
    expect(new Set(pagesOf(LongText.of('').replace(10 * PAGE, 'x')))).toEqual(
      new Set(['\0'.repeat(PAGE), 'x']),
    );
  });
});
