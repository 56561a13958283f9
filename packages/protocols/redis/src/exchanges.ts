import { runInSlices, type ExchangeFor } from '@backlot/core/plugin';
import type { Step } from './executor.js';
import type { RedisShape } from './shape.js';

export type Exchanges = readonly ExchangeFor<RedisShape>[];

/** The exchanges of those steps that have one. */
export function exchangesOf(steps: readonly Step[]): Exchanges {
  return steps.flatMap(({ exchange }) => exchange ?? []);
}

/** Tells, in slices, that the client of these exchanges has left. */
export function abortAll(exchanges: Exchanges): void {
  void runInSlices(abortEach(exchanges));
}

function* abortEach(exchanges: Exchanges): Generator<undefined, void> {
  for (const exchange of exchanges) {
    exchange.abort();
    yield;
  }
}
