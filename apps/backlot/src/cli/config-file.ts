import { CONFIG_FILES, findConfigFile } from '../config/find-file.js';
import { CommandError } from './command-error.js';

/**
 * The configuration file that an argument or a flag names.
 *
 * @throws CommandError when they name two
 */
export function namedFile(argument: string | undefined, flag: string | undefined): string | undefined {
  if (argument !== undefined && flag !== undefined && argument !== flag) {
    throw new CommandError(`two configuration files are named, ${argument} and ${flag}; name one`);
  }
  return argument ?? flag;
}

/**
 * The configuration files that arguments or a flag name.
 *
 * @throws CommandError when both do, and do not name the same
 */
export function namedFiles(files: readonly string[], flag: string | undefined): readonly string[] {
  if (files.length > 1 && flag !== undefined)
    throw new CommandError(
      `several configuration files are named, and ${flag} by --config; leave --config out`,
    );
  if (files.length > 1) return files;
  const named = namedFile(files[0], flag);
  return named === undefined ? [] : [named];
}

/**
 * The file that is named, else the one of the current folder that `start` would use.
 *
 * @throws CommandError when there is none
 */
export function requireFile(named: string | undefined): string {
  const file = named ?? findConfigFile(process.cwd());
  if (file === undefined) throw new CommandError(`there is no ${CONFIG_FILES.join(', ')} here; name a file`);
  return file;
}
