import { Type } from '@backlot/core/plugin';
import { describe, expect, it } from '@jest/globals';
import { readValueSteps, tooDeepSteps } from '../src/config/read-values.js';

/** How often others are let in, and what comes out. */
function run<Result>(steps: Generator<undefined, Result>): {
  readonly pauses: number;
  readonly result: Result;
} {
  for (let pauses = 0; ; pauses += 1) {
    const next = steps.next();
    if (next.done === true) return { pauses, result: next.value };
  }
}

describe('a file of very many keys', () => {
  it('lets others in while one object is looked through', () => {
    const keys = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`key-${n}`, 'x']));
    expect(run(tooDeepSteps({ state: keys }))).toEqual({ pauses: 10, result: undefined });
  });

  it('is told by its pointer what is nested too deeply', () => {
    let deep: unknown = 'x';
    for (let n = 0; n < 100; n += 1) deep = { 'a/~b': deep };
    expect(run(tooDeepSteps([{}, deep])).result).toBeUndefined();
    expect(run(tooDeepSteps([{}, { deep }])).result).toBe(`/1/deep${'/a~1~0b'.repeat(99)}`);
  });

  it('is read as it is where all are texts, and else as the schema means it', () => {
    const reader = {
      text: (_: string, value: number | boolean) => `text ${String(value)}`,
      typed: (_: string, value: string) => value,
      path: (pointer: string, value: string) => `${pointer} ${value}`,
      file: () => undefined,
    };
    const read = (value: unknown, ofValues = Type.String()): unknown =>
      run(readValueSteps(value, Type.Record(Type.String(), ofValues), reader)).result;
    const texts = { a: '1', b: '' };
    expect(read(texts)).toBe(texts);
    expect(read({ a: '1', b: 2, c: null })).toEqual({ a: '1', b: 'text 2' });
    expect(read(texts, Type.String({ format: 'path' }))).toEqual({ a: '/a 1', b: '/b ' });
  });
});
