import type { CompileTools, Pointer } from '../contract/tools.js';
import type { PatternSource } from './pattern-schema.js';

/** Reads the named groups of a text that a pattern matches. */
export type ReadCaptures = (text: string) => Readonly<Record<string, string>> | undefined;

const NAMED = /\(\?P?<[A-Za-z_]/;

/**
 * What reads the named groups of a pattern, for templates as `request.params.<name>`: those of a text with `re:` in front and of
 * the field `regex`.
 *
 * @returns `undefined` for a pattern that captures nothing
 */
export function compileCaptures(
  source: PatternSource | undefined,
  tools: CompileTools,
  at: Pointer,
): ReadCaptures | undefined {
  const regex = regexOf(source);
  if (regex === undefined || !NAMED.test(regex)) return undefined;
  const compiled = tools.regex(regex, at);
  return (text) => compiled.match(text)?.groups;
}

/** A pattern of a mock, and the text that it is compared with. */
export interface CapturingField<M> {
  readonly source: PatternSource | undefined;
  readonly at: Pointer;
  read(this: void, message: M): string | undefined;
}

/**
 * What gives the named groups of several patterns of a mock, for `params` of what it is compiled to. Of two groups of one name
 * that of the later pattern counts.
 *
 * @param words - what gives further ones, such as the words that a wildcard has named
 * @returns `undefined` where no pattern captures anything
 */
export function compileParams<M>(
  fields: readonly CapturingField<M>[],
  tools: CompileTools,
  words?: (this: void, message: M) => Readonly<Record<string, string>> | undefined,
): ((this: void, message: M) => Readonly<Record<string, string>>) | undefined {
  const captures = fields.flatMap(({ source, at, read }) => {
    const own = compileCaptures(source, tools, at);
    return own === undefined ? [] : [{ own, read }];
  });
  if (captures.length === 0) return words && ((message) => words(message) ?? {});
  return (message) => {
    const found = [words?.(message) ?? {}];
    for (const { own, read } of captures) {
      const text = read(message);
      const groups = text === undefined ? undefined : own(text);
      if (groups !== undefined) found.push(groups);
    }
    return Object.assign({}, ...found) as Readonly<Record<string, string>>;
  };
}

function regexOf(source: unknown): string | undefined {
  if (typeof source === 'string') return source.startsWith('re:') ? source.slice(3) : undefined;
  if (typeof source !== 'object' || source === null) return undefined;
  const { regex } = source as { readonly regex?: unknown };
  return typeof regex === 'string' ? regex : undefined;
}
