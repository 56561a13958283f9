import type { PiecedText } from '../contract/context.js';
import type { Message } from '../contract/message.js';
import { CompileBudget } from '../validation/compile-budget.js';
import { describeMismatch, mismatchOf, passes, show, type Check, type Mismatch } from './check.js';
import { withinEffort } from './effort.js';
import { compileCheck } from './pattern-object.js';
import type { PatternSource } from './pattern-schema.js';
import type { PatternSettings, Surroundings } from './pattern-settings.js';

export {
  patternField,
  PatternSchema,
  PlaceSchema,
  placesField,
  type PatternObject,
  type NestedSource,
  type PatternSource,
  type PlaceSource,
} from './pattern-schema.js';

/** A compiled pattern. */
export interface Pattern {
  /** Whether every value matches, an absent one included. */
  readonly any: boolean;
  /** The only text that can match, for indexes; `undefined` when there may be several. */
  readonly exact: string | undefined;
  /** Whether that text always matches, so that nothing else has to be tested. */
  readonly isExact: boolean;
  /** The literal start of every text that matches, for indexes; `undefined` when it is not known. */
  readonly prefix: string | undefined;
  /** The literal end of every text that matches, for indexes; `undefined` when it is not known. */
  readonly suffix: string | undefined;
  /** Whether every text that begins with `prefix` matches, so that nothing else has to be tested. */
  readonly isPrefix: boolean;
  /**
   * Whether a text matches; `undefined` is a value that is not there.
   *
   * @param message - the message that the text is of, for patterns that ask for more of it (`same_as`)
   */
  test(value: string | undefined, message?: Message): boolean;
  /**
   * Whether a long text matches that is made a piece at a time, of no message. What parses texts, and what ignores case, needs the
   * whole, and puts it together. Yields between two pieces, see `runInSlices`.
   */
  testInPieces(text: PiecedText): Generator<undefined, boolean>;
  /**
   * Whether a value of JSON matches that has been parsed already; `undefined` is a value that is not there. Patterns for
   * texts compare its text, see {@link jsonText}.
   */
  testValue(value: unknown, message?: Message): boolean;
  /** Why a text did not match, such as `header X-Tenant: got "a", want "b"`. */
  reason(label: string, value: string | undefined, message?: Message): string;
  /** Why a value of JSON did not match. */
  reasonOfValue(label: string, value: unknown, message?: Message): string;
  /** The pattern in words, such as `"a*"` or `contains "x"`. */
  describe(): string;
}

/**
 * Compiles a pattern. Absent and `""` match anything; other patterns match an absent value only when they say
 * `absent: true` or exclude every value that is there (`not: {present: true}`).
 *
 * @param options - `caseInsensitive` for texts such as mail addresses; such a pattern gives no index hints;
 * `budget`: what the patterns of one mock share; `surroundings`: the clock and the message, for the patterns that ask for them;
 * `onCapturing`: told of each regular expression with named groups
 * @throws invalid when the source is no pattern, its regular expression does not compile, or it is too large: more than
 * 10,000 elements in `any_of` and `all_of`, more than 100,000 characters in `contains` or with stars
 */
export function compilePattern(
  source: PatternSource | undefined,
  options: {
    caseInsensitive?: boolean;
    budget?: CompileBudget;
    surroundings?: Surroundings | undefined;
    onCapturing?: () => void;
  } = {},
): Pattern {
  const settings: PatternSettings = {
    caseInsensitive: options.caseInsensitive === true,
    budget: options.budget ?? new CompileBudget(),
    surroundings: options.surroundings,
    onCapturing: options.onCapturing,
  };
  const check = compileCheck(source, settings);
  return patternOf(check, source === undefined || source === '', settings.caseInsensitive);
}

/** A pattern of a check that was compiled already. */
export function patternOf(check: Check, any = false, caseInsensitive = false): Pattern {
  const { present, absent, words } = check;
  const isCheap = (check.cost ?? 0) === 0;
  return {
    any,
    exact: caseInsensitive ? undefined : check.exact,
    isExact: !caseInsensitive && check.isExact === true,
    prefix: caseInsensitive ? undefined : (check.exact ?? check.prefix),
    suffix: caseInsensitive ? undefined : (check.exact ?? check.suffix),
    isPrefix: !caseInsensitive && check.isPrefix === true,
    test: isCheap
      ? (value, message) => (value === undefined ? absent : present(value, message))
      : (value, message) =>
          value === undefined ? absent : withinEffort(value, false, () => present(value, message)),
    *testInPieces(text) {
      if (check.inPieces !== undefined) return yield* check.inPieces(text);
      const whole = [...text.pieces()].join('');
      return withinEffort(whole, false, () => present(whole, undefined));
    },
    testValue: isCheap
      ? (value, message) => passes(check, value, message)
      : (value, message) => withinEffort(value, false, () => passes(check, value, message)),
    reason: (label, value, message) => {
      const mismatch =
        value === undefined
          ? undefined
          : withinEffort(value, tooMuch(value, words), () => check.why?.(value, message));
      if (mismatch !== undefined) return `${label}: ${describeMismatch(mismatch)}`;
      return `${label}: ${value === undefined ? 'absent' : `got ${show(value)}`}, want ${words}${windowNote(check, value)}`;
    },
    reasonOfValue: (label, value, message) => {
      const mismatch = withinEffort(value, tooMuch(value, words), () =>
        mismatchOf(check, value, message),
      ) ?? {
        steps: [],
        got: value,
        want: words,
      };
      return `${label}: ${describeMismatch(mismatch)}${typeof value === 'string' ? windowNote(check, value) : ''}`;
    },
    describe: () => words,
  };
}

/**
 * Whether one of several values matches, such as those of a header that came twice. No value, or an empty list, is
 * an absent value.
 *
 * @param message - as for {@link Pattern.test}
 */
export function testAny(
  pattern: Pattern,
  values: string | readonly string[] | undefined,
  message?: Message,
): boolean {
  if (typeof values === 'string' || values === undefined) {
    return pattern.test(values, message);
  }
  if (values.length === 0) {
    return pattern.test(undefined, message);
  }
  for (const value of values) {
    if (pattern.test(value, message)) {
      return true;
    }
  }
  return false;
}

function tooMuch(value: unknown, words: string): Mismatch {
  return { steps: [], got: value, note: ', which takes too many steps to look at', want: words };
}

function windowNote({ window }: Check, value: string | undefined): string {
  return window === undefined || value === undefined || value.length <= window
    ? ''
    : ` in the first ${window} of ${value.length} characters`;
}
