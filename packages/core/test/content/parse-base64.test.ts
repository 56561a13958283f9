import { expect, it } from '@jest/globals';
import { parseBase64 } from '../../src/content/compile-content.js';

it.each(['', 'AAEC', 'AAE=', 'AA==', ' AA\nEC '])('reads %j', (text) => {
  expect(parseBase64(text)).toEqual(Buffer.from(text, 'base64'));
});

it.each([
  'A',
  'AA',
  'AAE',
  '=',
  '==',
  'A===',
  'AA=A',
  'AAE=AAEC',
  'AA-_',
  '=AAA',
  'AA*C',
  'AAE\u0141',
  '\u0141AEC',
  'AAéC',
  'AAECAA=C',
  'AAECA*==',
])('refuses %j', (text) => {
  expect(() => parseBase64(text)).toThrow(/is not base64/);
});

it('reads a text of 48 million letters', () => {
  expect(parseBase64('AAEC'.repeat(12_000_000)).length).toBe(36_000_000);
});
