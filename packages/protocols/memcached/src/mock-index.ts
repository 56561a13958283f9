import { ComposedIndex, PatternIndex, type Candidates, type Change } from '@backlot/core/plugin';
import type { CompiledMemcached } from './matcher.js';
import type { MemcachedMessage } from './message.js';

type Held = Candidates<CompiledMemcached>;

/** Finds mocks by their keys, with stars or without: what a look-up costs does not grow with their number. */
export class KeyMocks extends ComposedIndex<MemcachedMessage, CompiledMemcached> {
  readonly #keys = new PatternIndex<Held>();

  find({ path }: MemcachedMessage, found: Held[]): void {
    this.#keys.find(path, found);
  }

  protected change({ keyHints }: CompiledMemcached, change: Change<Held>): void {
    this.#keys.change(keyHints, change);
  }
}
