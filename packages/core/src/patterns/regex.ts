import { RE2JS } from 're2js';
import { invalid, messageOf } from '../errors.js';
import type { CompileBudget } from '../validation/compile-budget.js';
import { estimateRegexSize } from './regex-size.js';

/** A compiled regular expression in RE2 syntax: its time grows with the text, never with 2 to its power. */
export interface Regex {
  readonly source: string;
  /** The number of instructions of its program. */
  readonly size: number;
  /** How many characters of a text are looked at, as if nothing came after them. */
  readonly window: number;
  /** Whether it has named groups. */
  readonly isCapturing: boolean;
  /** Whether some part of the text matches; `^` and `$` anchor. */
  test(text: string): boolean;
  /** The first match with its named groups, those that took no part left out. */
  match(text: string): { groups: Record<string, string> } | undefined;
}

const MAX_SOURCE_LENGTH = 10_000;
/** Instructions of a program: counted repetition multiplies them. */
export const MAX_INSTRUCTIONS = 2_000;
/**
 * Characters times instructions of one search: at worst each character is held against each instruction, at 20 to 70
 * nanoseconds, which makes 50 milliseconds. Most searches take a hundredth of it.
 */
const MAX_STEPS = 1_000_000;
const MAX_WINDOW = 1024 * 1024;
const CACHE_SIZE = 500;
const cache = new Map<string, Regex>();

/**
 * Compiles a regular expression. Compiling is slow (0.1 ms), so the newest 500 are kept.
 *
 * @throws invalid for what RE2 does not know (lookahead, lookbehind, back-references), for bad syntax, for a source
 * beyond 10,000 characters, and for a program beyond 2,000 instructions
 */
export function compileRegex(
  source: string,
  options: { caseInsensitive?: boolean; budget?: CompileBudget | undefined } = {},
): Regex {
  if (source.length > MAX_SOURCE_LENGTH) {
    throw invalid(
      `regular expression of ${source.length} characters is too long; at most ${MAX_SOURCE_LENGTH} are allowed`,
    );
  }
  const flags = options.caseInsensitive === true ? RE2JS.CASE_INSENSITIVE : 0;
  const key = `${flags}:${source}`;
  const known = cache.get(key);
  if (known !== undefined) {
    cache.delete(key);
    cache.set(key, known);
    options.budget?.addRegex(known.size);
    return known;
  }
  const regex = compile(source, flags);
  options.budget?.addRegex(regex.size);
  cache.set(key, regex);
  if (cache.size > CACHE_SIZE) {
    for (const oldest of cache.keys()) {
      cache.delete(oldest);
      break;
    }
  }
  return regex;
}

function compile(source: string, flags: number): Regex {
  const shown = source.length > 200 ? `${source.slice(0, 200)}...` : source;
  // Compiling a very large program takes seconds, so that it is refused by an estimate.
  const estimate = estimateRegexSize(source);
  if (estimate > 4 * MAX_INSTRUCTIONS) throw tooLarge(shown, `about ${estimate}`);
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(RE2JS.translateRegExp(source), flags);
  } catch (error) {
    throw invalid(
      `regular expression ${JSON.stringify(shown)} is not valid in RE2 syntax: ${messageOf(error)}${hintFor(source)}`,
    );
  }
  const size = compiled.programSize();
  if (size > MAX_INSTRUCTIONS) throw tooLarge(shown, String(size));
  const window = Math.min(MAX_WINDOW, Math.floor(MAX_STEPS / size));
  const names = Object.keys(compiled.namedGroups());
  return {
    source,
    size,
    window,
    isCapturing: names.length > 0,
    test: (text) => compiled.test(text.length > window ? text.slice(0, window) : text),
    match(whole) {
      const text = whole.length > window ? whole.slice(0, window) : whole;
      if (!compiled.test(text)) {
        return undefined;
      }
      const groups = Object.create(null) as Record<string, string>;
      if (names.length > 0) {
        const matcher = compiled.matcher(text);
        if (!matcher.find()) {
          return undefined;
        }
        for (const name of names) {
          const value = matcher.group(name);
          if (value !== null) {
            groups[name] = value;
          }
        }
      }
      return { groups };
    },
  };
}

function tooLarge(shown: string, size: string): Error {
  return invalid(
    `regular expression ${JSON.stringify(shown)} compiles to ${size} instructions; at most ${MAX_INSTRUCTIONS} are allowed, so repeat less often with {n}`,
  );
}

function hintFor(source: string): string {
  if (/\(\?<?[=!]/.test(source)) {
    return '; lookahead and lookbehind are not available, use "not" or "any_of" patterns';
  }
  return /\\[1-9]/.test(source) ? '; back-references are not available' : '';
}

/** The literal text every match of a regular expression starts with, where it is plain to see; else `undefined`. */
export function literalStartOf(source: string): string | undefined {
  if (!source.startsWith('^') || source.includes('|')) {
    return undefined;
  }
  const run = /^[\w\-/:@ ,]*/.exec(source.slice(1))?.[0] ?? '';
  const next = source.charAt(1 + run.length);
  const literal = /[?*{+]/.test(next) ? run.slice(0, -1) : run;
  return literal === '' ? undefined : literal;
}
