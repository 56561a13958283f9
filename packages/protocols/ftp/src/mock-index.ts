import {
  listMocks,
  withMock,
  withoutMock,
  type Candidates,
  type IndexedMock,
  type MockIndex,
} from '@backlot/core/plugin';
import type { FtpMessage } from './message.js';
import type { CompiledFile } from './matcher.js';
import { ROOT, splitNames } from './files/path.js';

/** A file in effect. */
export type IndexedFile = IndexedMock<CompiledFile>;

/** A directory: it is there while something is in it, or when it was made by itself. */
export interface Directory {
  readonly name: string;
  readonly parent: Directory | undefined;
  /** The directories in it by name; {@link NO_DIRECTORIES} in most. */
  directories: Map<string, Directory>;
  /** Files by name; several share one when their conditions take turns. {@link NO_FILES} where there are none. */
  files: Map<string, Candidates<CompiledFile>>;
  /** When it was made, in milliseconds since 1970; absent for one that is there only for what is in it. */
  made: number | undefined;
}

/**
 * What is in a directory as long as nothing is: an empty map of its own, twice, would be most of what a directory takes.
 * Nothing is ever put into them.
 */
const NO_DIRECTORIES = new Map<string, Directory>();
const NO_FILES = new Map<string, Candidates<CompiledFile>>();

/** What a file or a directory costs beside its content, for the limit on storage. */
const ENTRY_BYTES = 512;

/** The tree of directories. A look-up costs the names of its path, however many files there are. */
export class FileIndex implements MockIndex<FtpMessage, CompiledFile> {
  readonly root: Directory = makeDirectory('', undefined);
  /** What is being uploaded, while its file is made: how its bytes are written down, and the bytes. */
  uploaded: { readonly content: string; readonly bytes: Uint8Array } | undefined;
  /** What files and directories hold together. */
  bytes = 0;

  add(mock: IndexedFile): void {
    const names = splitNames(mock.compiled.path);
    const name = names.pop() ?? '';
    const directory = this.#grow(names);
    if (directory.files === NO_FILES) directory.files = new Map();
    directory.files.set(name, withMock(directory.files.get(name), mock));
    this.bytes += weigh(mock);
  }

  remove(mock: IndexedFile): void {
    const names = splitNames(mock.compiled.path);
    const name = names.pop() ?? '';
    const directory = this.#walk(names);
    const held = directory?.files.get(name);
    if (directory === undefined || !listMocks(held).includes(mock)) return;
    const left = withoutMock(held, mock);
    if (left === undefined) directory.files.delete(name);
    else directory.files.set(name, left);
    this.bytes -= weigh(mock);
    this.#prune(directory);
  }

  find(_message: FtpMessage): void {
    // Files are asked for by path, not matched.
  }

  /** The files of a path, first to be asked first. */
  filesAt(path: string): readonly IndexedFile[] {
    const names = splitNames(path);
    const name = names.pop() ?? '';
    return listMocks(this.#walk(names)?.files.get(name));
  }

  /** The directory of a path. */
  directoryAt(path: string): Directory | undefined {
    return this.#walk(splitNames(path));
  }

  /** Makes a directory stay without anything in it. */
  make(path: string, made: number): void {
    const directory = this.#grow(splitNames(path));
    if (directory.parent === undefined) return;
    if (directory.made === undefined) this.bytes += ENTRY_BYTES;
    directory.made = made;
  }

  /** Takes back {@link make}. */
  unmake(path: string): void {
    const directory = this.#walk(splitNames(path));
    if (directory?.made === undefined) return;
    directory.made = undefined;
    this.bytes -= ENTRY_BYTES;
    this.#prune(directory);
  }

  /** The directories that were made, with when. */
  listMade(): (readonly [string, number])[] {
    const made: (readonly [string, number])[] = [];
    for (const { directory, path } of walkDirectories(this.root, ROOT)) {
      if (directory.made !== undefined) made.push([path, directory.made]);
    }
    return made;
  }

  /** Puts back which directories were made, and when. */
  restoreMade(saved: readonly (readonly [string, number])[]): void {
    const all: Directory[] = [];
    for (const { directory } of walkDirectories(this.root, ROOT)) all.push(directory);
    // What is in a directory goes before it does.
    for (const directory of all.reverse()) {
      if (directory.made === undefined) continue;
      directory.made = undefined;
      this.bytes -= ENTRY_BYTES;
      this.#prune(directory);
    }
    for (const [path, made] of saved) this.make(path, made);
  }

  #walk(names: readonly string[]): Directory | undefined {
    let directory: Directory | undefined = this.root;
    for (const name of names) {
      directory = directory.directories.get(name);
      if (directory === undefined) return undefined;
    }
    return directory;
  }

  #grow(names: readonly string[]): Directory {
    let directory = this.root;
    for (const name of names) {
      let next = directory.directories.get(name);
      if (next === undefined) {
        next = makeDirectory(name, directory);
        if (directory.directories === NO_DIRECTORIES) directory.directories = new Map();
        directory.directories.set(name, next);
      }
      directory = next;
    }
    return directory;
  }

  #prune(start: Directory): void {
    let directory = start;
    while (
      directory.parent !== undefined &&
      directory.made === undefined &&
      directory.files.size === 0 &&
      directory.directories.size === 0
    ) {
      directory.parent.directories.delete(directory.name);
      directory = directory.parent;
    }
  }
}

/** A directory with its path. */
interface PlacedDirectory {
  readonly directory: Directory;
  /** From the root, without a slash at its end but for the root's own. */
  readonly path: string;
}

/** A directory and all below it, each in front of those that it holds; they are looked for one by one. */
export function* walkDirectories(start: Directory, path: string): Generator<PlacedDirectory> {
  yield { directory: start, path };
  const open = [{ path, rest: start.directories.values() }];
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    const next = last.rest.next();
    if (next.done === true) {
      open.pop();
      continue;
    }
    const directory = next.value;
    const below = `${last.path === ROOT ? '' : last.path}/${directory.name}`;
    yield { directory, path: below };
    if (directory.directories.size > 0) open.push({ path: below, rest: directory.directories.values() });
  }
}

function makeDirectory(name: string, parent: Directory | undefined): Directory {
  return { name, parent, directories: NO_DIRECTORIES, files: NO_FILES, made: undefined };
}

function weigh({ compiled: { content } }: IndexedFile): number {
  return ENTRY_BYTES + (content instanceof Uint8Array ? content.length : content.source.length);
}
