import {
  PatternIndex,
  withMock,
  withoutMock,
  type Candidates,
  type IndexedMock,
  type MockIndex,
} from '@backlot/core/plugin';
import type { CompiledMemcached } from './matcher.js';
import type { MemcachedMessage } from './memcached-message.js';

type Held = Candidates<CompiledMemcached>;

/** Finds mocks by their keys, with stars or without: what a look-up costs does not grow with their number. */
export class KeyMocks implements MockIndex<MemcachedMessage, CompiledMemcached> {
  readonly #keys = new PatternIndex<Held>();

  add(mock: IndexedMock<CompiledMemcached>): void {
    this.#keys.change(mock.compiled.keyHints, (held) => withMock(held, mock));
  }

  remove(mock: IndexedMock<CompiledMemcached>): void {
    this.#keys.change(mock.compiled.keyHints, (held) => withoutMock(held, mock));
  }

  find({ path }: MemcachedMessage, found: Held[]): void {
    this.#keys.find(path, found);
  }
}
