import type { Regex } from './regex.js';

/** What named groups have captured, by their names. */
export type CapturedGroups = Readonly<Record<string, string>>;

/** What the expressions that have matched captured, in their order, while somebody records it. */
let noted: CapturedGroups[] | undefined;
let isNested = false;

/**
 * Runs a test again to learn what the named groups of its regular expressions capture: those of all patterns that matched,
 * wherever they stand. Of two groups of one name that of the pattern that was tested later counts.
 *
 * Patterns know of it by themselves. A test that tries several things, of which one is enough, uses {@link markCaptures} and
 * {@link forgetCaptures}, so that what has not matched leaves nothing.
 *
 * @param test - without effects, as all tests of messages are
 */
export function recordCaptures(test: () => unknown): CapturedGroups {
  const [outer, wasNested] = [noted, isNested];
  const own: CapturedGroups[] = [];
  noted = own;
  isNested = outer !== undefined;
  try {
    test();
  } finally {
    noted = outer;
    isNested = wasNested;
  }
  return Object.assign(Object.create(null) as Record<string, string>, ...own) as CapturedGroups;
}

/**
 * Whether what is recorded is asked for by what a pattern of the same mock compares with. Such a pattern has to be taken to
 * match then: whether it does depends on what is recorded.
 */
export function isRecordingNested(): boolean {
  return isNested;
}

/** Whether an expression matches a text; what it captures is noted where somebody records it. */
export function testCapturing(regex: Regex, text: string): boolean {
  if (noted === undefined) return regex.test(text);
  const match = regex.match(text);
  if (match === undefined) return false;
  noted.push(match.groups);
  return true;
}

/** A mark for {@link forgetCaptures}: up to where something has been captured. */
export function markCaptures(): number {
  return noted === undefined ? 0 : noted.length;
}

/** Forgets what was captured since a mark, by what has not matched as a whole. */
export function forgetCaptures(mark: number): void {
  if (noted !== undefined) noted.length = mark;
}
