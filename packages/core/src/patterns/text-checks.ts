import { invalid } from '../errors.js';
import { testCapturing } from './captures.js';
import { always, show, type Check } from './check.js';
import { createFinder, findInPieces } from './find-text.js';
import { Glob, splitAtStars } from './glob.js';
import type { PatternSettings } from './pattern-settings.js';
import { endsInPieces, equalsPieces, startOfPieces, type PiecesTest } from './pieces.js';
import { compileRegex, literalStartOf } from './regex.js';

/** Characters of a text that is searched for. */
const MAX_PART = 100_000;

/** Exactly this text. */
export function exactCheck(wanted: string, settings: PatternSettings): Check {
  const words = show(wanted);
  if (!settings.caseInsensitive) {
    return {
      present: (value) => value === wanted,
      inPieces: (text) => equalsPieces(text, wanted),
      absent: false,
      exact: wanted,
      isExact: true,
      words,
    };
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
    return {
      present: () => true,
      inPieces: always,
      absent: false,
      every: true,
      prefix: '',
      words: show(source),
    };
  }
  const isPrefix = literals.length === 2 && literals[1] === '';
  const present = settings.caseInsensitive
    ? (value: string): boolean => glob.test(value.toLowerCase())
    : isPrefix
      ? (value: string): boolean => value.startsWith(glob.start)
      : (value: string): boolean => glob.test(value);
  const [prefix, suffix] = [glob.start, literals.at(-1)];
  const inPieces = unfolded(settings, (text) => glob.testInPieces(text));
  return { present, inPieces, absent: false, prefix, suffix, isPrefix, words: show(source) };
}

/** A regular expression without its `re:`. */
export function regexCheck(source: string, settings: PatternSettings): Check {
  const regex = compileRegex(source, settings);
  const { isCapturing } = regex;
  if (isCapturing) settings.onCapturing?.();
  return {
    present: isCapturing ? (value) => testCapturing(regex, value) : (value) => regex.test(value),
    *inPieces(text) {
      return regex.test(yield* startOfPieces(text, regex.window));
    },
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
    inPieces: unfolded(settings, function* (text) {
      return (yield* findInPieces(text, [part], 0)) >= 0;
    }),
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
    inPieces: unfolded(settings, function* (text) {
      return (yield* startOfPieces(text, part.length)) === part;
    }),
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
    inPieces: unfolded(settings, (text) => endsInPieces(text, part)),
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

/** A character may be more of them in lower case, so that what ignores case needs the whole text. */
function unfolded({ caseInsensitive }: PatternSettings, test: PiecesTest): PiecesTest | undefined {
  return caseInsensitive ? undefined : test;
}

function folder(settings: PatternSettings): (text: string) => string {
  return settings.caseInsensitive ? (text) => text.toLowerCase() : (text) => text;
}
