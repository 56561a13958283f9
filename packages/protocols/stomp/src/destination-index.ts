import {
  insertByRank,
  removeByRank,
  type Bucket,
  type IndexedMock,
  type MockIndex,
} from '@backlot/core/plugin';
import { MAX_INDEXED_BODY, type CompiledStomp } from './matcher.js';
import type { StompMessage } from './stomp-message.js';

type Mock = IndexedMock<CompiledStomp>;
type Buckets = Map<string, Bucket<CompiledStomp>>;

/**
 * Finds mocks by what they say exactly: destination and short body, destination alone, or the beginning of the
 * destination. Only mocks that say none of it are asked one by one.
 */
export class DestinationIndex implements MockIndex<StompMessage, CompiledStomp> {
  readonly #bodies: Buckets = new Map();
  readonly #destinations: Buckets = new Map();
  readonly #prefixes: Buckets = new Map();
  /** How many prefixes there are of each length. */
  readonly #lengths = new Map<number, number>();
  readonly #others: Bucket<CompiledStomp> = [];

  add(mock: Mock): void {
    const { destination, prefix, body } = mock.compiled;
    if (destination !== undefined && body !== undefined)
      addTo(this.#bodies, bodyKey(destination, body), mock);
    else if (destination !== undefined) addTo(this.#destinations, destination, mock);
    else if (prefix === undefined) insertByRank(this.#others, mock);
    else if (addTo(this.#prefixes, prefix, mock))
      this.#lengths.set(prefix.length, (this.#lengths.get(prefix.length) ?? 0) + 1);
  }

  remove(mock: Mock): void {
    const { destination, prefix, body } = mock.compiled;
    if (destination !== undefined && body !== undefined)
      removeFrom(this.#bodies, bodyKey(destination, body), mock);
    else if (destination !== undefined) removeFrom(this.#destinations, destination, mock);
    else if (prefix === undefined) removeByRank(this.#others, mock);
    else if (removeFrom(this.#prefixes, prefix, mock)) {
      const left = (this.#lengths.get(prefix.length) ?? 0) - 1;
      if (left > 0) this.#lengths.set(prefix.length, left);
      else this.#lengths.delete(prefix.length);
    }
  }

  find(message: StompMessage, found: Bucket<CompiledStomp>[]): void {
    const { path } = message;
    const exact = this.#destinations.get(path);
    if (exact !== undefined) found.push(exact);
    if (this.#bodies.size > 0 && message.body.length <= MAX_INDEXED_BODY) {
      const both = this.#bodies.get(bodyKey(path, message.text));
      if (both !== undefined) found.push(both);
    }
    for (const length of this.#lengths.keys()) {
      const below = length <= path.length ? this.#prefixes.get(path.slice(0, length)) : undefined;
      if (below !== undefined) found.push(below);
    }
    if (this.#others.length > 0) found.push(this.#others);
  }
}

/** Two different pairs with one key would only share a bucket. */
function bodyKey(destination: string, body: string): string {
  return `${destination}\n${body}`;
}

/** @returns whether the bucket is new */
function addTo(buckets: Buckets, key: string, mock: Mock): boolean {
  const bucket = buckets.get(key);
  if (bucket === undefined) buckets.set(key, [mock]);
  else insertByRank(bucket, mock);
  return bucket === undefined;
}

/** @returns whether the bucket is gone */
function removeFrom(buckets: Buckets, key: string, mock: Mock): boolean {
  const bucket = buckets.get(key);
  if (bucket === undefined) return false;
  removeByRank(bucket, mock);
  if (bucket.length > 0) return false;
  return buckets.delete(key);
}
