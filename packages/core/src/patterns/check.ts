import type { Message } from '../contract/message.js';
import type { PiecesTest } from './pieces.js';
import { forgetCaptures, markCaptures } from './captures.js';
import { spendEffort } from './effort.js';
import { jsonText } from './json-path.js';

/** Where a value is not what a pattern wants. */
export interface Mismatch {
  /** The steps to the place, the innermost first; those who go into a value add their own behind. */
  readonly steps: (string | number)[];
  /** What is there; `undefined` when nothing is. */
  readonly got: unknown;
  /** Whether the text of what is there was compared, and is shown as one. */
  readonly isText?: boolean;
  /** What is there in words, in place of `got`. */
  readonly found?: string;
  /** Words behind what is there, such as `, which is not JSON`. */
  readonly note?: string;
  /** What would be right. */
  readonly want: string;
}

/**
 * One thing that must hold, told apart for values that are there and for the absent one. What does not hold leaves no captures.
 */
export interface Check {
  /** Whether a text matches, as it came. */
  readonly present: (text: string, message: Message | undefined) => boolean;
  /** As `present`, of a long text that is made a piece at a time; a check without it needs the whole. */
  readonly inPieces?: PiecesTest | undefined;
  /**
   * How a value of JSON differs, `undefined` when it matches. A check without it looks at the value's text, see
   * {@link jsonText}.
   */
  readonly compare?: ((value: unknown, message: Message | undefined) => Mismatch | undefined) | undefined;
  /** How a text that does not match differs; a check without it has nothing to say but its words. */
  readonly why?: ((text: string, message: Message | undefined) => Mismatch | undefined) | undefined;
  readonly absent: boolean;
  /** Every value that is there passes. */
  readonly every?: boolean;
  readonly exact?: string | undefined;
  /** Whether that text passes, so that nothing else has to be tested. */
  readonly isExact?: boolean;
  readonly prefix?: string | undefined;
  readonly suffix?: string | undefined;
  readonly isPrefix?: boolean;
  /** How many characters of a value it looks at, when not at all of them. */
  readonly window?: number | undefined;
  /** How much it costs beside others: they are asked first when theirs is smaller. 0 when absent. */
  readonly cost?: number;
  readonly words: string;
}

/** What costs more than looking at a text: parsing it, and going through what was parsed with a language of its own. */
export const COST = { parse: 1, query: 2 } as const;

const MAX_SHOWN_LENGTH = 100;
/** Characters of JSON that are written and compared in one step. */
const WRITTEN_AT_ONCE = 4;

/** Matches anything, also nothing at all. */
export const ANY: Check = {
  present: () => true,
  inPieces: always,
  absent: true,
  every: true,
  words: 'anything',
};

/** Whether a value of JSON, or one that is not there, passes. */
export function passes(check: Check, value: unknown, message: Message | undefined): boolean {
  if (value === undefined) return check.absent;
  if (check.compare !== undefined) return check.compare(value, message) === undefined;
  if (typeof value === 'object' && value !== null && !mayBeginWith(check, Array.isArray(value) ? '[' : '{'))
    return false;
  const text = jsonText(value);
  if (text === undefined) return false;
  spendEffort(text.length / WRITTEN_AT_ONCE);
  return check.present(text, message);
}

/** Whether a text that passes may begin with a character: to tell that most patterns need no list or object written. */
function mayBeginWith({ exact, prefix }: Check, character: string): boolean {
  const start = exact ?? prefix;
  return start === undefined || start === '' || start.startsWith(character);
}

/** How a value of JSON, or one that is not there, differs; `undefined` when it passes. */
export function mismatchOf(check: Check, value: unknown, message: Message | undefined): Mismatch | undefined {
  if (value !== undefined && check.compare !== undefined) return check.compare(value, message);
  // What compares texts has compared the text of the value.
  return passes(check, value, message)
    ? undefined
    : { steps: [], got: value, isText: true, want: check.words };
}

/** One of several checks. */
export function oneOf(checks: readonly Check[]): Check {
  const only = checks.length === 1 ? checks[0] : undefined;
  const words = clip(checks.map((check) => check.words).join(' or '));
  const inOrder = cheapFirst(checks);
  return {
    present: (text, message) => inOrder.some((check) => check.present(text, message)),
    inPieces: someInPieces(inOrder, true),
    compare: checks.some(({ compare }) => compare !== undefined)
      ? (value, message) =>
          inOrder.some((check) => passes(check, value, message))
            ? undefined
            : (only?.compare?.(value, message) ?? { steps: [], got: value, want: words })
      : undefined,
    why: only?.why,
    absent: checks.some((check) => check.absent),
    every: checks.some((check) => check.every === true),
    window: smallestWindow(checks),
    cost: costOf(checks),
    exact: only?.exact,
    prefix: only?.prefix,
    suffix: only?.suffix,
    words,
  };
}

/** The opposite of a check; what is excluded captures nothing. */
export function negated(inner: Check): Check {
  const words = clip(`not ${inner.words}`);
  return {
    present: (text, message) => {
      const mark = markCaptures();
      const isExcluded = inner.present(text, message);
      forgetCaptures(mark);
      return !isExcluded;
    },
    inPieces:
      inner.inPieces &&
      function* (text) {
        return !(yield* inner.inPieces?.(text) ?? always());
      },
    compare:
      inner.compare === undefined
        ? undefined
        : (value, message) => {
            const mark = markCaptures();
            const isExcluded = passes(inner, value, message);
            forgetCaptures(mark);
            return isExcluded ? { steps: [], got: value, want: words } : undefined;
          },
    absent: inner.every === true && !inner.absent,
    window: inner.window,
    cost: inner.cost ?? 0,
    words,
  };
}

/** All of several checks. */
export function all(checks: readonly Check[]): Check {
  const first = checks[0];
  if (first !== undefined && checks.length === 1) return first;
  const inOrder = cheapFirst(checks);
  return {
    present: (text, message) => {
      const mark = markCaptures();
      if (inOrder.every((check) => check.present(text, message))) return true;
      forgetCaptures(mark);
      return false;
    },
    inPieces: someInPieces(inOrder, false),
    compare: checks.some(({ compare }) => compare !== undefined)
      ? (value, message) => {
          const mark = markCaptures();
          for (const check of inOrder) {
            const mismatch = mismatchOf(check, value, message);
            if (mismatch === undefined) continue;
            forgetCaptures(mark);
            return mismatch;
          }
          return undefined;
        }
      : undefined,
    why: checks.some(({ why }) => why !== undefined)
      ? (text, message) => {
          const failed = inOrder.find((check) => !check.present(text, message));
          return failed?.why?.(text, message) ?? { steps: [], got: text, want: failed?.words ?? 'anything' };
        }
      : undefined,
    absent: checks.every((check) => check.absent),
    every: checks.every((check) => check.every === true),
    window: smallestWindow(checks),
    cost: costOf(checks),
    exact: checks.find((check) => check.exact !== undefined)?.exact,
    prefix: checks.find((check) => check.prefix !== undefined)?.prefix,
    suffix: checks.find((check) => check.suffix !== undefined)?.suffix,
    words: clip(checks.map((check) => check.words).join(' and ')),
  };
}

/** A sentence such as `at items[1].price got "4", want > 5`. */
export function describeMismatch({ steps, got, isText, found, note = '', want }: Mismatch): string {
  const place = steps.length === 0 ? '' : `at ${writeSteps(steps.toReversed())} `;
  return `${place}${found ?? showValue(got, isText)}${note}, want ${want}`;
}

/** Steps as people write them: `items[1].price`. */
export function writeSteps(steps: readonly (string | number)[]): string {
  let written = '';
  for (const step of steps) {
    if (typeof step === 'number') written += `[${step}]`;
    // Queries stand as they are written.
    else if (step.startsWith('$') || step.startsWith('/')) written += step;
    else written += (written === '' ? '' : '.') + step.replaceAll('.', '\\.');
  }
  return clip(written);
}

function showValue(value: unknown, isText = typeof value === 'string'): string {
  if (value === undefined) return 'absent';
  const text = typeof value === 'string' ? value : jsonText(value);
  if (text === undefined) return 'got a value that is nested too deep to be shown';
  return `got ${isText ? show(text) : clip(text)}`;
}

/** A text in quotes, the end of a long one left out. */
export function show(text: string): string {
  return JSON.stringify(clip(text));
}

/** A value of JSON as its text, the end of a long one left out. */
export function showSource(value: unknown): string {
  return clip(String(JSON.stringify(value)));
}

/** A text, the end of a long one left out. */
export function clip(text: string): string {
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}...` : text;
}

/** Passes. */
export function* always(): Generator<undefined, boolean> {
  return true;
}

/** Whether one of several checks passes, or, for `false`, whether all do: those that come to it first decide. */
function someInPieces(checks: readonly Check[], wanted: boolean): PiecesTest | undefined {
  const tests = checks.map(({ inPieces }) => inPieces).filter((test) => test !== undefined);
  if (tests.length < checks.length) return undefined;
  return function* (text) {
    for (const test of tests) if ((yield* test(text)) === wanted) return wanted;
    return !wanted;
  };
}

function cheapFirst(checks: readonly Check[]): readonly Check[] {
  return checks.toSorted((a, b) => (a.cost ?? 0) - (b.cost ?? 0));
}

function costOf(checks: readonly Check[]): number {
  return checks.reduce((most, { cost = 0 }) => Math.max(most, cost), 0);
}

function smallestWindow(checks: readonly Check[]): number | undefined {
  return checks.reduce<number | undefined>(
    (least, { window }) => (window === undefined ? least : Math.min(window, least ?? window)),
    undefined,
  );
}
