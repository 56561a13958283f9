import type { Blocking } from '../data/waiters.js';
import type { Database } from '../data/database.js';
import type { Session } from '../session.js';
import { CommandError, ERRORS, fail } from '../wire/errors.js';
import type { Encoded } from '../wire/long-reply.js';
import { bulk, scoreReply, nil, nilArray } from '../wire/reply.js';
import { at, onKeys, toFloat, type Args, type Command } from './command.js';
import { move, popFrom, popFromFirst, readEnd, readManyPop, type End } from './lists.js';
import { popScored, readScoredPop, type Extreme } from './sorted-set-pops.js';
import { isEncoded, STEP, type Work } from './work.js';

/** Most keys that one command waits for. */
const MAX_AWAITED = 10_000;
const UP_TO_TIMEOUT = [1, -2, 1] as const;

/** The commands that wait for elements (redis.io, command pages of BLPOP, BLMOVE, BZPOPMIN). */
export const BLOCKING_COMMANDS: readonly Command[] = [
  onKeys('blpop', -3, 'wb', UP_TO_TIMEOUT, (args, session) => popOrWait(args, session, 'LEFT')),
  onKeys('brpop', -3, 'wb', UP_TO_TIMEOUT, (args, session) => popOrWait(args, session, 'RIGHT')),
  onKeys('blmove', 6, 'wmb', [1, 2, 1], (args, session) => {
    const from = readEnd(args[3]);
    const to = readEnd(args[4]);
    return moveOrWait(args, session, from, to, readTimeout(args[5]));
  }),
  onKeys('brpoplpush', 4, 'wmb', [1, 2, 1], (args, session) =>
    moveOrWait(args, session, 'RIGHT', 'LEFT', readTimeout(args[3])),
  ),
  onKeys('blmpop', -5, 'wb', [0, 0, 0], (args, session) => {
    const timeout = readTimeout(args[1]);
    const { keys, end, count } = readManyPop(args, 2);
    return tryOrWait(session, keys, timeout, nilArray(session.resp), (database) =>
      popFromFirst(database, keys, end, count),
    );
  }),
  onKeys('bzpopmin', -3, 'wb', UP_TO_TIMEOUT, (args, session) => popScoredOrWait(args, session, 'MIN')),
  onKeys('bzpopmax', -3, 'wb', UP_TO_TIMEOUT, (args, session) => popScoredOrWait(args, session, 'MAX')),
  onKeys('bzmpop', -5, 'wb', [0, 0, 0], (args, session) => {
    const timeout = readTimeout(args[1]);
    const { keys, extreme, count } = readScoredPop(args, 2);
    return tryOrWait(session, keys, timeout, nilArray(session.resp), (database) =>
      popScored(database, keys, extreme, count, session.resp),
    );
  }),
];

/** Milliseconds; 0 waits for ever. */
function readTimeout(text: string | undefined): number {
  const seconds = toFloat(text, ERRORS.timeoutNotFloat);
  if (seconds < 0) fail(ERRORS.timeoutNegative);
  const milliseconds = Math.ceil(seconds * 1000);
  return Number.isSafeInteger(milliseconds) ? milliseconds : fail(ERRORS.timeoutNotFloat);
}

type Attempt = (database: Database) => Generator<undefined, Encoded | undefined>;

function* tryOrWait(
  { database }: Session,
  keys: readonly string[],
  timeout: number,
  nothing: string,
  attempt: Attempt,
): Generator<undefined, Encoded | Blocking> {
  const answer = yield* attempt(database);
  if (answer !== undefined) return answer;
  if (keys.length > MAX_AWAITED) fail(`ERR a command waits for ${MAX_AWAITED} keys at most`);
  return { database, keys, timeout, nothing, attempt: () => attemptAgain(database, attempt) };
}

function* attemptAgain(database: Database, attempt: Attempt): Generator<undefined, Encoded | undefined> {
  try {
    return yield* attempt(database);
  } catch (thrown) {
    // A key that has become something else is nothing to wait for, and no reason to end the wait.
    if (thrown instanceof CommandError) return undefined;
    throw thrown;
  }
}

function popOrWait(args: Args, session: Session, end: End): Work {
  const timeout = readTimeout(args.at(-1));
  const keys = args.slice(1, -1);
  return tryOrWait(session, keys, timeout, nilArray(session.resp), function* (database) {
    let seen = 0;
    for (const key of keys) {
      const list = database.list(key);
      if (list !== undefined) {
        const element = popFrom(list, end);
        database.changed(key);
        return `*2\r\n${bulk(key)}${bulk(element)}`;
      }
      seen += 1;
      if (seen % STEP === 0) yield;
    }
    return undefined;
  });
}

function* moveOrWait(
  args: Args,
  session: Session,
  from: End,
  to: End,
  timeout: number,
): Generator<undefined, Encoded | Blocking> {
  const source = at(args, 1);
  const target = at(args, 2);
  const answer = yield* tryOrWait(session, [source], timeout, nilArray(session.resp), function* (database) {
    const element = move(database, source, target, from, to);
    if (element !== undefined) return bulk(element);
    yield;
    return undefined;
  });
  return isEncoded(answer) ? answer : { ...answer, inTransaction: nil(session.resp) };
}

function popScoredOrWait(args: Args, session: Session, extreme: Extreme): Work {
  const timeout = readTimeout(args.at(-1));
  const keys = args.slice(1, -1);
  const { resp } = session;
  return tryOrWait(session, keys, timeout, nilArray(resp), function* (database) {
    let seen = 0;
    for (const key of keys) {
      const set = database.sortedSet(key);
      const entry = set?.at(extreme === 'MIN' ? 0 : set.size - 1);
      if (set !== undefined && entry !== undefined) {
        set.delete(entry.member);
        database.changed(key);
        return `*3\r\n${bulk(key)}${bulk(entry.member)}${scoreReply(entry.score, resp)}`;
      }
      seen += 1;
      if (seen % STEP === 0) yield;
    }
    return undefined;
  });
}
