import { describe, expect, it } from '@jest/globals';
import { problemOf, type PrivateName } from '../src/private-names.js';

const LIBRARY = { _receive: () => undefined, _limit: 5 };

function problem(name: string, more: Partial<PrivateName> = {}): Promise<string | undefined> {
  const find = (): unknown => (LIBRARY as Record<string, unknown>)[name];
  return problemOf({ name, use: 'reads frames, in src/wire.ts', find, ...more });
}

describe('a private name', () => {
  it('that is there is no problem', async () => {
    expect(await problem('_receive')).toBeUndefined();
    expect(await problem('_limit', { type: 'number' })).toBeUndefined();
  });

  it('that has moved is told with what it was for', async () => {
    const gone = 'It reads frames, in src/wire.ts; look up in the library what does that now.';
    expect(await problem('_take')).toBe(`has no _take. ${gone}`);
    const find = (): Promise<never> => Promise.reject(new Error('no such file'));
    expect(await problem('_take', { find })).toBe(`has no _take (no such file). ${gone}`);
  });

  it('that has become something else is told too', async () => {
    expect(await problem('_limit')).toMatch(/^has a _limit that is a number, not a function\. It reads/);
  });
});
