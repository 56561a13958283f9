import { expect, it } from '@jest/globals';
import { endOfText } from '../src/content/parse-large-json.js';

/** The same numbers below 4 in each run. */
function* below4(): Generator<number, never> {
  for (let state = 1; ; state = (state * 48_271) % 2_147_483_647) yield (state >> 8) % 4;
}

it('finds the end of a long text wherever backslashes and quotes stand', () => {
  const numbers = below4();
  for (let length = 0; length < 400; length += 1) {
    const value = Array.from(
      { length },
      () => ['x', '"', '\\', 'xxxxxxxxxxxxxxxx'][numbers.next().value],
    ).join('');
    const text = JSON.stringify(value);
    expect(endOfText(` ${text}"`, 1)).toBe(text.length);
    // A text that was cut off may end in half an escape.
    expect(endOfText(text.slice(0, -1), 0)).toBeGreaterThanOrEqual(text.length - 1);
  }
  expect(endOfText(`"${'x'.repeat(100)}`, 0)).toBe(101);
});
