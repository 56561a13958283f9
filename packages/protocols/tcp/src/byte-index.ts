import {
  insertByRank,
  removeByRank,
  type Bucket,
  type IndexedMock,
  type MockIndex,
} from '@backlot/core/plugin';
import { ByteTrie } from './byte-trie.js';
import type { CompiledTcp } from './matcher.js';
import type { TcpMessage } from './tcp-message.js';

/** Finds mocks with exact bytes by those, and keeps the patterns that only a test can tell apart. */
export class ByteIndex implements MockIndex<TcpMessage, CompiledTcp> {
  /** The exact mocks, for the framing that they decide. */
  readonly trie = new ByteTrie();
  readonly #others: Bucket<CompiledTcp> = [];

  add(mock: IndexedMock<CompiledTcp>): void {
    const { exact } = mock.compiled;
    if (exact === undefined) insertByRank(this.#others, mock);
    else this.trie.add(exact, mock);
  }

  remove(mock: IndexedMock<CompiledTcp>): void {
    const { exact } = mock.compiled;
    if (exact === undefined) removeByRank(this.#others, mock);
    else this.trie.remove(exact, mock);
  }

  find(message: TcpMessage, found: Bucket<CompiledTcp>[]): void {
    const exact = this.trie.get(message.body);
    if (exact !== undefined) found.push(exact.bucket);
    if (this.#others.length > 0 && !message.isExactOnly) found.push(this.#others);
  }
}
