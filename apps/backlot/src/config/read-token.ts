import { readFileSync } from 'node:fs';
import { CommandError } from '../cli/command-error.js';

/**
 * Reads a small file that a flag or a setting names.
 *
 * @param source - what names it, for the error
 * @throws CommandError when it cannot be read
 */
export function readNamed(file: string, source: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandError(
      `${source}: cannot read ${file}: ${code === 'ENOENT' ? 'there is no such file' : message}`,
    );
  }
}

/**
 * Reads a token from a file; what stands around it is none of it, since editors and `echo` end a file with a line break.
 *
 * @param source - what names the file, for the error
 * @throws CommandError when the file cannot be read, or holds none
 */
export function readToken(file: string, source: string): string {
  const token = readNamed(file, source).trim();
  if (token === '') throw new CommandError(`${source}: ${file} is empty; write the token into it`);
  return token;
}
