import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { CommandError } from '../cli/command-error.js';

interface Manifest {
  readonly exports?: unknown;
  readonly main?: unknown;
  readonly backlot?: { readonly protocol?: unknown };
}

/** Where the code of a plugin is. */
export interface PluginEntry {
  /** The file to import. */
  readonly file: string;
  /** What its manifest says; absent where a file was named. */
  readonly kind: string | undefined;
}

const CONDITIONS = ['node', 'import', 'module-sync', 'default'];

/** Whether a plugin is named by a path and not by its package. */
export function isPath(name: string): boolean {
  return name.startsWith('.') || isAbsolute(name);
}

/** The path by which a file in a folder names a place as a plugin. */
export function pathFrom(folder: string, place: string): string {
  const path = relative(resolve(folder), resolve(place)).replaceAll('\\', '/');
  if (path === '') return '.';
  return path.startsWith('../') || isAbsolute(path) ? path : `./${path}`;
}

/**
 * Finds a plugin: a package by its name, as Node.js finds it, or what a path that begins with a dot leads to.
 *
 * @param folder - where the search starts
 * @returns the folder of the package or the file, the same for every name that leads there
 * @throws CommandError when it is not there
 */
export function locatePlugin(name: string, folder: string): string {
  if (isPath(name)) {
    const place = resolve(folder, name);
    if (existsSync(place)) return realpathSync(place);
    throw new CommandError(`plugin "${name}" is not there: no such file or folder as ${place}`);
  }
  for (let at = resolve(folder); ; at = dirname(at)) {
    const place = join(at, 'node_modules', name);
    if (existsSync(join(place, 'package.json'))) return realpathSync(place);
    if (dirname(at) === at) break;
  }
  const hint = existsSync(resolve(folder, name))
    ? `; what is in this folder is written with a dot, as in "./${name}"`
    : '';
  throw new CommandError(
    `plugin "${name}" is not there (looked from ${folder}); install it, as in "npm install ${name}"${hint}`,
  );
}

/**
 * Reads what the package.json of a plugin says of it.
 *
 * @param place - from {@link locatePlugin}
 * @throws CommandError when the package is no plugin, or has not been built
 */
export function readEntry(name: string, place: string): PluginEntry {
  if (statSync(place).isFile()) return { file: place, kind: undefined };
  const manifest = readManifest(name, place);
  const kind = manifest.backlot?.protocol;
  if (typeof kind !== 'string') {
    throw new CommandError(
      `package "${name}" is no plugin: its package.json has no "backlot": {"protocol": "<kind>"}`,
    );
  }
  const file = join(place, entryOf(manifest));
  if (existsSync(file)) return { file, kind };
  throw new CommandError(
    `plugin "${name}" is not built: its package.json names ${file}, which is not there; build it, as in "npm run build"`,
  );
}

function readManifest(name: string, place: string): Manifest {
  const file = join(place, 'package.json');
  if (!existsSync(file)) throw new CommandError(`plugin "${name}" is no package: there is no ${file}`);
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof manifest === 'object' && manifest !== null) return manifest;
    throw new TypeError('it holds no object');
  } catch (error) {
    throw new CommandError(
      `plugin "${name}": ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function entryOf({ exports, main }: Manifest): string {
  const top: unknown =
    typeof exports === 'object' && exports !== null && '.' in exports ? exports['.'] : exports;
  return byCondition(top) ?? (typeof main === 'string' ? main : 'index.js');
}

function byCondition(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (typeof target !== 'object' || target === null) return undefined;
  for (const [condition, inner] of Object.entries(target)) {
    const found = CONDITIONS.includes(condition) ? byCondition(inner) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
