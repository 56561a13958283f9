import { readdirSync, statSync, watch, type FSWatcher, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { IS_CONFIG } from './part-files.js';

/** How long nothing must change before it is read, in milliseconds: editors write in several steps. */
const QUIET = 80;
/** How often an empty file is given time to be written. */
const MOST_PATIENCE = 10;

/** What is looked at. */
export interface WatchedFiles {
  /** Files, absolute. */
  readonly files: readonly string[];
  /** Folders in which files come and go, absolute. */
  readonly folders: readonly string[];
}

/** What stands in files and folders, by their paths: a text that is another one when they were written, replaced, made or removed. */
export type Seen = ReadonlyMap<string, string>;

/** A folder that is watched; another one of the same name is not. */
interface WatchedFolder {
  readonly inode: string;
  readonly watcher: FSWatcher;
}

/**
 * Tells when files have changed: when one was written, replaced by another, removed or made, whatever became of its folder meanwhile.
 * Folders are watched, since an editor puts a new file in the place of the old one.
 */
export class FileWatch {
  readonly #changed: () => Promise<WatchedFiles>;
  readonly #failed: (message: string) => void;
  readonly #folders = new Map<string, WatchedFolder>();
  #watched: WatchedFiles;
  #seen: Seen;
  #timer: NodeJS.Timeout | undefined;
  #patience = 0;
  #isBusy = false;
  #isClosed = false;

  /**
   * @param watched - what is looked at, as it was read
   * @param seen - what {@link lookAt} gave before it was read
   * @param changed - reads it again, and answers what is looked at from then on
   * @param failed - told why a folder cannot be watched
   */
  constructor(
    watched: WatchedFiles,
    seen: Seen,
    changed: () => Promise<WatchedFiles>,
    failed: (message: string) => void,
  ) {
    this.#watched = watched;
    this.#seen = seen;
    this.#changed = changed;
    this.#failed = failed;
    this.#watchFolders();
    this.#later();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { watcher } of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  #later(): void {
    if (this.#isClosed || this.#isBusy) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), QUIET);
  }

  async #look(): Promise<void> {
    this.#watchFolders();
    const now = lookAt(this.#watched);
    if (isSame(now, this.#seen)) return;
    if (isBeingWritten(this.#watched) && this.#patience < MOST_PATIENCE) {
      this.#patience += 1;
      this.#later();
      return;
    }
    this.#patience = 0;
    this.#isBusy = true;
    try {
      this.#watched = await this.#changed();
      // What was looked at before it was read may have changed since; of other files nothing is known from before.
      const then = [...lookAt(this.#watched)];
      this.#seen = new Map(then.map(([path, stamp]) => [path, now.get(path) ?? stamp]));
    } finally {
      this.#isBusy = false;
    }
    // What has changed while it was read is read again.
    this.#watchFolders();
    this.#later();
  }

  #watchFolders(): void {
    if (this.#isClosed) return;
    const wanted = new Set(
      [...this.#watched.folders, ...this.#watched.files.map(dirname)].map(nearestFolder),
    );
    for (const [folder, { inode, watcher }] of this.#folders) {
      if (wanted.has(folder) && inodeOf(folder) === inode) continue;
      watcher.close();
      this.#folders.delete(folder);
    }
    for (const folder of wanted) if (!this.#folders.has(folder)) this.#watchFolder(folder);
  }

  #watchFolder(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#later());
      watcher.on('error', () => {
        watcher.close();
        this.#folders.delete(folder);
        this.#later();
      });
      this.#folders.set(folder, { inode: inodeOf(folder), watcher });
    } catch (error) {
      this.#failed(`${folder} cannot be watched: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** Looks at files, and at folders with the configuration files in them. */
export function lookAt({ files, folders }: WatchedFiles): Seen {
  const seen = new Map<string, string>();
  for (const file of files) seen.set(file, stampOf(file));
  for (const folder of folders) {
    const names = namesIn(folder);
    // No file is called so.
    seen.set(join(folder, '/'), names.join('\n'));
    for (const name of names.filter((each) => IS_CONFIG.test(each)))
      seen.set(join(folder, name), stampOf(join(folder, name)));
  }
  return seen;
}

function isSame(one: Seen, other: Seen): boolean {
  return one.size === other.size && [...one].every(([path, stamp]) => other.get(path) === stamp);
}

function stampOf(file: string): string {
  const stat = statOf(file);
  return stat === undefined ? '-' : `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeMs}`;
}

function isBeingWritten({ files }: WatchedFiles): boolean {
  return files.some((file) => {
    const stat = statOf(file);
    return stat === undefined || stat.size === 0;
  });
}

/** The folder, or the innermost one around it that is there. */
function nearestFolder(folder: string): string {
  let path = folder;
  while (statOf(path)?.isDirectory() !== true && dirname(path) !== path) path = dirname(path);
  return path;
}

function inodeOf(path: string): string {
  const stat = statOf(path);
  return stat === undefined ? '' : `${stat.dev} ${stat.ino}`;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
