import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { invalid, messageOf } from '@backlot/core/plugin';
import { MibNames } from './mib-names.js';
import { readMib, type MibModule } from './read-mib.js';
import { STANDARD_MODULES } from './standard-modules.js';

/** The most files that are read, and the most characters of them. */
const MAX_FILES = 5_000;
const MAX_SIZE = 128 * 1024 * 1024;

/** The names of the modules that are there without a file. */
export const STANDARD_NAMES = new MibNames(STANDARD_MODULES);

/**
 * Reads the modules of files, and of all files of folders, beside the standard ones.
 *
 * @throws BacklotError `invalid` for what cannot be read, and for a file that is named and holds no module
 */
export function loadMibs(paths: readonly string[]): MibNames {
  if (paths.length === 0) return STANDARD_NAMES;
  const modules: MibModule[] = [...STANDARD_MODULES];
  let files = 0;
  let size = 0;
  for (const [place, path] of paths.entries()) {
    const refuse = (message: string): Error =>
      invalid(`snmp /mibs/${place}: ${path} ${message}`, [
        { path: `/mibs/${place}`, message: `${path} ${message}` },
      ]);
    let found: readonly string[];
    const isFolder = attempt(() => statSync(path).isDirectory(), refuse);
    if (isFolder)
      found = attempt(() => readdirSync(path, { withFileTypes: true }), refuse)
        .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.'))
        .map(({ name }) => join(path, name))
        .toSorted();
    else found = [path];
    const before = modules.length;
    for (const file of found) {
      files += 1;
      const text = attempt(() => readFileSync(file, 'latin1'), refuse);
      size += text.length;
      if (files > MAX_FILES || size > MAX_SIZE)
        throw refuse(`is too much: at most ${MAX_FILES} files of ${MAX_SIZE / 1024 / 1024} MiB are read`);
      modules.push(...readMib(text));
    }
    if (modules.length === before)
      throw refuse(`holds no MIB module, which begins with its name and DEFINITIONS ::= BEGIN`);
  }
  return new MibNames(modules);
}

function attempt<T>(read: () => T, refuse: (message: string) => Error): T {
  try {
    return read();
  } catch (thrown) {
    throw refuse(`cannot be read: ${messageOf(thrown)}`);
  }
}
