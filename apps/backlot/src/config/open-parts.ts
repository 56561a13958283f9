import { runAtOnce } from '@backlot/core/plugin';
import { realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Environment } from './interpolate.js';
import { mergeParts } from './merge-parts.js';
import { openFileSteps, type OpenedConfig } from './open.js';
import { filesOfName, filesOfPattern, PartFileError, type PartFiles } from './part-files.js';
import { pointTo } from './pointer.js';
import { ConfigError, type ConfigProblem } from './problem.js';

/** A configuration with where it was read from. */
export interface OpenedParts {
  readonly opened: OpenedConfig;
  /** The files, absolute, in the order in which they were read. */
  readonly files: readonly string[];
  /** The folders in which further ones may appear, absolute. */
  readonly folders: readonly string[];
}

/**
 * Reads, in steps, configuration files and what they include, each file once, up to the point where the protocols they need must be known. The
 * variables of a file hold in those that are read after it.
 *
 * @param names - files and folders as given, one at least
 * @param base - the folder that relative names start from
 * @throws ConfigError when one is not there or cannot be parsed
 */
export function* openPartSteps(
  names: readonly string[],
  base: string,
  environment: Environment,
): Generator<undefined, OpenedParts> {
  const reading = new Reading(base, environment);
  try {
    for (const name of names) yield* reading.readName(name);
    return reading.end();
  } catch (error) {
    if (error instanceof ConfigError) error.read = reading.read;
    throw error;
  }
}

/** As {@link openPartSteps}, at once. */
export function openParts(names: readonly string[], base: string, environment: Environment): OpenedParts {
  return runAtOnce(openPartSteps(names, base, environment));
}

/** As {@link openParts}, for one that is only looked at. */
export function openConfig(
  name: string | readonly string[],
  base: string,
  environment: Environment,
): OpenedConfig {
  return openParts(typeof name === 'string' ? [name] : name, base, environment).opened;
}

class Reading {
  readonly #base: string;
  readonly #environment: Environment;
  readonly #parts: OpenedConfig[] = [];
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();
  readonly #vars = new Map<string, string>();
  readonly #problems: ConfigProblem[] = [];

  constructor(base: string, environment: Environment) {
    this.#base = base;
    this.#environment = environment;
  }

  *readName(name: string): Generator<undefined, void> {
    let found: PartFiles;
    try {
      found = filesOfName(name, this.#base);
    } catch (error) {
      if (!(error instanceof PartFileError)) throw error;
      throw new ConfigError(name, [{ place: undefined, path: '', message: error.message }]);
    }
    for (const folder of found.folders) this.#folders.add(folder);
    for (const file of found.files) yield* this.#read(file);
  }

  get read(): ConfigError['read'] {
    return { files: [...this.#files], folders: [...this.#folders] };
  }

  end(): OpenedParts {
    const [first, ...others] = this.#parts;
    if (first === undefined) throw new TypeError('no configuration file was named');
    const merged = mergeParts([first, ...others]);
    return {
      opened:
        this.#problems.length === 0
          ? merged
          : { ...merged, problems: [...merged.problems, ...this.#problems] },
      ...this.read,
    };
  }

  *#read(file: string): Generator<undefined, void> {
    const path = realPath(resolve(this.#base, file));
    if (this.#files.has(path)) return;
    this.#files.add(path);
    const part = yield* openFileSteps(file, this.#base, this.#environment, this.#vars);
    this.#parts.push(part);
    this.#keepVars(part);
    const { include } = part.root;
    if (!Array.isArray(include)) return;
    for (const [index, pattern] of include.entries())
      if (typeof pattern === 'string' && pattern !== '')
        yield* this.#include(part, pattern, pointTo('/include', index));
  }

  *#include(part: OpenedConfig, pattern: string, at: string): Generator<undefined, void> {
    const { folder, file } = part.source;
    try {
      const { files, folders } = filesOfPattern(pattern, folder);
      for (const each of folders) this.#folders.add(each);
      for (const found of files) yield* this.#read(this.#named(file, folder, found));
    } catch (error) {
      if (!(error instanceof PartFileError)) throw error;
      const problem = part.locate({ path: at, message: error.message });
      if (problem !== undefined) this.#problems.push(problem);
    }
  }

  /** An included file as messages name it: beside the name of the file that includes it, where that leads to it. */
  #named(file: string, folder: string, found: string): string {
    const beside = join(dirname(file), found);
    const path = resolve(folder, found);
    if (resolve(this.#base, beside) === path) return beside;
    const short = relative(this.#base, path);
    return short.startsWith('..') ? path : short;
  }

  #keepVars({ root: { vars } }: OpenedConfig): void {
    if (typeof vars !== 'object' || vars === null) return;
    for (const [name, value] of Object.entries(vars))
      if (!this.#vars.has(name) && ['string', 'number', 'boolean'].includes(typeof value))
        this.#vars.set(name, String(value));
  }
}

/** A path without links; as it is when there is nothing. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
