import { RE2JS } from 're2js';
import { invalid, messageOf } from '../errors.js';

/** A compiled regular expression in RE2 syntax: its time grows with the text, never with 2 to its power. */
export interface Regex {
  readonly source: string;
  /** Whether some part of the text matches; `^` and `$` anchor. */
  test(text: string): boolean;
  /** The first match with its named groups, those that took no part left out. */
  match(text: string): { groups: Record<string, string> } | undefined;
}

const LONGEST_SOURCE = 10_000;
const CACHE_SIZE = 500;
const cache = new Map<string, Regex>();

/**
 * Compiles a regular expression. Compiling is slow (0.1 ms), so the newest 500 are kept.
 *
 * @throws invalid for what RE2 does not know (lookahead, lookbehind, back-references), for bad syntax, and for a
 * source beyond 10,000 characters
 */
export function compileRegex(source: string, options: { caseInsensitive?: boolean } = {}): Regex {
  if (source.length > LONGEST_SOURCE) {
    throw invalid(
      `regular expression of ${source.length} characters is too long; at most ${LONGEST_SOURCE} are allowed`,
    );
  }
  const flags = options.caseInsensitive === true ? RE2JS.CASE_INSENSITIVE : 0;
  const key = `${flags}:${source}`;
  const known = cache.get(key);
  if (known !== undefined) {
    cache.delete(key);
    cache.set(key, known);
    return known;
  }
  const regex = compile(source, flags);
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
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(RE2JS.translateRegExp(source), flags);
  } catch (error) {
    const shown = source.length > 200 ? `${source.slice(0, 200)}...` : source;
    throw invalid(
      `regular expression ${JSON.stringify(shown)} is not valid in RE2 syntax: ${messageOf(error)}${hintFor(source)}`,
    );
  }
  const names = Object.keys(compiled.namedGroups());
  return {
    source,
    test: (text) => compiled.test(text),
    match(text) {
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
