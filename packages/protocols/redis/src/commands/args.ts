import type { LongText } from '../data/long-text.js';
import type { Text } from '../data/text.js';

/** A command and its arguments, as they came; the first is the name of the command. */
export interface Args extends ReadonlyArray<string> {
  /** Long arguments in pages, by their places. */
  readonly long?: ReadonlyMap<number, LongText>;
}

/** An argument; the empty text when there is none. */
export function at(args: Args, index: number): string {
  return args[index] ?? '';
}

/** An argument, in pages when it is long; the empty text when there is none. */
export function textAt(args: Args, index: number): Text {
  return args.long?.get(index) ?? at(args, index);
}

/** No option is longer. */
const MAX_OPTION = 64;

/** An argument in upper case, for options; what is too long for one is none. */
export function optionAt(args: Args, index: number): string {
  const text = args[index] ?? '';
  return text.length > MAX_OPTION ? '?' : text.toUpperCase();
}
