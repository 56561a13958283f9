import {
  insertByRank,
  removeByRank,
  type Bucket,
  type IndexedMock,
  type MockIndex,
} from '@backlot/core/plugin';
import type { DnsMessage } from './dns-message.js';
import type { CompiledDns } from './matcher.js';
import { nextDot } from './wire/name.js';

type Buckets = Map<string, Bucket<CompiledDns>>;

/**
 * Finds mocks by name: exact names in one map, `*.suffix` in another that is asked once per label, and the patterns
 * that only a test can tell.
 */
export class NameIndex implements MockIndex<DnsMessage, CompiledDns> {
  readonly #exact: Buckets = new Map();
  readonly #suffixes: Buckets = new Map();
  readonly #others: Bucket<CompiledDns> = [];

  add(mock: IndexedMock<CompiledDns>): void {
    const { exact, suffix } = mock.compiled;
    if (exact !== undefined) addTo(this.#exact, exact, mock);
    else if (suffix !== undefined) addTo(this.#suffixes, suffix, mock);
    else insertByRank(this.#others, mock);
  }

  remove(mock: IndexedMock<CompiledDns>): void {
    const { exact, suffix } = mock.compiled;
    if (exact !== undefined) removeFrom(this.#exact, exact, mock);
    else if (suffix !== undefined) removeFrom(this.#suffixes, suffix, mock);
    else removeByRank(this.#others, mock);
  }

  find(message: DnsMessage, found: Bucket<CompiledDns>[]): void {
    const { key } = message;
    const exact = this.#exact.get(key);
    if (exact !== undefined) found.push(exact);
    if (this.#suffixes.size > 0) {
      for (let dot = nextDot(key, 0); dot >= 0; dot = nextDot(key, dot + 1)) {
        const below = this.#suffixes.get(key.slice(dot + 1));
        if (below !== undefined) found.push(below);
      }
    }
    if (this.#others.length > 0) found.push(this.#others);
  }
}

function addTo(buckets: Buckets, key: string, mock: IndexedMock<CompiledDns>): void {
  let bucket = buckets.get(key);
  if (bucket === undefined) buckets.set(key, (bucket = []));
  insertByRank(bucket, mock);
}

function removeFrom(buckets: Buckets, key: string, mock: IndexedMock<CompiledDns>): void {
  const bucket = buckets.get(key);
  if (bucket === undefined) return;
  removeByRank(bucket, mock);
  if (bucket.length === 0) buckets.delete(key);
}
