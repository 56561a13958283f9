import { invalid } from '../errors.js';
import { CompileBudget } from '../validation/compile-budget.js';
import { createFinder } from './find-text.js';
import { Glob, splitAtStars } from './glob.js';
import type { PatternSource } from './pattern-schema.js';
import { compileRegex, literalStartOf } from './regex.js';

export { patternField, PatternSchema, type PatternObject, type PatternSource } from './pattern-schema.js';

/** A compiled pattern. */
export interface Pattern {
  /** Whether every value matches, an absent one included. */
  readonly any: boolean;
  /** The only text that can match, for indexes; `undefined` when there may be several. */
  readonly exact: string | undefined;
  /** The literal start of every text that matches, for indexes; `undefined` when it is not known. */
  readonly prefix: string | undefined;
  /** The literal end of every text that matches, for indexes; `undefined` when it is not known. */
  readonly suffix: string | undefined;
  /** Whether every text that begins with `prefix` matches, so that nothing else has to be tested. */
  readonly isPrefix: boolean;
  /** Whether a value matches; `undefined` is a value that is not there. */
  test(value: string | undefined): boolean;
  /** Why a value did not match, such as `header X-Tenant: got "a", want "b"`. */
  reason(label: string, value: string | undefined): string;
  /** The pattern in words, such as `"a*"` or `contains "x"`. */
  describe(): string;
}

interface Settings {
  readonly caseInsensitive: boolean;
  readonly budget: CompileBudget;
}

/** One thing that must hold, told apart for values that are there and for the absent one. */
interface Check {
  readonly present: (value: string) => boolean;
  readonly absent: boolean;
  /** Every value that is there passes. */
  readonly every?: boolean;
  readonly exact?: string | undefined;
  readonly prefix?: string | undefined;
  readonly suffix?: string | undefined;
  readonly isPrefix?: boolean;
  /** How many characters of a value it looks at, when not at all of them. */
  readonly window?: number | undefined;
  readonly words: string;
}

const MAX_DEPTH = 32;
/** Characters of a text that is searched for. */
const MAX_PART = 100_000;
const MAX_SHOWN_LENGTH = 100;
const FIELDS = [
  'equals',
  'contains',
  'prefix',
  'suffix',
  'regex',
  'any_of',
  'not',
  'present',
  'absent',
] as const;
const ANY: Check = { present: () => true, absent: true, every: true, words: 'anything' };

/**
 * Compiles a pattern. Absent and `""` match anything; other patterns match an absent value only when they say
 * `absent: true` or exclude every value that is there (`not: {present: true}`).
 *
 * @param options - `caseInsensitive` for texts such as mail addresses; such a pattern gives no index hints;
 * `budget`: what the patterns of one mock share
 * @throws invalid when the source is no pattern, its regular expression does not compile, or it is too large: more than
 * 10,000 elements in `any_of`, more than 100,000 characters in `contains` or with stars
 */
export function compilePattern(
  source: PatternSource | undefined,
  options: { caseInsensitive?: boolean; budget?: CompileBudget } = {},
): Pattern {
  const settings: Settings = {
    caseInsensitive: options.caseInsensitive === true,
    budget: options.budget ?? new CompileBudget(),
  };
  const check = compileCheck(source, settings, 0);
  const { present, absent, words } = check;
  return {
    any: source === undefined || source === '',
    exact: settings.caseInsensitive ? undefined : check.exact,
    prefix: settings.caseInsensitive ? undefined : (check.exact ?? check.prefix),
    suffix: settings.caseInsensitive ? undefined : (check.exact ?? check.suffix),
    isPrefix: !settings.caseInsensitive && check.isPrefix === true,
    test: (value) => (value === undefined ? absent : present(value)),
    reason: (label, value) =>
      `${label}: ${value === undefined ? 'absent' : `got ${show(value)}`}, want ${words}${windowNote(check, value)}`,
    describe: () => words,
  };
}

/**
 * Whether one of several values matches, such as those of a header that came twice. No value, or an empty list, is
 * an absent value.
 */
export function testAny(pattern: Pattern, values: string | readonly string[] | undefined): boolean {
  if (typeof values === 'string' || values === undefined) {
    return pattern.test(values);
  }
  if (values.length === 0) {
    return pattern.test(undefined);
  }
  for (const value of values) {
    if (pattern.test(value)) {
      return true;
    }
  }
  return false;
}

function compileCheck(source: unknown, options: Settings, depth: number): Check {
  if (source === undefined || source === '') {
    return ANY;
  }
  if (typeof source === 'string') {
    return source.startsWith('re:') ? regexCheck(source.slice(3), options) : globCheck(source, options);
  }
  if (typeof source !== 'object' || source === null || Array.isArray(source)) {
    throw invalid(
      `${clip(String(JSON.stringify(source)))} is not a pattern; use a text, or an object with ${FIELDS.join(', ')}`,
    );
  }
  if (depth >= MAX_DEPTH) {
    throw invalid(`pattern is nested deeper than ${MAX_DEPTH} levels`);
  }
  return all(objectChecks(source, options, depth));
}

function objectChecks(source: object, options: Settings, depth: number): Check[] {
  const fields = new Map<string, unknown>(Object.entries(source).filter(([, value]) => value !== undefined));
  for (const name of fields.keys()) {
    if (!(FIELDS as readonly string[]).includes(name)) {
      throw invalid(`pattern has an unknown field ${show(name)}; known are ${FIELDS.join(', ')}`);
    }
  }
  if (fields.size === 0) {
    throw invalid(`pattern is an empty object; give one of ${FIELDS.join(', ')}`);
  }
  const fold = folder(options);
  const checks: Check[] = [];
  const text = (name: string, make: (wanted: string) => Check): void => {
    if (fields.has(name)) {
      const value = fields.get(name);
      if (typeof value !== 'string') {
        throw invalid(`pattern field "${name}" is ${clip(String(JSON.stringify(value)))}; it must be a text`);
      }
      checks.push(make(value));
    }
  };
  const flag = (name: string, check: Check): void => {
    if (fields.has(name)) {
      if (fields.get(name) !== true) {
        throw invalid(`pattern field "${name}" can only be true; leave it out otherwise`);
      }
      checks.push(check);
    }
  };
  text('equals', (wanted) => exactCheck(wanted, options));
  text('contains', (wanted) => {
    checkLength(wanted, 'contains');
    const part = createFinder(fold(wanted));
    return {
      present: (value) => part.findIn(fold(value)) >= 0,
      absent: false,
      words: `contains ${show(wanted)}`,
    };
  });
  text('prefix', (wanted) => {
    const part = fold(wanted);
    const present = (value: string): boolean => fold(value).startsWith(part);
    return {
      present,
      absent: false,
      prefix: wanted,
      isPrefix: true,
      words: `starts with ${show(wanted)}`,
    };
  });
  text('suffix', (wanted) => {
    const part = fold(wanted);
    return {
      present: (value) => fold(value).endsWith(part),
      absent: false,
      suffix: wanted,
      words: `ends with ${show(wanted)}`,
    };
  });
  text('regex', (wanted) => regexCheck(wanted, options));
  if (fields.has('any_of')) {
    checks.push(anyOf(fields.get('any_of'), options, depth));
  }
  if (fields.has('not')) {
    checks.push(negated(compileCheck(fields.get('not'), options, depth + 1)));
  }
  flag('present', { present: () => true, absent: false, every: true, words: 'present' });
  flag('absent', { present: () => false, absent: true, words: 'absent' });
  return checks;
}

function exactCheck(wanted: string, options: Settings): Check {
  const words = show(wanted);
  if (!options.caseInsensitive) {
    return { present: (value) => value === wanted, absent: false, exact: wanted, words };
  }
  const folded = wanted.toLowerCase();
  return { present: (value) => value.toLowerCase() === folded, absent: false, words };
}

function globCheck(source: string, options: Settings): Check {
  const literals = splitAtStars(source);
  if (literals.length === 1) {
    return exactCheck(literals[0] ?? '', options);
  }
  checkLength(source, '*');
  const fold = folder(options);
  const glob = new Glob(literals.map(fold));
  if (literals.every((literal) => literal === '')) {
    return { present: () => true, absent: false, every: true, prefix: '', words: show(source) };
  }
  const isPrefix = literals.length === 2 && literals[1] === '';
  const present = options.caseInsensitive
    ? (value: string): boolean => glob.test(value.toLowerCase())
    : isPrefix
      ? (value: string): boolean => value.startsWith(glob.start)
      : (value: string): boolean => glob.test(value);
  const [prefix, suffix] = [glob.start, literals.at(-1)];
  return { present, absent: false, prefix, suffix, isPrefix, words: show(source) };
}

function regexCheck(source: string, options: Settings): Check {
  const regex = compileRegex(source, options);
  return {
    present: (value) => regex.test(value),
    absent: false,
    prefix: literalStartOf(source),
    window: regex.window,
    words: `a match of ${show(`re:${source}`)}`,
  };
}

function anyOf(list: unknown, options: Settings, depth: number): Check {
  if (!Array.isArray(list) || list.length === 0) {
    throw invalid('pattern field "any_of" must be a list of patterns with at least one element');
  }
  options.budget.addAlternatives(list.length);
  const checks = list.map((source) => compileCheck(source, options, depth + 1));
  const only = checks.length === 1 ? checks[0] : undefined;
  return {
    present: (value) => checks.some((check) => check.present(value)),
    absent: checks.some((check) => check.absent),
    every: checks.some((check) => check.every === true),
    window: smallestWindow(checks),
    exact: only?.exact,
    prefix: only?.prefix,
    suffix: only?.suffix,
    words: clip(checks.map((check) => check.words).join(' or ')),
  };
}

function negated(inner: Check): Check {
  return {
    present: (value) => !inner.present(value),
    absent: inner.every === true && !inner.absent,
    window: inner.window,
    words: clip(`not ${inner.words}`),
  };
}

function all(checks: readonly Check[]): Check {
  const first = checks[0];
  if (first !== undefined && checks.length === 1) {
    return first;
  }
  return {
    present: (value) => checks.every((check) => check.present(value)),
    absent: checks.every((check) => check.absent),
    every: checks.every((check) => check.every === true),
    window: smallestWindow(checks),
    exact: checks.find((check) => check.exact !== undefined)?.exact,
    prefix: checks.find((check) => check.prefix !== undefined)?.prefix,
    suffix: checks.find((check) => check.suffix !== undefined)?.suffix,
    words: clip(checks.map((check) => check.words).join(' and ')),
  };
}

function smallestWindow(checks: readonly Check[]): number | undefined {
  return checks.reduce<number | undefined>(
    (least, { window }) => (window === undefined ? least : Math.min(window, least ?? window)),
    undefined,
  );
}

function windowNote({ window }: Check, value: string | undefined): string {
  return window === undefined || value === undefined || value.length <= window
    ? ''
    : ` in the first ${window} of ${value.length} characters`;
}

function checkLength(text: string, name: string): void {
  if (text.length > MAX_PART) {
    throw invalid(
      `pattern with "${name}" of ${text.length} characters is too long; at most ${MAX_PART} are allowed`,
    );
  }
}

function folder(options: Settings): (text: string) => string {
  return options.caseInsensitive ? (text) => text.toLowerCase() : (text) => text;
}

function show(text: string): string {
  return JSON.stringify(clip(text));
}

function clip(text: string): string {
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}...` : text;
}
