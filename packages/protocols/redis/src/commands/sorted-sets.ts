import type { Session } from '../session.js';
import { ERRORS, fail } from '../wire/errors.js';
import { parseFloat64 } from '../wire/numbers.js';
import type { Scored, SortedSetValue } from '../data/sorted-set-value.js';
import type { Encoded } from '../wire/long-reply.js';
import {
  array,
  bulkOrNil,
  scoreReply,
  EMPTY_ARRAY,
  integer,
  nil,
  nilArray,
  ZERO,
  type Resp,
} from '../wire/reply.js';
import { at, onKey, optionAt, toFloat, toInteger, type Answer, type Args, type Command } from './command.js';
import { pickMany, pickOne } from './picks.js';
import { scoredHead, scoredForm } from './scored.js';
import { answerList, BULKS, countEach, gatherList, listHead, READY, STEP } from './work.js';

/** The commands for single members of sorted sets. */
export const SORTED_SET_COMMANDS: readonly Command[] = [
  onKey('zadd', -4, 'wm', add),
  onKey('zincrby', 4, 'wm', (args, { database, resp }) => {
    const by = toFloat(args[2]);
    const key = at(args, 1);
    const score = (database.sortedSet(key)?.score(at(args, 3)) ?? 0) + by;
    if (Number.isNaN(score)) fail('ERR resulting score is not a number (NaN)');
    database.sortedSetToChange(key).set(at(args, 3), score);
    database.changed(key);
    return scoreReply(score, resp);
  }),
  onKey('zrem', -3, 'w', function* (args, { database }) {
    const set = database.sortedSet(at(args, 1));
    if (set === undefined) return ZERO;
    const removed = yield* countEach(args, 2, (member) => set.delete(member));
    if (removed > 0) database.changed(at(args, 1));
    return integer(removed);
  }),
  onKey('zcard', 2, 'r', (args, { database }) => integer(database.sortedSet(at(args, 1))?.size ?? 0)),
  onKey('zscore', 3, 'r', (args, { database, resp }) => {
    const score = database.sortedSet(at(args, 1))?.score(at(args, 2));
    return score === undefined ? nil(resp) : scoreReply(score, resp);
  }),
  onKey('zmscore', -3, 'r', (args, { database, resp }) => {
    const set = database.sortedSet(at(args, 1));
    const count = args.length - 2;
    return answerList(listHead(count), count, () => scoresOf(set, args, resp), READY);
  }),
  onKey('zrank', -3, 'r', (args, session) => rank(args, session, false)),
  onKey('zrevrank', -3, 'r', (args, session) => rank(args, session, true)),
  onKey('zrandmember', -2, 'r', randomMembers),
];

interface AddOptions {
  readonly words: ReadonlySet<string>;
  /** Where the scores begin. */
  readonly first: number;
}

const ADD_WORDS = new Set(['NX', 'XX', 'GT', 'LT', 'CH', 'INCR']);

function readAddOptions(args: Args): AddOptions {
  const words = new Set<string>();
  let first = 2;
  for (; ADD_WORDS.has(optionAt(args, first)); first += 1) words.add(optionAt(args, first));
  const count = args.length - first;
  if (count === 0 || count % 2 !== 0) fail(ERRORS.syntax);
  if (words.has('NX') && words.has('XX')) fail('ERR XX and NX options at the same time are not compatible');
  const limits = Number(words.has('GT')) + Number(words.has('LT')) + Number(words.has('NX'));
  if (limits > 1) fail('ERR GT, LT, and/or NX options at the same time are not compatible');
  if (words.has('INCR') && count > 2) fail('ERR INCR option supports a single increment-element pair');
  return { words, first };
}

function* scoresOf(set: SortedSetValue | undefined, args: Args, resp: Resp): Generator<string, void> {
  for (let index = 2; index < args.length; index += 1) {
    const score = set?.score(at(args, index));
    yield score === undefined ? nil(resp) : scoreReply(score, resp);
  }
}

function* add(args: Args, { database, resp }: Session): Generator<undefined, Encoded> {
  const { words, first } = readAddOptions(args);
  const key = at(args, 1);
  const scores: number[] = [];
  for (let index = first; index < args.length; index += 2) {
    scores.push(toFloat(args[index]));
    if (scores.length % STEP === 0) yield;
  }
  const isIncrease = words.has('INCR');
  if (words.has('XX') && database.sortedSet(key) === undefined) return isIncrease ? nil(resp) : ZERO;
  if (
    isIncrease &&
    Number.isNaN((database.sortedSet(key)?.score(at(args, first + 1)) ?? 0) + (scores[0] ?? 0))
  ) {
    fail('ERR resulting score is not a number (NaN)');
  }
  const set = database.sortedSetToChange(key);
  let added = 0;
  let changed = 0;
  let result: number | undefined;
  for (const [index, given] of scores.entries()) {
    if (index % STEP === STEP - 1) yield;
    const member = at(args, first + 2 * index + 1);
    const old = set.score(member);
    const score = isIncrease ? (old ?? 0) + given : given;
    if (old === undefined ? words.has('XX') : !mayChange(words, old, score)) continue;
    result = score;
    if (old === undefined) added += 1;
    else if (old !== score) changed += 1;
    set.set(member, score);
  }
  database.changed(key);
  if (isIncrease) return result === undefined ? nil(resp) : scoreReply(result, resp);
  return integer(words.has('CH') ? added + changed : added);
}

function mayChange(words: ReadonlySet<string>, old: number, score: number): boolean {
  if (words.has('NX')) return false;
  if (words.has('GT')) return score > old;
  return words.has('LT') ? score < old : true;
}

function rank(args: Args, { database, resp }: Session, fromEnd: boolean): Answer {
  const withScore = args.length === 4 && optionAt(args, 3) === 'WITHSCORE';
  if (args.length > 4 || (args.length === 4 && !withScore)) fail(ERRORS.syntax);
  const set = database.sortedSet(at(args, 1));
  const member = at(args, 2);
  const place = set?.rank(member) ?? -1;
  if (set === undefined || place < 0) return withScore ? nilArray(resp) : nil(resp);
  const shown = integer(fromEnd ? set.size - 1 - place : place);
  return withScore ? array([shown, scoreReply(set.score(member) ?? 0, resp)]) : shown;
}

function* randomMembers(args: Args, { database, server, resp }: Session): Generator<undefined, Encoded> {
  const set = database.sortedSet(at(args, 1));
  if (args.length === 2) {
    const member = set === undefined ? undefined : yield* pickOne(set, set.scores.keys(), server.random);
    return bulkOrNil(member, resp);
  }
  const count = toInteger(args[2]);
  const withScores = args.length === 4 && optionAt(args, 3) === 'WITHSCORES';
  if (args.length > 4 || (args.length === 4 && !withScores)) fail(ERRORS.syntax);
  if (set === undefined || count === 0) return EMPTY_ARRAY;
  const members = yield* pickMany(set, set.scores.keys(), count, server.random);
  if (!withScores) return yield* gatherList(listHead, members, BULKS);
  return yield* gatherList(
    (length) => scoredHead(length, true, resp),
    withScoresOf(set, members),
    scoredForm(true, resp),
  );
}

function* withScoresOf(set: SortedSetValue, members: readonly string[]): Generator<Scored, void> {
  for (const member of members) yield { member, score: set.score(member) ?? 0 };
}

/** One end of a range of scores. */
interface ScoreBound {
  readonly score: number;
  readonly isExclusive: boolean;
}

/** @throws CommandError when the text is no bound */
export function readScoreBound(text: string): ScoreBound {
  const isExclusive = text.startsWith('(');
  const score = parseFloat64(isExclusive ? text.slice(1) : text) ?? fail(ERRORS.minOrMax);
  return { score, isExclusive };
}
