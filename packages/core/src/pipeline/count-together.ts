import { messageOf } from '../errors.js';
import type { EffectiveMock } from '../mocks/live-mock.js';
import type { SharedCount } from '../mocks/shared-count.js';
import type { KindRuntime } from './runtime.js';

/** What asking for the number of a match has given: the number, that the mock is used up, or why neither is known. */
export type Numbered = { readonly number: number } | 'used up' | { readonly failure: string };

/** Counts a match of a mock on all replicas. The promise is never rejected. */
export async function countTogether(
  { kind, services, log }: KindRuntime,
  { id, limit }: EffectiveMock,
  shared: SharedCount,
): Promise<Numbered> {
  const { since } = shared;
  try {
    const number = await services.sharedCounts?.count({ space: services.space, kind, id, since, limit });
    shared.note(number ?? limit, since);
    return number === undefined ? 'used up' : { number };
  } catch (thrown) {
    const failure = `the matches of mock "${id}" cannot be counted: ${messageOf(thrown)}`;
    log.warn(failure);
    return { failure };
  }
}
