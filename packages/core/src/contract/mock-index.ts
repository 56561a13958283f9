import type { CompiledMock } from './matcher.js';
import type { Message } from './message.js';
import type { LiveMock } from './outcome.js';

/** A mock in effect as an index holds it: `rank` orders them. */
export interface IndexedMock<C = unknown> extends LiveMock<unknown, C> {
  readonly priority: number;
  readonly position: number;
}

/** Mocks under one index key, first to be asked first. */
export type Bucket<C = unknown> = IndexedMock<C>[];

/** The mocks under one index key: the only one itself, which spares reading an array, or a bucket of several. */
export type Candidates<C = unknown> = IndexedMock<C> | Bucket<C>;

/** Gives what an index is to hold in place of what it held; `undefined` to hold nothing. */
export type Change<H> = (held: H | undefined) => H | undefined;

/**
 * Finds the mocks that can match a message. The cost of `find` must not grow with the number of mocks that differ
 * in what the index looks at.
 */
export interface MockIndex<M extends Message, C extends CompiledMock<M>> {
  add(mock: IndexedMock<C>): void;
  remove(mock: IndexedMock<C>): void;
  /** Appends the candidates among which a match can be to `found`; empty buckets may be left out. */
  find(message: M, found: Candidates<C>[]): void;
}

/** Whether the first mock is asked before the second. */
export function ranksBefore(a: IndexedMock, b: IndexedMock): boolean {
  return a.priority > b.priority || (a.priority === b.priority && a.position < b.position);
}

/** The candidates with one more mock; a bucket that is there is changed in place. */
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
  const place = held[held.length - 1] === mock ? held.length - 1 : findPlace(held, mock);
  if (held[place] === mock) held.splice(place, 1);
  return held.length > 1 ? held : held[0];
}

/** Whether several mocks share the key. */
export function isBucket<C>(candidates: Candidates<C>): candidates is Bucket<C> {
  return Array.isArray(candidates);
}

/** The candidates as a list, first to be asked first; what was given, or a list of its own. */
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
