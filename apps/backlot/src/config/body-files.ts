import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';

const MAX_FILE = 10 * 1024 * 1024;
const MAX_FILES = 1000;

/** A file that a configuration asks for and that cannot be used. */
export class BodyFileError extends Error {}

/** What a file holds: text, or bytes that are none, in base64. */
export type FileContent = string | { readonly base64: string };

/**
 * Reads a file that a configuration names, as in `body: {file: bodies/list.json}`.
 *
 * @param folder - the configuration's folder, absolute and without symbolic links; nothing outside of it is read
 * @param takesBytes - whether the place takes bytes that are no UTF-8 text
 * @throws BodyFileError
 */
export function readBodyFile(folder: string, name: string, takesBytes: boolean): FileContent {
  const path = insideOf(folder, name);
  const stat = statSync(path);
  if (!stat.isFile()) throw new BodyFileError(`"${name}" is not a file; a folder is given as {dir: ...}`);
  if (stat.size > MAX_FILE) throw new BodyFileError(`"${name}" is larger than ${MAX_FILE / 1024 / 1024} MiB`);
  const bytes = readFileSync(path);
  if (isUtf8(bytes)) return new TextDecoder('utf-8').decode(bytes);
  if (takesBytes) return { base64: bytes.toString('base64') };
  throw new BodyFileError(`"${name}" is not UTF-8 text; this field is text`);
}

/** A file below a folder, by its path from there with `/` between the parts. */
export interface ListedFile {
  readonly name: string;
  /** From the configuration's folder. */
  readonly file: string;
}

/**
 * Lists the files of a folder that a configuration names, as in `body: {dir: public}`, in the order of their names.
 * Names that begin with a dot are left out.
 *
 * @throws BodyFileError
 */
export function listBodyFiles(folder: string, name: string): ListedFile[] {
  const top = insideOf(folder, name);
  if (!statSync(top).isDirectory())
    throw new BodyFileError(`"${name}" is not a folder; a file is given as {file: ...}`);
  const files: ListedFile[] = [];
  const visit = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      if (entry.name.startsWith('.')) continue;
      const inner = join(path, entry.name);
      if (entry.isDirectory()) visit(inner);
      else if (files.length === MAX_FILES)
        throw new BodyFileError(`"${name}" holds more than ${MAX_FILES} files`);
      else files.push({ name: slashed(relative(top, inner)), file: relative(folder, inner) });
    }
  };
  visit(top);
  return files;
}

function insideOf(folder: string, name: string): string {
  if (name === '') throw new BodyFileError('the name is empty; give a path below the folder of this file');
  const path = resolve(folder, name);
  if (!isBelow(folder, path))
    throw new BodyFileError(`"${name}" leads out of the folder of this file, where bodies must be`);
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    throw new BodyFileError(`"${name}" is not there; paths start from the folder of this file`);
  }
  if (!isBelow(folder, real))
    throw new BodyFileError(`"${name}" is a link out of the folder of this file, where bodies must be`);
  return real;
}

function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function slashed(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}
