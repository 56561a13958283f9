import { expect, it } from '@jest/globals';
import { ABORTED, ASKED, FAULTED, UNMATCHED } from '../src/journal/ring.js';
import { Tally } from '../src/journal/tally.js';

it('counts by how exchanges ended, and by powers of two of the microseconds that they took', () => {
  const tally = new Tally();
  expect(tally.read(true)).toEqual([]);
  // Below 1 us, 1 us, 255 us, 256 us, and beyond what is told apart, days among it.
  for (const duration of [0.0005, 0.001, 0.255, 0.256, 16_777.216, 86_400_000_000])
    tally.add(ASKED, true, duration);
  const [matched] = tally.read(true);
  const full = Object.entries(matched?.buckets ?? []).filter(([, count]) => count > 0);
  expect(full).toEqual([
    ['0', 1],
    ['1', 1],
    ['8', 1],
    ['9', 1],
    ['25', 2],
  ]);
  expect(matched).toMatchObject({ outcome: 'matched', count: 6 });
  expect(matched?.milliseconds).toBeCloseTo(86_400_016_777.728, 2);
  tally.add(ASKED | UNMATCHED, false, 2);
  tally.add(ASKED | FAULTED, true, 2);
  tally.add(ASKED | FAULTED | ABORTED, true, 2);
  tally.add(0, false, 2);
  const outcomes = (needsMatch: boolean): unknown =>
    tally.read(needsMatch).map(({ outcome, count }) => [outcome, count]);
  const others = [
    ['fault', 1],
    ['aborted', 1],
  ];
  expect(outcomes(true)).toEqual([['matched', 6], ['unmatched', 1], ...others, ['own', 1]]);
  // What keeps data lacks no mock.
  expect(outcomes(false)).toEqual([['matched', 6], ...others, ['own', 2]]);
});
