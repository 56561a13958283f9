const SYSTEM = ['\\Answered', '\\Flagged', '\\Deleted', '\\Seen', '\\Draft'] as const;
const KEYWORD = /^[^\x00-\x20\x7f-\uffff(){%*"\\\]]+$/;
/** Flags that a message may have, and that one command may name. */
export const MAX_FLAGS = 100;

/** The flags that every mailbox has. */
export const SYSTEM_FLAGS: readonly string[] = SYSTEM;

/**
 * A flag as it is kept: system flags in their usual writing, keywords as they are. `undefined` when it is no flag that a
 * message can be given (`\Recent` is the server's own).
 */
export function normaliseFlag(flag: string): string | undefined {
  if (!flag.startsWith('\\')) return KEYWORD.test(flag) ? flag : undefined;
  const wanted = flag.toLowerCase();
  return SYSTEM.find((system) => system.toLowerCase() === wanted);
}

/** Whether a flag is among them, whatever the case of its letters. */
export function hasFlag(flags: readonly string[], flag: string): boolean {
  if (flags.includes(flag)) return true;
  const wanted = flag.toLowerCase();
  return flags.some((each) => each.toLowerCase() === wanted);
}

/** Flags without those that are there twice. */
export function uniqueFlags(flags: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (const flag of flags) if (!hasFlag(kept, flag)) kept.push(flag);
  return kept;
}

/** What STORE makes of flags; `undefined` when there would be too many. */
export function changeFlags(
  flags: readonly string[],
  how: 'set' | 'add' | 'remove',
  given: readonly string[],
): readonly string[] | undefined {
  if (how === 'remove') return flags.filter((flag) => !hasFlag(given, flag));
  const changed = uniqueFlags(how === 'set' ? given : [...flags, ...given]);
  return changed.length > MAX_FLAGS ? undefined : changed;
}

/** Whether both hold the same flags. */
export function sameFlags(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((flag) => hasFlag(b, flag)));
}
