import type { CompiledMock } from './matcher.js';
import type { Message } from './message.js';
import type { LiveMock } from './outcome.js';

/** A mock in effect as an index holds it: `rank` orders them. */
export interface IndexedMock<C = unknown> extends LiveMock<unknown, C> {
  readonly priority: number;
  readonly position: number;
}

/** Mocks under one index key, first to be asked first. Kept sorted by {@link insertByRank}. */
export type Bucket<C = unknown> = IndexedMock<C>[];

/** The mocks under one index key: the only one itself, which spares reading an array, or a bucket of several. */
export type Candidates<C = unknown> = IndexedMock<C> | Bucket<C>;

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

/** Puts a mock at its place in a bucket: constant time for the common case of a mock that ranks last. */
export function insertByRank<C>(bucket: Bucket<C>, mock: IndexedMock<C>): void {
  const last = bucket[bucket.length - 1];
  if (last === undefined || ranksBefore(last, mock)) {
    bucket.push(mock);
    return;
  }
  bucket.splice(findPlace(bucket, mock), 0, mock);
}

/** The candidates with one more mock; a bucket that is there is changed in place. */
export function withMock<C>(held: Candidates<C> | undefined, mock: IndexedMock<C>): Candidates<C> {
  if (held === undefined) return mock;
  const bucket = isBucket(held) ? held : [held];
  insertByRank(bucket, mock);
  return bucket;
}

/** The candidates without a mock, `undefined` when none is left; a bucket is changed in place. */
export function withoutMock<C>(
  held: Candidates<C> | undefined,
  mock: IndexedMock<C>,
): Candidates<C> | undefined {
  if (held === undefined || !isBucket(held)) return held === mock ? undefined : held;
  removeByRank(held, mock);
  return held.length > 1 ? held : held[0];
}

/** Whether several mocks share the key. */
export function isBucket<C>(candidates: Candidates<C>): candidates is Bucket<C> {
  return Array.isArray(candidates);
}

/** Takes a mock out of a bucket. */
export function removeByRank<C>(bucket: Bucket<C>, mock: IndexedMock<C>): void {
  const place = bucket[bucket.length - 1] === mock ? bucket.length - 1 : findPlace(bucket, mock);
  if (bucket[place] === mock) bucket.splice(place, 1);
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
