import { delimiter } from 'node:path';
import { CONFIG_FILES, findConfigFile } from '../config/find-file.js';
import { CommandError } from './command-error.js';
import { environment } from './connect.js';

/**
 * The files and folders of a configuration that arguments and a flag name, each once; else those of `BACKLOT_CONFIG`, which are
 * separated as those of `PATH` are. None when nothing is named.
 */
export function namedFiles(files: readonly string[], flags: readonly string[] = []): readonly string[] {
  const named = [...new Set([...files, ...flags])];
  if (named.length > 0) return named;
  return (environment('BACKLOT_CONFIG') ?? '').split(delimiter).filter((name) => name !== '');
}

/**
 * The files that are named, else the one of the current folder that `start` would use.
 *
 * @throws CommandError when there is none
 */
export function requireFiles(named: readonly string[]): readonly string[] {
  if (named.length > 0) return named;
  const file = findConfigFile(process.cwd());
  if (file === undefined) throw new CommandError(`there is no ${CONFIG_FILES.join(', ')} here; name a file`);
  return [file];
}
