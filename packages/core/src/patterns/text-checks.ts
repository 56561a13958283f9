import { invalid } from '../errors.js';
import { testCapturing } from './captures.js';
import { show, type Check } from './check.js';
import { createFinder } from './find-text.js';
import { Glob, splitAtStars } from './glob.js';
import type { PatternSettings } from './pattern-settings.js';
import { compileRegex, literalStartOf } from './regex.js';

/** Characters of a text that is searched for. */
const MAX_PART = 100_000;

/** Exactly this text. */
export function exactCheck(wanted: string, settings: PatternSettings): Check {
  const words = show(wanted);
  if (!settings.caseInsensitive) {
    return { present: (value) => value === wanted, absent: false, exact: wanted, isExact: true, words };
  }
  const folded = wanted.toLowerCase();
  return { present: (value) => value.toLowerCase() === folded, absent: false, words };
}

/** A text in which a star is any run of characters. */
export function globCheck(source: string, settings: PatternSettings): Check {
  const literals = splitAtStars(source);
  if (literals.length === 1) {
    return exactCheck(literals[0] ?? '', settings);
  }
  checkLength(source, '*');
  const glob = new Glob(literals.map(folder(settings)));
  if (literals.every((literal) => literal === '')) {
    return { present: () => true, absent: false, every: true, prefix: '', words: show(source) };
  }
  const isPrefix = literals.length === 2 && literals[1] === '';
  const present = settings.caseInsensitive
    ? (value: string): boolean => glob.test(value.toLowerCase())
    : isPrefix
      ? (value: string): boolean => value.startsWith(glob.start)
      : (value: string): boolean => glob.test(value);
  const [prefix, suffix] = [glob.start, literals.at(-1)];
  return { present, absent: false, prefix, suffix, isPrefix, words: show(source) };
}

/** A regular expression without its `re:`. */
export function regexCheck(source: string, settings: PatternSettings): Check {
  const regex = compileRegex(source, settings);
  const { isCapturing } = regex;
  if (isCapturing) settings.onCapturing?.();
  return {
    present: isCapturing ? (value) => testCapturing(regex, value) : (value) => regex.test(value),
    absent: false,
    prefix: literalStartOf(source),
    window: regex.window,
    words: `a match of ${show(`re:${source}`)}`,
  };
}

/** This text anywhere. */
export function containsCheck(wanted: string, settings: PatternSettings): Check {
  checkLength(wanted, 'contains');
  const fold = folder(settings);
  const part = createFinder(fold(wanted));
  return {
    present: (value) => part.findIn(fold(value)) >= 0,
    absent: false,
    words: `contains ${show(wanted)}`,
  };
}

/** This text at the start. */
export function prefixCheck(wanted: string, settings: PatternSettings): Check {
  const fold = folder(settings);
  const part = fold(wanted);
  return {
    present: (value) => fold(value).startsWith(part),
    absent: false,
    prefix: wanted,
    isPrefix: true,
    words: `starts with ${show(wanted)}`,
  };
}

/** This text at the end. */
export function suffixCheck(wanted: string, settings: PatternSettings): Check {
  const fold = folder(settings);
  const part = fold(wanted);
  return {
    present: (value) => fold(value).endsWith(part),
    absent: false,
    suffix: wanted,
    words: `ends with ${show(wanted)}`,
  };
}

function checkLength(text: string, name: string): void {
  if (text.length > MAX_PART) {
    throw invalid(
      `pattern with "${name}" of ${text.length} characters is too long; at most ${MAX_PART} are allowed`,
    );
  }
}

function folder(settings: PatternSettings): (text: string) => string {
  return settings.caseInsensitive ? (text) => text.toLowerCase() : (text) => text;
}
