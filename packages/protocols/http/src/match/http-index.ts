import {
  isBucket,
  PathTree,
  withMock,
  withoutMock,
  type Candidates,
  type IndexedMock,
  type MockIndex,
} from '@backlot/core/plugin';
import type { CompiledHttp } from '../matcher.js';
import type { HttpMessage } from '../message.js';

/** Finds mocks by the segments of the path, so that what a request costs does not grow with the number of mocks. */
export class HttpIndex implements MockIndex<HttpMessage, CompiledHttp> {
  readonly #tree = new PathTree<Candidates<CompiledHttp>>();

  add(mock: IndexedMock<CompiledHttp>): void {
    this.#tree.change(mock.compiled.path.main, (held) => {
      const candidates = withMock(held, mock);
      mock.compiled.foundBy = candidates;
      if (held !== undefined && !isBucket(held)) held.compiled.foundBy = candidates;
      return candidates;
    });
  }

  remove(mock: IndexedMock<CompiledHttp>): void {
    this.#tree.change(mock.compiled.path.main, (held) => {
      const candidates = withoutMock(held, mock);
      if (candidates !== undefined && !isBucket(candidates)) candidates.compiled.foundBy = candidates;
      return candidates;
    });
  }

  find(message: HttpMessage, found: Candidates<CompiledHttp>[]): void {
    const start = found.length;
    this.#tree.find(message.split, found);
    message.noteFound(found, start);
  }
}
