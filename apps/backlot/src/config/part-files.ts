import { readdirSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve, sep } from 'node:path';

/** How many files and folders are looked at for one pattern. */
const MOST_ENTRIES = 20_000;
/** Names of files that are taken out of a folder. */
export const IS_CONFIG = /\.(?:ya?ml|json)$/i;
const SPECIAL = /[*?[\]{}]/;

/** Names of files that cannot be found. */
export class PartFileError extends Error {}

/** The files that a name or a pattern stands for. */
export interface PartFiles {
  /** In the order of their names. */
  readonly files: readonly string[];
  /** The folders in which further ones may appear, absolute. */
  readonly folders: readonly string[];
}

/**
 * The configuration files that a name on the command line stands for: a file, or of a folder its `.yaml`, `.yml` and `.json` files,
 * without those that begin with a dot and without inner folders.
 *
 * @param base - the folder that a relative name starts from
 * @throws PartFileError for a folder without any
 */
export function filesOfName(name: string, base: string): PartFiles {
  const path = resolve(base, name);
  if (!isFolder(path)) return { files: [name], folders: [] };
  const files = readdirSync(path)
    .filter((entry) => !entry.startsWith('.') && IS_CONFIG.test(entry) && !isFolder(join(path, entry)))
    .sort()
    .map((entry) => join(name, entry));
  if (files.length === 0)
    throw new PartFileError(`there is no .yaml, .yml or .json file in the folder ${name}`);
  return { files, folders: [path] };
}

/**
 * The files that an entry of `include` stands for. In it `*` stands for any part of a name, `?` for one character, and `**` for any
 * folders between; names that begin with a dot are found only where the pattern says the dot.
 *
 * @param folder - the folder of the file that includes them
 * @throws PartFileError when a file or folder that is named without such signs is not there
 */
export function filesOfPattern(pattern: string, folder: string): PartFiles {
  const unknown = /[[\]{}]/.exec(pattern)?.[0];
  if (unknown !== undefined)
    throw new PartFileError(
      `${JSON.stringify(pattern)} has "${unknown}", which is no sign of patterns; there are *, ? and **`,
    );
  const parts = pattern.split(/[/\\]/).filter((part) => part !== '' && part !== '.');
  const firstSpecial = parts.findIndex((part) => SPECIAL.test(part));
  const fixed = parts.slice(0, firstSpecial < 0 ? parts.length : firstSpecial);
  const start = isAbsolute(pattern) ? resolve(sep, ...fixed) : resolve(folder, ...fixed);
  const shown = isAbsolute(pattern) ? start : join(...(fixed.length === 0 ? ['.'] : fixed));
  if (firstSpecial < 0) {
    if (!isThere(start)) throw new PartFileError(`there is no file ${JSON.stringify(pattern)}`);
    return filesOfName(pattern, folder);
  }
  if (!isFolder(start))
    throw new PartFileError(
      `there is no folder ${JSON.stringify(shown)}, where ${JSON.stringify(pattern)} looks`,
    );
  const search = new Search(pattern);
  search.visit(start, shown, parts.slice(firstSpecial));
  return { files: [...search.files].sort(), folders: [...search.folders] };
}

class Search {
  readonly files = new Set<string>();
  readonly folders = new Set<string>();
  #entries = 0;

  constructor(private readonly pattern: string) {}

  /** @param shown - the folder as messages name it */
  visit(folder: string, shown: string, [part, ...rest]: readonly string[]): void {
    if (part === undefined) return;
    this.folders.add(folder);
    if (part === '**' && rest.length > 0) this.visit(folder, shown, rest);
    const matches = part === '**' ? undefined : matcherOf(part);
    for (const name of namesIn(folder)) {
      this.#entries += 1;
      if (this.#entries > MOST_ENTRIES)
        throw new PartFileError(
          `${JSON.stringify(this.pattern)} looks at more than ${MOST_ENTRIES} files; name the folder more closely`,
        );
      if (matches === undefined ? name.startsWith('.') : !matches(name)) continue;
      const path = join(folder, name);
      const inner = join(shown, name);
      if (isFolder(path)) {
        if (matches === undefined) this.visit(path, inner, ['**', ...rest]);
        else this.visit(path, inner, rest);
      } else if (rest.length === 0 && (matches !== undefined || IS_CONFIG.test(name))) this.files.add(inner);
    }
  }
}

function matcherOf(part: string): (name: string) => boolean {
  const source = part
    .replaceAll(/[.+^${}()|\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  const expression = new RegExp(`^${source}$`, 'su');
  return (name) => (part.startsWith('.') || !name.startsWith('.')) && expression.test(name);
}

/** Names in a folder; none where it vanishes while it is looked at. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
