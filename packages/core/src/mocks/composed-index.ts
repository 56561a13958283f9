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
 * An index of mocks made of others: {@link ExactIndex} for values that mocks name, {@link PatternIndex} for texts with
 * stars, {@link PathTree} for paths. A kind says where a mock belongs, once, and where to look for a message.
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
   * Passes `change` on to the index, or to each of the indexes, that holds such a mock. It must choose by the mock alone,
   * since a mock is taken out where it was put in.
   */
  protected abstract change(compiled: C, change: Change<Candidates<C>>): void;
}
