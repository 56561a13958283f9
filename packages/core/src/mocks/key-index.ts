import type { CompiledMock } from '../contract/matcher.js';
import type { Message } from '../contract/message.js';
import {
  insertByRank,
  removeByRank,
  type Bucket,
  type IndexedMock,
  type MockIndex,
} from '../contract/mock-index.js';

/** The key of mocks that give none. */
export const ANY_KEY = '*';

/** The index of kinds that declare `keys`: one bucket per key. */
export class KeyIndex implements MockIndex<Message, CompiledMock<Message>> {
  readonly #buckets = new Map<string, Bucket<CompiledMock<Message>>>();
  readonly #keysOf: ((message: Message) => readonly string[]) | undefined;

  constructor(keysOf: ((message: Message) => readonly string[]) | undefined) {
    this.#keysOf = keysOf;
  }

  add(mock: IndexedMock<CompiledMock<Message>>): void {
    const key = mock.compiled.key ?? ANY_KEY;
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) this.#buckets.set(key, (bucket = []));
    insertByRank(bucket, mock);
  }

  remove(mock: IndexedMock<CompiledMock<Message>>): void {
    const key = mock.compiled.key ?? ANY_KEY;
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return;
    removeByRank(bucket, mock);
    if (bucket.length === 0) this.#buckets.delete(key);
  }

  find(message: Message, found: Bucket<CompiledMock<Message>>[]): void {
    if (this.#keysOf === undefined) {
      const bucket = this.#buckets.get(ANY_KEY);
      if (bucket !== undefined) found.push(bucket);
      return;
    }
    for (const key of this.#keysOf(message)) {
      const bucket = this.#buckets.get(key);
      if (bucket !== undefined) found.push(bucket);
    }
  }
}
