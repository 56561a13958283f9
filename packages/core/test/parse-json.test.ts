import { describe, expect, it } from '@jest/globals';
import { parseJson } from '../src/patterns/parse-json.js';

const list = (count: number, item: string): string => `[${Array.from({ length: count }, () => item).join()}]`;

describe('JSON that a client has sent', () => {
  it('is its value, or nothing', () => {
    expect(parseJson('null')).toEqual([null]);
    expect(parseJson('{"a": [1]}')).toEqual([{ a: [1] }]);
    expect(parseJson('{')).toEqual([]);
  });

  it('is not parsed when it is long and holds very many values', () => {
    expect(parseJson(list(199_000, '"abc"'))).toHaveLength(1);
    expect(parseJson(list(201_000, '"abc"'))).toHaveLength(0);
    expect(parseJson(list(201_000, '1'))).toHaveLength(1);
    expect(parseJson('{"a":'.repeat(201_000) + '1' + '}'.repeat(201_000))).toHaveLength(0);
  });

  it('may hold any number of commas in its texts', () => {
    const text = JSON.stringify({ a: ',[{"\\'.repeat(400_000), b: '\\\\'.repeat(100_000), c: '"' });
    expect(parseJson(text)).toEqual([JSON.parse(text)]);
    expect(parseJson(`["${'a,'.repeat(600_000)}`)).toEqual([]);
  });
});
