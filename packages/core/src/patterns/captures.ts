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

function regexOf(source: unknown): string | undefined {
  if (typeof source === 'string') return source.startsWith('re:') ? source.slice(3) : undefined;
  if (typeof source !== 'object' || source === null) return undefined;
  const { regex } = source as { readonly regex?: unknown };
  return typeof regex === 'string' ? regex : undefined;
}
