import { listMocks, type Context } from '@backlot/core/plugin';
import { pathProblem, type FileFields } from '../matcher.js';
import { ReplyError } from '../reply-error.js';
import { MAX_STORAGE_BYTES } from '../schemas.js';
import type { FtpShape } from '../shape.js';
import type { ContentFields } from './content-fields.js';
import { walkDirectories, type IndexedFile } from '../mock-index.js';
import { FileView } from './file-view.js';
import { isBelow, parentOf, ROOT, splitNames } from './path.js';
import { formatMode, isWritable } from './permissions.js';

/** Files and directories as clients change them. What cannot be done throws a {@link ReplyError}. */
export class FileTree extends FileView {
  readonly #limit: number;
  /** What uploads under way hold. */
  #reserved = 0;

  constructor(context: Context<FtpShape>) {
    super(context);
    const { index } = context.mocks;
    context.addToSnapshots<readonly (readonly [string, number])[]>('directories', {
      passes: 'plain',
      save: () => index.listMade(),
      restore: (saved) => index.restoreMade(saved),
    });
    this.#limit = context.config.max_storage_bytes ?? MAX_STORAGE_BYTES;
  }

  /** Checks that a file may be written; gives the one that is there. @throws ReplyError 550, 553 */
  checkWritable(path: string): IndexedFile | undefined {
    this.refresh();
    this.#checkNewPath(path);
    const file = this.find(path);
    if (file === undefined && this.directoryOf(path) !== undefined)
      throw new ReplyError(553, `${path}: is a directory`);
    if (file !== undefined && !isWritable(file.compiled.mode))
      throw new ReplyError(550, `${path}: permission denied`);
    return file;
  }

  /** Takes room for so many bytes that arrive. @throws ReplyError 552 */
  reserve(bytes: number): void {
    if (this.context.mocks.index.bytes + this.#reserved + bytes > this.#limit) {
      throw new ReplyError(552, `the files would hold more than ${this.#limit} bytes`);
    }
    this.#reserved += bytes;
  }

  /** Gives back room that was taken. */
  release(bytes: number): void {
    this.#reserved -= bytes;
  }

  /**
   * Puts a file there, in place of the one that is.
   *
   * @param fields - how the bytes are written down
   * @throws ReplyError 550, 553
   */
  write(path: string, bytes: Uint8Array, fields: ContentFields): void {
    const old = this.checkWritable(path);
    const permissions = (old?.value as FileFields | undefined)?.permissions;
    const file = {
      path,
      ...fields,
      ...(permissions === undefined ? {} : { permissions }),
      modified: new Date(this.context.clock.now()).toISOString(),
    };
    const { index } = this.context.mocks;
    // So that what was written down is not read again.
    index.uploaded = { content: fields.content, bytes };
    try {
      if (old === undefined) this.context.mocks.create(file);
      else this.context.mocks.replace(old.id, file);
    } finally {
      index.uploaded = undefined;
    }
  }

  /** Changes what a listing says of a file. @throws ReplyError 550 */
  describe(path: string, { mode, modified }: { readonly mode?: number; readonly modified?: number }): void {
    this.#change(this.file(path), {
      ...(mode === undefined ? {} : { permissions: formatMode(mode) }),
      ...(modified === undefined ? {} : { modified: new Date(modified).toISOString() }),
    });
  }

  /** Deletes a file. @throws ReplyError 550 */
  remove(path: string): void {
    const file = this.file(path);
    this.#stay(parentOf(path));
    this.context.mocks.remove(file.id);
  }

  /** Makes a directory. @throws ReplyError 550, 552, 553 */
  makeDirectory(path: string): void {
    if (this.has(path)) throw new ReplyError(550, `${path}: exists already`);
    this.#checkNewPath(path);
    this.reserve(0);
    this.#stay(path);
  }

  /** Removes an empty directory. @throws ReplyError 550 */
  removeDirectory(path: string): void {
    if (path === ROOT) throw new ReplyError(550, 'the root cannot be removed');
    if (!this.isEmpty(path)) throw new ReplyError(550, `${path}: the directory is not empty`);
    this.#stay(parentOf(path));
    this.context.mocks.index.unmake(path);
  }

  /**
   * Gives a file or a directory another path; a file that is there is written over. Yields now and then, see
   * `runInSlices`: then some of the files of a directory have their new path, and others
   * not yet, and some of its directories are there under both.
   *
   * @throws ReplyError 550, 553
   */
  *rename(from: string, to: string): Generator<undefined, void> {
    this.refresh();
    const file = this.find(from);
    if (from === to) return;
    this.#checkNewPath(to);
    if (file !== undefined) {
      this.checkWritable(to);
      return this.#move(file, to);
    }
    const directory = this.directory(from);
    if (from === ROOT || isBelow(to, from)) throw new ReplyError(553, `${from} cannot be moved to ${to}`);
    if (this.has(to)) throw new ReplyError(553, `${to}: exists already`);
    const { index } = this.context.mocks;
    this.#stay(parentOf(from));
    const below: { readonly path: string }[] = [];
    const files: IndexedFile[] = [];
    for (const each of walkDirectories(directory, from)) {
      below.push(each);
      for (const held of each.directory.files.values()) files.push(...listMocks(held));
      yield;
    }
    for (const { path } of below) {
      this.#stay(to + path.slice(from.length));
      yield;
    }
    for (const each of files) {
      const { path } = each.compiled;
      // Somebody else may have taken it away meanwhile.
      if (index.filesAt(path).includes(each)) this.#move(each, to + path.slice(from.length));
      yield;
    }
    for (const { path } of below.reverse()) {
      index.unmake(path);
      yield;
    }
  }

  #move(file: IndexedFile, to: string): void {
    this.#stay(parentOf(file.compiled.path));
    const old = this.find(to);
    if (old !== undefined) this.context.mocks.remove(old.id);
    this.#change(file, { path: to });
  }

  #change(file: IndexedFile, fields: Partial<FileFields>): void {
    this.context.mocks.replace(file.id, { ...(file.value as FileFields), ...fields });
  }

  /** Makes a directory stay when nothing is in it any more. */
  #stay(path: string): void {
    if (path !== ROOT)
      this.context.mocks.index.make(path, this.directoryOf(path)?.made ?? this.context.clock.now());
  }

  #checkNewPath(path: string): void {
    const problem = pathProblem(splitNames(path));
    if (problem !== undefined) throw new ReplyError(553, `the path ${problem}`);
    const parent = parentOf(path);
    if (this.directoryOf(parent) === undefined) throw new ReplyError(553, `${parent}: no such directory`);
  }
}
