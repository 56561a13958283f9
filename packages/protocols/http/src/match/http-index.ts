import {
  insertByRank,
  PathTree,
  removeByRank,
  type Bucket,
  type IndexedMock,
  type MockIndex,
} from '@backlot/core/plugin';
import type { CompiledHttp } from '../matcher.js';
import type { HttpMessage } from '../message.js';

/** Finds mocks by the segments of the path, so that what a request costs does not grow with the number of mocks. */
export class HttpIndex implements MockIndex<HttpMessage, CompiledHttp> {
  readonly #tree = new PathTree<Bucket<CompiledHttp>>(() => []);

  add(mock: IndexedMock<CompiledHttp>): void {
    const bucket = this.#tree.bucket(mock.compiled.path.main);
    insertByRank(bucket, mock);
    mock.compiled.bucket = bucket;
  }

  remove(mock: IndexedMock<CompiledHttp>): void {
    const { main } = mock.compiled.path;
    removeByRank(this.#tree.bucket(main), mock);
    this.#tree.release(main, isEmpty);
  }

  find(message: HttpMessage, found: Bucket<CompiledHttp>[]): void {
    const start = found.length;
    this.#tree.find(message.split, found);
    message.noteFound(found, start);
  }
}

function isEmpty(bucket: Bucket<CompiledHttp>): boolean {
  return bucket.length === 0;
}
