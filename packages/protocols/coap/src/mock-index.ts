import {
  isBucket,
  PathTree,
  ranksBefore,
  withMock,
  withoutMock,
  type Candidates,
  type IndexedMock,
  type MockIndex,
} from '@backlot/core/plugin';
import type { CompiledCoap } from './matcher.js';
import type { CoapMessage } from './message.js';

/** Finds mocks by the segments of the path, so that what a request costs does not grow with the number of mocks. */
export class CoapIndex implements MockIndex<CoapMessage, CompiledCoap> {
  readonly #tree = new PathTree<Candidates<CompiledCoap>>();

  add(mock: IndexedMock<CompiledCoap>): void {
    this.#tree.change(mock.compiled.path, (held) => withMock(held, mock));
  }

  remove(mock: IndexedMock<CompiledCoap>): void {
    this.#tree.change(mock.compiled.path, (held) => withoutMock(held, mock));
  }

  find(message: CoapMessage, found: Candidates<CompiledCoap>[]): void {
    this.#tree.find(message.split, found);
  }

  /** The first mock that fits a message and passes a condition; nothing is counted. */
  findFirst(
    message: CoapMessage,
    isEligible: (mock: IndexedMock<CompiledCoap>) => boolean,
  ): IndexedMock<CompiledCoap> | undefined {
    const found: Candidates<CompiledCoap>[] = [];
    this.find(message, found);
    let first: IndexedMock<CompiledCoap> | undefined;
    for (const candidates of found) {
      for (const mock of isBucket(candidates) ? candidates : [candidates]) {
        if (first !== undefined && !ranksBefore(mock, first)) break;
        if (isEligible(mock) && mock.compiled.test(message) === true) first = mock;
      }
    }
    return first;
  }
}
