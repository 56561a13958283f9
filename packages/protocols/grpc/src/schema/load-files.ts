import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { messageOf, type Problem } from '@backlot/core/plugin';
import { isGoogleFile } from './builtin.js';
import { readDescriptorSet } from './descriptor-set.js';
import type { Described } from './link.js';
import { runAtOnce } from './run-at-once.js';
import { readProto } from './text/read-proto.js';

const MAX_FILE = 16 * 1024 * 1024;
/** Such files come from whoever starts the process, so one may define far more than an upload. */
const MAX_DEFINITIONS = 200_000;
/** How many folders above a file its imports may start from, where the file is outside of the current folder. */
const MAX_FOLDERS = 8;

/** A file that the configuration names, with its place there. */
export interface NamedFile {
  readonly path: string;
  readonly at: string;
}

/** Schemas that stand in the configuration itself. */
export interface GivenTexts {
  readonly sources?: readonly { readonly name: string; readonly content: string }[];
  /** In base64. */
  readonly descriptors?: readonly string[];
}

/** What was read, and what was wrong. */
export interface LoadedFiles {
  readonly files: readonly Described[];
  readonly problems: readonly Problem[];
}

/**
 * Reads the schemas that a configuration names. Relative paths start from the current folder. An import is looked for in
 * the folder of the file that imports it and in those above, and beside the other files that are named.
 */
export function loadFiles(
  protos: readonly NamedFile[],
  sets: readonly NamedFile[],
  { sources = [], descriptors = [] }: GivenTexts = {},
): LoadedFiles {
  const loader = new Loader(protos.map(({ path }) => dirname(resolve(path))));
  loader.addSources(sources);
  for (const [index, text] of descriptors.entries()) loader.addDescriptors(text, `/descriptors/${index}`);
  for (const proto of protos) loader.addProto(proto);
  for (const set of sets) loader.addSet(set);
  return { files: [...loader.files.values()], problems: loader.problems };
}

class Loader {
  /** By the name under which others import it. */
  readonly files = new Map<string, Described>();
  readonly problems: Problem[] = [];
  readonly #names = new Map<string, string>();
  readonly #folders: readonly string[];

  constructor(folders: readonly string[]) {
    this.#folders = [...new Set(folders)];
  }

  addProto({ path, at }: NamedFile): void {
    const absolute = resolve(path);
    if (this.#names.has(absolute)) return;
    try {
      this.#read(absolute, this.#nameFor(absolute));
    } catch (thrown) {
      this.problems.push({ path: at, message: `"${path}": ${messageOf(thrown)}` });
    }
  }

  addSet({ path, at }: NamedFile): void {
    try {
      this.#addDescribed(readBytes(resolve(path)));
    } catch (thrown) {
      this.problems.push({ path: at, message: `"${path}": ${messageOf(thrown)}` });
    }
  }

  addDescriptors(text: string, at: string): void {
    try {
      const bytes = Buffer.from(text, 'base64');
      if (bytes.toString('base64') !== text) throw new Error('is not base64');
      this.#addDescribed(bytes);
    } catch (thrown) {
      this.problems.push({ path: at, message: messageOf(thrown) });
    }
  }

  addSources(sources: NonNullable<GivenTexts['sources']>): void {
    const names = new Set(sources.map(({ name }) => name));
    for (const [index, { name, content }] of sources.entries()) {
      const at = `/sources/${index}`;
      try {
        if (this.files.has(name)) throw new Error(`another one is "${name}" as well`);
        const proto = runAtOnce(readProto(name, content, MAX_DEFINITIONS));
        const missing = proto.dependency.find((wanted) => !names.has(wanted) && !isGoogleFile(wanted));
        if (missing !== undefined) throw new Error(`imports "${missing}", which is not among the sources`);
        this.files.set(name, { proto });
      } catch (thrown) {
        this.problems.push({ path: at, message: `"${name}": ${messageOf(thrown)}` });
      }
    }
  }

  #addDescribed(bytes: Uint8Array): void {
    for (const described of readDescriptorSet(bytes)) {
      const { name } = described.proto;
      if (!this.files.has(name)) this.files.set(name, described);
    }
  }

  #read(absolute: string, name: string): void {
    const text = readBytes(absolute).toString('utf8');
    this.#names.set(absolute, name);
    const proto = runAtOnce(readProto(name, text, MAX_DEFINITIONS));
    this.files.set(name, { proto });
    proto.dependency = proto.dependency.map((wanted) => this.#import(wanted, absolute));
  }

  /** Gives the name under which the file is known. */
  #import(wanted: string, from: string): string {
    if (isGoogleFile(wanted)) return wanted;
    if (isAbsolute(wanted) || wanted.split(/[\\/]/).includes('..'))
      throw new Error(
        `imports "${wanted}"; an import is a path without ".." that starts below a folder of yours`,
      );
    const folders = [...foldersAbove(dirname(from)), ...this.#folders.flatMap(foldersAbove)];
    const found = folders.map((folder) => join(folder, wanted)).find(isFile);
    if (found === undefined)
      throw new Error(`imports "${wanted}", which is neither beside it nor in a folder above`);
    const known = this.#names.get(found);
    if (known !== undefined) return known;
    this.#read(found, this.files.has(wanted) ? found : wanted);
    return this.#names.get(found) ?? wanted;
  }

  #nameFor(absolute: string): string {
    const below = relative(process.cwd(), absolute);
    const name = below.startsWith('..') || isAbsolute(below) ? basename(absolute) : below;
    const slashed = sep === '/' ? name : name.replaceAll(sep, '/');
    return this.files.has(slashed) ? absolute.slice(1) : slashed;
  }
}

function foldersAbove(folder: string): string[] {
  const root = process.cwd();
  const folders: string[] = [];
  for (let here = folder; folders.length < MAX_FOLDERS; here = dirname(here)) {
    folders.push(here);
    if (here === root || dirname(here) === here) break;
  }
  return folders;
}

function readBytes(path: string): Buffer {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined)
    throw new Error('is not there; relative paths start from the folder of the configuration');
  if (!stat.isFile()) throw new Error('is not a file');
  if (stat.size > MAX_FILE) throw new Error(`is larger than ${MAX_FILE / 1024 / 1024} MiB`);
  return readFileSync(path);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
