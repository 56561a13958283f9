import { fail } from '../wire/errors.js';

/** The flags of a function (redis.io, "Script flags"). */
export const FUNCTION_FLAGS: ReadonlySet<string> = new Set([
  'no-writes',
  'allow-oom',
  'allow-stale',
  'no-cluster',
]);

/** A function that a library has registered. */
export interface LibraryFunction {
  readonly name: string;
  readonly description: string | undefined;
  readonly flags: ReadonlySet<string>;
}

/** A library of functions, as FUNCTION LOAD was given it. */
export interface Library {
  readonly name: string;
  readonly code: string;
  readonly functions: readonly LibraryFunction[];
}

const NAME = /^\w+$/;
/** What is said of a name that has other characters. */
export const BAD_NAME =
  'Library names can only contain letters, numbers, or underscores(_) and must be at least one character long';

/** Whether a library, or a function, can have a name. */
export function isName(name: string): boolean {
  return NAME.test(name);
}

/** What the first line of a library says: its name; and the code, whose lines keep their numbers. @throws CommandError */
export function readLibraryHead(code: string): { readonly name: string; readonly body: string } {
  if (!code.startsWith('#!')) fail('ERR Missing library metadata');
  const end = code.indexOf('\n');
  if (end < 0) fail('ERR Invalid library metadata');
  const [engine = '', ...options] = code.slice(2, end).trimEnd().split(' ');
  let name: string | undefined;
  for (const option of options) {
    if (!option.toLowerCase().startsWith('name=')) fail(`ERR Invalid metadata value given: ${option}`);
    if (name !== undefined) fail('ERR Invalid metadata value, name argument was given multiple times');
    name = option.slice('name='.length);
  }
  if (name === undefined) fail('ERR Library name was not given');
  if (!isName(name)) fail(`ERR ${BAD_NAME}`);
  if (engine.toLowerCase() !== 'lua') fail(`ERR Engine '${engine}' not found`);
  return { name, body: code.slice(end) };
}
