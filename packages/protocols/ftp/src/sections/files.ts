import {
  invalid,
  readGivenBytes,
  runInSlices,
  showBytes,
  type DataEntry,
  type DataSection,
  type Json,
} from '@backlot/core/plugin';
import { contentFields } from '../files/content-fields.js';
import type { FileTree } from '../files/file-tree.js';
import { joinNames, parentOf, ROOT, splitNames } from '../files/path.js';
import { formatMode } from '../files/permissions.js';
import { walkDirectories, type FileIndex } from '../mock-index.js';
import { ReplyError } from '../reply-error.js';

/** The files of the tree, for people. */
export class FileSection implements DataSection {
  readonly #tree: FileTree;
  readonly #index: FileIndex;

  constructor(tree: FileTree, index: FileIndex) {
    this.#tree = tree;
    this.#index = index;
  }

  get size(): number {
    let size = 0;
    for (const { directory } of walkDirectories(this.#index.root, ROOT)) size += directory.files.size;
    return size;
  }

  *entries(): Generator<DataEntry> {
    for (const { directory, path } of walkDirectories(this.#index.root, ROOT)) {
      for (const name of directory.files.keys()) {
        const entry = this.find(joinNames([...splitNames(path), name]));
        if (entry !== undefined) yield entry;
      }
    }
  }

  find(id: string): DataEntry | undefined {
    const path = joinNames(splitNames(id));
    if (this.#tree.lookUp(path) === undefined) return undefined;
    return { id: path, read: () => this.#show(path) };
  }

  async put(given: Json): Promise<string> {
    const path = joinNames(splitNames(String(given['path'])));
    const bytes = readGivenBytes(given, 'content');
    const fields = await runInSlices(contentFields(bytes));
    refusing(() => {
      this.#makeDirectories(parentOf(path));
      this.#tree.checkWritable(path);
      this.#tree.reserve(bytes.length);
      try {
        this.#tree.write(path, bytes, fields);
      } finally {
        this.#tree.release(bytes.length);
      }
    });
    return path;
  }

  remove(id: string): void {
    const path = joinNames(splitNames(id));
    if (this.#tree.lookUp(path) !== undefined) refusing(() => this.#tree.remove(path));
  }

  #makeDirectories(path: string): void {
    if (path === ROOT || this.#tree.has(path)) return;
    this.#makeDirectories(parentOf(path));
    this.#tree.makeDirectory(path);
  }

  #show(path: string): Json | undefined {
    const file = this.#tree.lookUp(path);
    if (file === undefined) return undefined;
    const { size, mode, modified } = this.#tree.entry(path);
    return {
      path,
      size,
      permissions: formatMode(mode),
      modified: new Date(modified).toISOString(),
      ...showBytes(this.#tree.bytesOf(file), 'content'),
    };
  }
}

/** What a client would be refused is refused here as well. */
function refusing(change: () => void): void {
  try {
    change();
  } catch (thrown) {
    throw thrown instanceof ReplyError
      ? invalid(thrown.message, [{ path: '/path', message: thrown.message }])
      : thrown;
  }
}
