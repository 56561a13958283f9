import { expect, it } from '@jest/globals';
import { endOfJsonString } from '../../src/plugin.js';

it.each(['', 'a', '\\', '"', '\\"', 'a\\\\"b', '{[,]}', '\u2028', '\n\t'])(
  'a string that is %j ends at its quote',
  (value) => {
    const before = '{"key": ';
    const written = JSON.stringify(value);
    const text = `${before}${written}, "next": "\\""}`;
    expect(endOfJsonString(text, before.length)).toBe(before.length + written.length - 1);
  },
);

it('a string without an end ends with the text', () => {
  for (const text of ['"', '"abc', '"abc\\"', '"\\\\\\"']) expect(endOfJsonString(text, 0)).toBe(text.length);
});
