import {
  ComposedIndex,
  listMocks,
  PathTree,
  ranksBefore,
  type Candidates,
  type Change,
  type IndexedMock,
} from '@backlot/core/plugin';
import type { CompiledCoap } from './matcher.js';
import type { CoapMessage } from './message.js';

type Held = Candidates<CompiledCoap>;

/** Finds mocks by the segments of the path, so that what a request costs does not grow with the number of mocks. */
export class CoapIndex extends ComposedIndex<CoapMessage, CompiledCoap> {
  readonly #tree = new PathTree<Held>();

  find(message: CoapMessage, found: Held[]): void {
    this.#tree.find(message.split, found);
  }

  /** The first mock that fits a message and passes a condition; nothing is counted. */
  findFirst(
    message: CoapMessage,
    isEligible: (mock: IndexedMock<CompiledCoap>) => boolean,
  ): IndexedMock<CompiledCoap> | undefined {
    const found: Held[] = [];
    this.find(message, found);
    let first: IndexedMock<CompiledCoap> | undefined;
    for (const candidates of found) {
      for (const mock of listMocks(candidates)) {
        if (first !== undefined && !ranksBefore(mock, first)) break;
        if (isEligible(mock) && mock.compiled.test(message) === true) first = mock;
      }
    }
    return first;
  }

  protected change({ path }: CompiledCoap, change: Change<Held>): void {
    this.#tree.change(path, change);
  }
}
