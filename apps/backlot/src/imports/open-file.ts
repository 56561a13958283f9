import { lstatSync, readdirSync, readFileSync, realpathSync, statSync, type Dirent } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { importFile, type ImportFile } from '@backlot/core';
import { CommandError } from '../cli/command-error.js';

type Parse = (text: string, name: string) => { readonly tree?: unknown; readonly fault?: string };

const MIB = 1024 * 1024;
/** Bytes of one file, and of all files of a folder together. */
const MOST_BYTES = 256 * MIB;
const MOST_FILES = 20_000;
const DEEPEST = 32;

/**
 * Opens a file or a folder that is to be imported. A file can refer to others in its own folder and below it.
 *
 * @throws CommandError when it is not there, is too large, or cannot be read
 */
export function openImport(path: string, parse: Parse): ImportFile {
  try {
    return statSync(path).isDirectory()
      ? openFolder(path, parse)
      : openOne(path, basename(path), dirname(resolve(path)), parse);
  } catch (thrown) {
    if (thrown instanceof CommandError) throw thrown;
    const { code, message } = thrown as NodeJS.ErrnoException;
    throw new CommandError(
      code === 'ENOENT' ? `there is no file "${path}"` : `cannot read ${path}: ${message}`,
    );
  }
}

function openOne(path: string, name: string, top: string, parse: Parse): ImportFile {
  const { size } = statSync(path);
  if (size > MOST_BYTES) throw new CommandError(`${path} has ${size} bytes; at most ${MOST_BYTES} are read`);
  const bytes = readFileSync(path);
  const parsed = isText(bytes) ? parse(bytes.toString('utf8'), name) : {};
  const opened = new Map<string, ImportFile | undefined>();
  return importFile({
    name,
    content: bytes,
    ...parsed,
    near(reference) {
      const target = join(dirname(path), reference);
      if (!opened.has(target)) opened.set(target, openWithin(target, top, parse));
      return opened.get(target);
    },
  });
}

/** A file that another one names, as long as it is in the folder of the first one or in one beside it. */
function openWithin(target: string, top: string, parse: Parse): ImportFile | undefined {
  try {
    const real = realpathSync(target);
    const way = relative(realpathSync(dirname(top)), real);
    if (way.startsWith('..') || !statSync(real).isFile()) return undefined;
    return openOne(real, way.split(sep).join('/'), top, parse);
  } catch {
    return undefined;
  }
}

function openFolder(top: string, parse: Parse): ImportFile {
  const files: ImportFile[] = [];
  let bytes = 0;
  const walk = (folder: string, depth: number): void => {
    if (depth > DEEPEST) throw new CommandError(`${folder} is more than ${DEEPEST} folders deep`);
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path, depth + 1);
      // What is neither, such as a link or a socket, is not followed.
      if (!entry.isFile()) continue;
      bytes += lstatSync(path).size;
      if (files.length >= MOST_FILES || bytes > MOST_BYTES)
        throw new CommandError(`${top} has more than ${MOST_FILES} files or ${MOST_BYTES} bytes`);
      files.push(openOne(path, relative(top, path).split(sep).join('/'), top, parse));
    }
  };
  walk(top, 0);
  return importFile({ name: basename(resolve(top)), content: '', files });
}

function entriesOf(folder: string): readonly Dirent[] {
  return readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function isText(bytes: Uint8Array): boolean {
  return !bytes.subarray(0, 4096).includes(0);
}
