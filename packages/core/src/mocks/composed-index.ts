import type { CompiledMock } from '../contract/matcher.js';
import type { Message } from '../contract/message.js';
import {
  withMock,
  withoutMock,
  type Candidates,
  type Change,
  type IndexedMock,
  type MockIndex,
} from '../contract/mock-index.js';

/**
 * The base of a kind's index that is put together from others: {@link ExactIndex} for values that mocks name,
 * {@link PatternIndex} for texts with stars, {@link PathTree} for paths. A subclass says where a mock is held, in
 * `change`, and where the candidates of a message are, in `find`.
 */
export abstract class ComposedIndex<M extends Message, C extends CompiledMock<M>> implements MockIndex<M, C> {
  add(mock: IndexedMock<C>): void {
    this.change(mock.compiled, (held) => withMock(held, mock));
  }

  remove(mock: IndexedMock<C>): void {
    this.change(mock.compiled, (held) => withoutMock(held, mock));
  }

  abstract find(message: M, found: Candidates<C>[]): void;

  /**
   * Passes `change` on to the index, or to each of the indexes, that holds such a mock. The choice must depend on the
   * mock alone: it is made once to add the mock and once to remove it, and both must come to the same place.
   */
  protected abstract change(compiled: C, change: Change<Candidates<C>>): void;
}
