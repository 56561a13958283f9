import { describe, expect, it } from '@jest/globals';
import { sortByCloseness } from '../src/mocks/closeness.js';

const misses = (...reasons: string[]) => reasons.map((reason) => ({ mock_id: reason, reason }));
const sorted = (found: string[], others: string[]): string[] =>
  sortByCloseness(misses(...found), misses(...others)).map(({ reason }) => reason);

describe('sortByCloseness', () => {
  const other = 'path: got "/users/1", want "/health"';

  it('puts mocks first that fail by something else than what they are found by', () => {
    const regex = 'path: got "/users/1", want a match of "re:^/x"';
    const method = 'method: got "GET", want "POST"';
    const header = 'header X-A: absent, want "1"';
    expect(sorted([regex, method, header], [other])).toEqual([method, header, other, regex]);
  });

  it('then those whose text is most like what came', () => {
    const near = 'path: got "/users/1", want "/user/1"';
    const farther = 'path: got "/users/1", want "/users"';
    expect(sorted([], [other, farther, 'no such form', near])).toEqual([
      near,
      farther,
      other,
      'no such form',
    ]);
  });

  it('keeps the order of equals and takes nothing at all', () => {
    expect(sorted(['state a', 'state b'], [])).toEqual(['state a', 'state b']);
    expect(sorted([], [])).toEqual([]);
  });
});
