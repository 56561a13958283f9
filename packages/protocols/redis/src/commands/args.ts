/** A command and its arguments, as they came; the first is the name of the command. */
export type Args = readonly string[];

/** An argument; the empty text when there is none. */
export function at(args: Args, index: number): string {
  return args[index] ?? '';
}

/** No option is longer. */
const MAX_OPTION = 64;

/** An argument in upper case, for options; what is too long for one is none. */
export function optionAt(args: Args, index: number): string {
  const text = args[index] ?? '';
  return text.length > MAX_OPTION ? '?' : text.toUpperCase();
}
