import { splitPointer } from './pointer.js';
import type { ConfigSource } from './source.js';

/** A file that is nested deeper is refused. */
const MAX_DEPTH = 1000;

type Tree = Record<string, unknown>;

/** A text in which names were replaced. */
export interface Replaced {
  /** What stands in the file. */
  readonly written: string;
  /** What stands for it. */
  readonly text: string;
}

/** The replaced members of mappings and lists. */
const replacements = new WeakMap<object, Map<string, Replaced>>();

/**
 * Replaces the texts of a part of a plain file, in place, in the order in which they stand there.
 *
 * @param names - the names that lead to the part
 * @param replace - gives what stands for a text, and its value; `undefined` for one that stays
 */
export function replaceTexts(
  part: object,
  names: string[],
  replace: (text: string, names: readonly string[]) => { text: string; value: unknown } | undefined,
): void {
  if (names.length > MAX_DEPTH) return;
  for (const name of Object.keys(part)) {
    const value = (part as Tree)[name];
    names.push(name);
    if (typeof value === 'object' && value !== null) replaceTexts(value, names, replace);
    else if (typeof value === 'string' && value.includes('${')) {
      const known = replacements.get(part) ?? new Map<string, Replaced>();
      // What stands under `vars` is met twice; its replaced text must not be replaced again.
      const replaced = known.has(name) ? undefined : replace(value, names);
      if (replaced !== undefined) {
        replacements.set(part, known.set(name, { written: value, text: replaced.text }));
        (part as Tree)[name] = replaced.value;
      }
    }
    names.pop();
  }
}

/** What was replaced at a pointer into a plain file; `undefined` where nothing was. */
export function replacedAt({ plain, hasNames }: ConfigSource, pointer: string): Replaced | undefined {
  if (!hasNames) return undefined;
  const names = splitPointer(pointer);
  const last = names.pop();
  let part: unknown = plain;
  for (const name of names) part = memberOf(part, name);
  return last === undefined || typeof part !== 'object' || part === null
    ? undefined
    : replacements.get(part)?.get(last);
}

/** The member of a mapping or a list. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
