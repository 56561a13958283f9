import { listMocks, sortSteps, type Context } from '@backlot/core/plugin';
import { FtpMessage } from '../message.js';
import { ReplyError } from '../reply-error.js';
import type { FtpShape } from '../shape.js';
import type { Entry } from './entry.js';
import type { Directory, IndexedFile } from '../mock-index.js';
import { nameOf } from './path.js';
import { DIRECTORY_MODE, isReadable } from './permissions.js';

/**
 * Files and directories as clients see them. Paths are absolute and in their shortest form. What is not there throws a
 * {@link ReplyError}.
 */
export class FileView {
  protected readonly context: Context<FtpShape>;
  readonly #started: number;
  /** The files whose conditions hold, for one operation. */
  #present: ReadonlySet<unknown> | undefined;

  constructor(context: Context<FtpShape>) {
    this.context = context;
    this.#started = context.clock.now();
  }

  /** The file of a path. @throws ReplyError 550 */
  file(path: string): IndexedFile {
    const file = this.lookUp(path);
    if (file !== undefined) return file;
    throw new ReplyError(
      550,
      `${path}: ${this.directoryOf(path) === undefined ? 'no such file' : 'is a directory'}`,
    );
  }

  /** The file at a path, if there is one. */
  lookUp(path: string): IndexedFile | undefined {
    this.#present = undefined;
    return this.find(path);
  }

  /** Like {@link file}, for reading what it holds. @throws ReplyError 550 */
  readable(path: string): IndexedFile {
    const file = this.file(path);
    if (!isReadable(file.compiled.mode)) throw new ReplyError(550, `${path}: permission denied`);
    return file;
  }

  /** What a file holds for who has logged in, without counting it as used. */
  bytesOf({ compiled: { content, path } }: IndexedFile, username = ''): Uint8Array {
    if (content instanceof Uint8Array) return content;
    const { templates } = this.context;
    const scope = templates.scope(new FtpMessage('RETR', path, '', username));
    return Buffer.from(templates.render(content, scope));
  }

  /** What is at a path. @throws ReplyError 550 */
  entry(path: string): Entry {
    this.#present = undefined;
    const file = this.find(path);
    if (file !== undefined) return this.#fileEntry(nameOf(path), file);
    const directory = this.directoryOf(path);
    if (directory === undefined) throw new ReplyError(550, `${path}: no such file or directory`);
    return this.#directoryEntry(nameOf(path), directory);
  }

  /** What is in a directory, by name. Yields now and then, see `runInSlices`. @throws ReplyError 550 */
  *list(path: string): Generator<undefined, Entry[]> {
    this.#present = undefined;
    const directory = this.directory(path);
    const entries: Entry[] = [];
    const files = new Set<string>();
    for (const [name, held] of directory.files) {
      yield;
      const file = listMocks(held).find((each) => this.#isPresent(each));
      if (file === undefined) continue;
      files.add(name);
      entries.push(this.#fileEntry(name, file));
    }
    for (const [name, each] of directory.directories) {
      yield;
      if (!files.has(name)) entries.push(this.#directoryEntry(name, each));
    }
    return yield* sortSteps(entries, (a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Whether nothing is in a directory. @throws ReplyError 550 */
  isEmpty(path: string): boolean {
    this.#present = undefined;
    const { files, directories } = this.directory(path);
    if (directories.size > 0) return false;
    for (const held of files.values())
      if (listMocks(held).some((each) => this.#isPresent(each))) return false;
    return true;
  }

  /** Whether there is a file or a directory. */
  has(path: string): boolean {
    this.#present = undefined;
    return this.find(path) !== undefined || this.directoryOf(path) !== undefined;
  }

  /** The directory of a path. @throws ReplyError 550 */
  directory(path: string): Directory {
    const directory = this.directoryOf(path);
    if (directory === undefined) throw new ReplyError(550, `${path}: no such directory`);
    return directory;
  }

  /** Conditions are asked for anew: an operation begins. */
  protected refresh(): void {
    this.#present = undefined;
  }

  /** The file that is at a path now. */
  protected find(path: string): IndexedFile | undefined {
    return this.context.mocks.index.filesAt(path).find((file) => this.#isPresent(file));
  }

  /** The directory that is at a path. */
  protected directoryOf(path: string): Directory | undefined {
    return this.context.mocks.index.directoryAt(path);
  }

  #isPresent(file: IndexedFile): boolean {
    const { state, times, expires } = file.value as { state?: unknown; times?: unknown; expires?: unknown };
    if (state === undefined && times === undefined && expires === undefined) return true;
    this.#present ??= new Set(this.context.mocks.values());
    return this.#present.has(file);
  }

  #fileEntry(name: string, file: IndexedFile): Entry {
    const { mode, modified = this.#started } = file.compiled;
    return { name, isDirectory: false, size: this.bytesOf(file).length, mode, modified };
  }

  #directoryEntry(name: string, { made = this.#started }: Directory): Entry {
    return { name, isDirectory: true, size: 0, mode: DIRECTORY_MODE, modified: made };
  }
}
