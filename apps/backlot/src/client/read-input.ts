import { existsSync, readFileSync, statSync } from 'node:fs';
import { text as readAll } from 'node:stream/consumers';
import { parseDocument } from 'yaml';
import { CommandError } from '../cli/command-error.js';

/**
 * Reads JSON or YAML: from a file when the argument is the name of one, from the argument itself, or from standard
 * input when it is `-` or absent.
 *
 * @param what - what it should be, for messages
 * @throws CommandError when it is neither, or not an object or list
 */
export async function readInput(argument: string | undefined, what: string): Promise<object> {
  if (argument === undefined && process.stdin.isTTY) {
    throw new CommandError(
      `${what} is missing; give it as JSON or YAML, as the name of a file, or on standard input`,
    );
  }
  const isFile = argument !== undefined && argument !== '-' && isExistingFile(argument);
  const text = isFile
    ? readFileSync(argument, 'utf8')
    : argument === undefined || argument === '-'
      ? await readAll(process.stdin)
      : argument;
  const document = parseDocument(text, { prettyErrors: false });
  const [error] = document.errors;
  let value: unknown;
  try {
    value = error === undefined ? document.toJS({ maxAliasCount: 100 }) : undefined;
  } catch {
    value = undefined;
  }
  if (typeof value === 'object' && value !== null) return value;
  if (argument !== undefined && !isFile && /^[\w./~-]+$/.test(argument)) {
    throw new CommandError(`there is no file "${argument}", and it is no ${what} as JSON or YAML either`);
  }
  throw new CommandError(
    `${isFile ? `${argument} holds no ${what}` : `this is no ${what}`}: ${error?.message.replaceAll(/\s+/g, ' ') ?? 'an object is needed, as JSON or YAML'}`,
  );
}

function isExistingFile(name: string): boolean {
  return name.length < 4096 && !name.includes('\n') && existsSync(name) && statSync(name).isFile();
}
