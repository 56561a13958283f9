import { ComposedIndex, PathTree, type Candidates, type Change } from '@backlot/core/plugin';
import type { CompiledHttp } from './matcher.js';
import type { HttpMessage } from './message.js';

type Held = Candidates<CompiledHttp>;

/** Finds mocks by the segments of the path, so that what a request costs does not grow with the number of mocks. */
export class HttpIndex extends ComposedIndex<HttpMessage, CompiledHttp> {
  readonly #tree = new PathTree<Held>();

  find({ split }: HttpMessage, found: Held[]): void {
    this.#tree.find(split, found);
  }

  protected change({ paths }: CompiledHttp, change: Change<Held>): void {
    for (const path of paths) this.#tree.change(path, change);
  }
}
