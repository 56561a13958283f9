import type { CompiledMock } from './matcher.js';
import type { Message } from './message.js';
import type { LiveMock } from './outcome.js';

/**
 * A mock in effect as an index holds it. Mocks rank by `priority`, the higher first, and then by `position`: see
 * {@link ranksBefore}.
 */
export interface IndexedMock<C = unknown> extends LiveMock<unknown, C> {
  readonly priority: number;
  readonly position: number;
}

/** Mocks that an index holds under one key, in rank order. */
export type Bucket<C = unknown> = IndexedMock<C>[];

/**
 * The mocks that an index holds under one key: the mock itself when there is one, which spares reading an array, else a
 * bucket.
 */
export type Candidates<C = unknown> = IndexedMock<C> | Bucket<C>;

/** Gives what an index should hold under a key in place of `held`; `undefined` is nothing, before and after. */
export type Change<H> = (held: H | undefined) => H | undefined;

/**
 * Finds the mocks that may match a message, the candidates; `test` decides among them. The cost of `find` must not grow
 * with the number of mocks that differ in what the index looks at.
 */
export interface MockIndex<M extends Message, C extends CompiledMock<M>> {
  add(mock: IndexedMock<C>): void;
  /** Takes out a mock that was added. */
  remove(mock: IndexedMock<C>): void;
  /** Appends to `found` all candidates of the message. No mock that could match may be missing. */
  find(message: M, found: Candidates<C>[]): void;
}

/** Whether mock `a` is asked before mock `b`. */
export function ranksBefore(a: IndexedMock, b: IndexedMock): boolean {
  return a.priority > b.priority || (a.priority === b.priority && a.position < b.position);
}

/** The candidates with one more mock, at its place in rank order; a bucket is changed in place. */
export function withMock<C>(held: Candidates<C> | undefined, mock: IndexedMock<C>): Candidates<C> {
  if (held === undefined) return mock;
  const bucket = isBucket(held) ? held : [held];
  const last = bucket[bucket.length - 1];
  // Constant time for the common case of a mock that ranks last.
  if (last === undefined || ranksBefore(last, mock)) bucket.push(mock);
  else bucket.splice(findPlace(bucket, mock), 0, mock);
  return bucket;
}

/** The candidates without a mock, `undefined` when none is left; a bucket is changed in place. */
export function withoutMock<C>(
  held: Candidates<C> | undefined,
  mock: IndexedMock<C>,
): Candidates<C> | undefined {
  if (held === undefined || !isBucket(held)) return held === mock ? undefined : held;
  let place = held[held.length - 1] === mock ? held.length - 1 : findPlace(held, mock);
  // Two versions of one mock have the same rank while one takes the other's place.
  for (let other = held[place]; other !== undefined && other !== mock; other = held[place]) {
    if (ranksBefore(mock, other)) break;
    place += 1;
  }
  if (held[place] === mock) held.splice(place, 1);
  return held.length > 1 ? held : held[0];
}

/** Whether candidates are a bucket, and not a single mock. */
export function isBucket<C>(candidates: Candidates<C>): candidates is Bucket<C> {
  return Array.isArray(candidates);
}

/** The candidates as a list in rank order. A bucket is given as it is, so it must not be changed. */
export function listMocks<C>(candidates: Candidates<C> | undefined): readonly IndexedMock<C>[] {
  if (candidates === undefined) return [];
  return isBucket(candidates) ? candidates : [candidates];
}

function findPlace(bucket: readonly IndexedMock[], mock: IndexedMock): number {
  let low = 0;
  let high = bucket.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = bucket[middle];
    if (other !== undefined && ranksBefore(other, mock)) low = middle + 1;
    else high = middle;
  }
  return low;
}
