import type { Database } from '../data/database.js';
import type { Scored, SortedSetValue } from '../data/sorted-set-value.js';
import type { Session } from '../session.js';
import { ERRORS, fail } from '../wire/errors.js';
import { joinReplies, Pages, type Encoded } from '../wire/long-reply.js';
import { bulk, scoreReply, EMPTY_ARRAY, nilArray, type Resp } from '../wire/reply.js';
import { at, onKey, onKeys, toCount, type Args, type Command } from './command.js';
import { pairForm, scoredForm, scoredHead } from './scored.js';
import { listHead, STEP } from './work.js';
import { readCountOption, readKeys } from './numbered-keys.js';

/** Which members are taken: the smallest or the largest. */
export type Extreme = 'MIN' | 'MAX';

/** The commands that take members from sorted sets. */
export const SORTED_SET_POP_COMMANDS: readonly Command[] = [
  onKey('zpopmin', -2, 'w', (args, session) => popSome(args, session, 'MIN')),
  onKey('zpopmax', -2, 'w', (args, session) => popSome(args, session, 'MAX')),
  onKeys('zmpop', -4, 'w', [0, 0, 0], function* (args, { database, resp }) {
    const { keys, extreme, count } = readScoredPop(args, 1);
    return (yield* popScored(database, keys, extreme, count, resp)) ?? nilArray(resp);
  }),
];

/** What ZMPOP and BZMPOP name: `numkeys key [key ...] MIN|MAX [COUNT count]`, from the argument `first` on. */
export function readScoredPop(
  args: Args,
  first: number,
): { readonly keys: readonly string[]; readonly extreme: Extreme; readonly count: number } {
  const { keys, next } = readKeys(args, first);
  const word = at(args, next).toUpperCase();
  const extreme = word === 'MIN' || word === 'MAX' ? word : fail(ERRORS.syntax);
  return { keys, extreme, count: readCountOption(args, next + 1) };
}

/** Takes members from the first of the sorted sets that has some, step by step. */
export function* popScored(
  database: Database,
  keys: readonly string[],
  extreme: Extreme,
  count: number,
  resp: Resp,
): Generator<undefined, Encoded | undefined> {
  let seen = 0;
  for (const key of keys) {
    const set = database.sortedSet(key);
    if (set !== undefined) {
      const taken = yield* take(set, extreme, count);
      database.changed(key);
      const items = taken.reply(listHead(taken.count), (entry) => pairForm(resp).encode(entry));
      return joinReplies(`*2\r\n${bulk(key)}`, [items]);
    }
    seen += 1;
    if (seen % STEP === 0) yield;
  }
  return undefined;
}

function* take(set: SortedSetValue, extreme: Extreme, count: number): Generator<undefined, Pages<Scored>> {
  const taken = new Pages<Scored>(({ member }) => member.length);
  for (let left = Math.min(count, set.size); left > 0; left -= STEP) {
    const { size } = set;
    const few = Math.min(left, STEP);
    const page = extreme === 'MIN' ? set.remove(0, few) : set.remove(size - few, size).reverse();
    for (const entry of page) taken.add(entry);
    if (left > STEP) yield;
  }
  return taken;
}

function* popSome(args: Args, { database, resp }: Session, extreme: Extreme): Generator<undefined, Encoded> {
  if (args.length > 3) fail(ERRORS.syntax);
  const key = at(args, 1);
  const count = args.length === 3 ? toCount(args[2]) : 1;
  const set = database.sortedSet(key);
  if (set === undefined || count === 0) return EMPTY_ARRAY;
  const taken = yield* take(set, extreme, count);
  database.changed(key);
  // RESP3 nests the pairs, unless it was asked for one member without a count.
  if (resp === 3 && args.length < 3) return taken.reply(listHead(2 * taken.count), encodeFlat);
  return taken.reply(scoredHead(taken.count, true, resp), (entry) => scoredForm(true, resp).encode(entry));
}

function encodeFlat({ member, score }: Scored): string {
  return bulk(member) + scoreReply(score, 3);
}
