import { sortSteps } from '@backlot/core/plugin';
import type { SortedSetValue } from '../../data/sorted-set-value.js';
import { STEP } from '../work.js';
import { cellsOf, distanceWithin, type Shape } from './geo-cells.js';
import { hashOf, MAX_STEP, pointOf, type Point } from './geo-hash.js';

/** A member that a search has found. */
export interface Found {
  readonly member: string;
  readonly score: number;
  readonly point: Point;
  /** Metres from the center. */
  readonly metres: number;
}

/** What a search gives. */
export interface SearchOptions {
  readonly shape: Shape;
  /** `undefined`: as they are found. */
  readonly order: 'ASC' | 'DESC' | undefined;
  /** 0: all. */
  readonly count: number;
  /** Whether it ends as soon as there are enough. */
  readonly isAny: boolean;
}

/** The members within a shape, found step by step. */
export function* search(
  set: SortedSetValue,
  { shape, order, count, isAny }: SearchOptions,
): Generator<undefined, Found[]> {
  const found: Found[] = [];
  let seen = 0;
  for (const cell of cellsOf(shape)) {
    if (isAny && found.length >= count) break;
    const scale = 4 ** (MAX_STEP - cell.step);
    const low = hashOf(cell) * scale;
    const start = set.firstWhere(({ score }) => score >= low);
    const end = set.firstWhere(({ score }) => score >= low + scale);
    for (const { member, score } of set.range(start, end)) {
      seen += 1;
      if (seen % STEP === 0) yield;
      const point = pointOf(score);
      const metres = distanceWithin(shape, point);
      if (metres === undefined) continue;
      found.push({ member, score, point, metres });
      if (isAny && found.length >= count) break;
    }
  }
  const sorted = order === undefined ? found : yield* sortSteps(found, compareBy(order));
  return count === 0 ? sorted : sorted.slice(0, count);
}

function compareBy(order: 'ASC' | 'DESC'): (one: Found, two: Found) => number {
  return (one, two) => (order === 'ASC' ? one.metres - two.metres : two.metres - one.metres);
}
