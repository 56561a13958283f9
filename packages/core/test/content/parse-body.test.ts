import { describe, expect, it } from '@jest/globals';
import { parseBody, readJsonBody } from '../../src/content/parse-body.js';

describe('a body as JSON', () => {
  it.each([
    ['{"a":1}', undefined, [{ a: 1 }]],
    ['{"a":1}', 'text/plain', [{ a: 1 }]],
    ['{"a":1}\n2', 'application/json', []],
    ['{"a":1}\n2', 'application/x-ndjson; charset=utf-8', [[{ a: 1 }, 2]]],
    ['1', 'Application/JSONL', [[1]]],
    ['\r\n 1 \r\n\n"a"\r\n', 'application/jsonl', [[1, 'a']]],
    ['[1\n2]', 'application/jsonl', []],
    ['1,2', 'application/jsonl', []],
    ['', 'application/jsonl', [[]]],
  ])('%j of type %s is %j', (text, type, wanted) => {
    expect(readJsonBody(text, type)).toEqual(wanted);
  });

  it('is the text where it is none, and bounded in lines', () => {
    expect(parseBody('nothing', undefined)).toBe('nothing');
    expect(parseBody('null', undefined)).toBeNull();
    const lines = (count: number): string => '1\n'.repeat(count);
    expect(readJsonBody(lines(100_000), 'application/jsonl')).toHaveLength(1);
    expect(readJsonBody(lines(100_001), 'application/jsonl')).toEqual([]);
  });
});
