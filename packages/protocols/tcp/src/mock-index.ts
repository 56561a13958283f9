import {
  withMock,
  withoutMock,
  type Candidates,
  type IndexedMock,
  type MockIndex,
} from '@backlot/core/plugin';
import { ByteTrie } from './byte-trie.js';
import type { CompiledTcp } from './matcher.js';
import type { TcpMessage } from './message.js';

type Held = Candidates<CompiledTcp>;

/** Finds mocks with exact bytes by those, and keeps the patterns that only a test can tell apart. */
export class ByteIndex implements MockIndex<TcpMessage, CompiledTcp> {
  /** The exact mocks, for the framing that they decide. */
  readonly trie = new ByteTrie();
  #others: Held | undefined;

  add(mock: IndexedMock<CompiledTcp>): void {
    const { exact } = mock.compiled;
    if (exact === undefined) this.#others = withMock(this.#others, mock);
    else this.trie.add(exact, mock);
  }

  remove(mock: IndexedMock<CompiledTcp>): void {
    const { exact } = mock.compiled;
    if (exact === undefined) this.#others = withoutMock(this.#others, mock);
    else this.trie.remove(exact, mock);
  }

  find(message: TcpMessage, found: Held[]): void {
    const exact = this.trie.get(message.body)?.mocks;
    if (exact !== undefined) found.push(exact);
    if (this.#others !== undefined && !message.isExactOnly) found.push(this.#others);
  }
}
