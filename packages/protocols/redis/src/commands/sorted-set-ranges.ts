import { SortedSetValue } from '../data/sorted-set-value.js';
import type { Session } from '../session.js';
import { ERRORS, fail } from '../wire/errors.js';
import { integer, ZERO } from '../wire/reply.js';
import {
  at,
  clampRange,
  onKey,
  onKeys,
  optionAt,
  toInteger,
  type Answer,
  type Args,
  type Command,
} from './command.js';
import { scoredForm, scoredHead } from './scored.js';
import { readScoreBound } from './sorted-sets.js';
import { answerList, STEP } from './work.js';

type By = 'RANK' | 'SCORE' | 'LEX';

interface RangeOptions {
  readonly by: By;
  readonly isReversed: boolean;
  readonly withScores: boolean;
  readonly offset: number;
  /** Negative: all. */
  readonly count: number;
}

/** The members from one place up to, not including, another. */
interface Span {
  readonly start: number;
  readonly end: number;
}

const NOTHING: Span = { start: 0, end: 0 };

/** The commands for ranges of sorted sets. */
export const SORTED_SET_RANGE_COMMANDS: readonly Command[] = [
  onKey('zrange', -4, 'r', (args, session) => range(args, session, readOptions(args, 4, {}, true))),
  onKey('zrevrange', -4, 'r', (args, session) =>
    range(args, session, readOptions(args, 4, { isReversed: true })),
  ),
  onKey('zrangebyscore', -4, 'r', (args, session) =>
    range(args, session, readOptions(args, 4, { by: 'SCORE' })),
  ),
  onKey('zrevrangebyscore', -4, 'r', (args, session) =>
    range(args, session, readOptions(args, 4, { by: 'SCORE', isReversed: true })),
  ),
  onKey('zrangebylex', -4, 'r', (args, session) => range(args, session, readOptions(args, 4, { by: 'LEX' }))),
  onKey('zrevrangebylex', -4, 'r', (args, session) =>
    range(args, session, readOptions(args, 4, { by: 'LEX', isReversed: true })),
  ),
  onKeys('zrangestore', -5, 'wm', [1, 2, 1], function* (args, { database }) {
    const options = readOptions(args, 5, {}, true);
    if (options.withScores) fail(ERRORS.syntax);
    const set = database.sortedSet(at(args, 2));
    const { start, end } = select(set, at(args, 3), at(args, 4), options);
    const stored = new SortedSetValue();
    for (const { member, score } of set?.range(start, end) ?? []) {
      stored.set(member, score);
      if (stored.size % STEP === 0) yield;
    }
    if (stored.size === 0) database.delete(at(args, 1));
    else database.put(at(args, 1), stored);
    return integer(stored.size);
  }),
  onKey('zcount', 4, 'r', (args, session) => count(args, session, 'SCORE')),
  onKey('zlexcount', 4, 'r', (args, session) => count(args, session, 'LEX')),
  onKey('zremrangebyrank', 4, 'w', (args, session) => removeRange(args, session, 'RANK')),
  onKey('zremrangebyscore', 4, 'w', (args, session) => removeRange(args, session, 'SCORE')),
  onKey('zremrangebylex', 4, 'w', (args, session) => removeRange(args, session, 'LEX')),
];

function readOptions(
  args: Args,
  first: number,
  given: { readonly by?: By; readonly isReversed?: boolean },
  mayChoose = false,
): RangeOptions {
  let { by = 'RANK', isReversed = false } = given;
  let withScores = false;
  let limit: { offset: number; count: number } | undefined;
  for (let index = first; index < args.length; index += 1) {
    const option = optionAt(args, index);
    if (option === 'WITHSCORES') withScores = true;
    else if (option === 'LIMIT' && index + 2 < args.length) {
      limit = { offset: toInteger(args[index + 1]), count: toInteger(args[index + 2]) };
      index += 2;
    } else if (mayChoose && option === 'REV') isReversed = true;
    else if (mayChoose && option === 'BYLEX') by = 'LEX';
    else if (mayChoose && option === 'BYSCORE') by = 'SCORE';
    else fail(ERRORS.syntax);
  }
  if (limit !== undefined && by === 'RANK')
    fail('ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX');
  if (withScores && by === 'LEX')
    fail('ERR syntax error, WITHSCORES not supported in combination with BYLEX');
  return { by, isReversed, withScores, offset: limit?.offset ?? 0, count: limit?.count ?? -1 };
}

function range(args: Args, { database, resp }: Session, options: RangeOptions): Answer {
  // A range that is none is told before a key of the wrong type.
  select(undefined, at(args, 2), at(args, 3), options);
  const set = database.sortedSet(at(args, 1));
  const { start, end } = select(set, at(args, 2), at(args, 3), options);
  const { withScores, isReversed } = options;
  return answerList(
    scoredHead(end - start, withScores, resp),
    end - start,
    () => set?.range(start, end, isReversed) ?? [],
    scoredForm(withScores, resp),
  );
}

/** The places of the members that are meant; in a range that is reversed those come last first. */
function select(
  set: SortedSetValue | undefined,
  first: string,
  last: string,
  { by, isReversed, offset, count: most }: RangeOptions,
): Span {
  if (by === 'RANK') {
    const [low, high] = [toInteger(first), toInteger(last)];
    if (set === undefined) return NOTHING;
    const { start, end } = clampRange(low, high, set.size);
    return isReversed ? { start: set.size - end, end: set.size - start } : { start, end };
  }
  const { start, end } = isReversed ? spanOf(set, by, last, first) : spanOf(set, by, first, last);
  if (offset < 0 || offset >= end - start) return NOTHING;
  const size = most < 0 ? Infinity : most;
  return isReversed
    ? { start: Math.max(start, end - offset - size), end: end - offset }
    : { start: start + offset, end: Math.min(end, start + offset + size) };
}

/** @throws CommandError when a bound is none, even for a set that is not there */
function spanOf(set: SortedSetValue | undefined, by: By, min: string, max: string): Span {
  if (by === 'LEX') {
    const low = readLexBound(min);
    const high = readLexBound(max);
    return set === undefined
      ? NOTHING
      : {
          start: set.firstWhere(({ member }) => low.isBelow(member)),
          end: set.firstWhere(({ member }) => !high.isAbove(member)),
        };
  }
  const low = readScoreBound(min);
  const high = readScoreBound(max);
  return set === undefined
    ? NOTHING
    : {
        start: set.firstWhere(({ score }) => (low.isExclusive ? score > low.score : score >= low.score)),
        end: set.firstWhere(({ score }) => (high.isExclusive ? score >= high.score : score > high.score)),
      };
}

interface LexBound {
  /** Whether the range that begins here holds the member, as far as this bound goes. */
  isBelow(member: string): boolean;
  /** Whether the range that ends here holds the member, as far as this bound goes. */
  isAbove(member: string): boolean;
}

function readLexBound(text: string): LexBound {
  if (text === '-') return { isBelow: () => true, isAbove: () => false };
  if (text === '+') return { isBelow: () => false, isAbove: () => true };
  const bound = text.slice(1);
  if (text.startsWith('('))
    return { isBelow: (member) => member > bound, isAbove: (member) => member < bound };
  if (text.startsWith('['))
    return { isBelow: (member) => member >= bound, isAbove: (member) => member <= bound };
  return fail(ERRORS.minOrMaxText);
}

function count(args: Args, { database }: Session, by: By): Answer {
  const { start, end } = spanOf(database.sortedSet(at(args, 1)), by, at(args, 2), at(args, 3));
  return integer(Math.max(0, end - start));
}

function* removeRange(args: Args, { database }: Session, by: By): Generator<undefined, string> {
  const options = { by, isReversed: false, withScores: false, offset: 0, count: -1 };
  const key = at(args, 1);
  const set = database.sortedSet(key);
  const { start, end } = select(set, at(args, 2), at(args, 3), options);
  if (set === undefined || start >= end) return ZERO;
  for (let left = end - start; left > 0; left -= STEP) {
    set.remove(start, start + Math.min(left, STEP));
    if (left > STEP) yield;
  }
  database.changed(key);
  return integer(end - start);
}
