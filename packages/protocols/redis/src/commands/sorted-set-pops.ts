import type { Database } from '../data/database.js';
import type { Scored, SortedSetValue } from '../data/sorted-set-value.js';
import type { Session } from '../session.js';
import { ERRORS, fail } from '../wire/errors.js';
import { array, bulk, double, EMPTY_ARRAY, nilArray, type Resp } from '../wire/reply.js';
import { at, onKey, onKeys, toCount, type Answer, type Args, type Command } from './command.js';
import { readCountOption, readKeys } from './numbered-keys.js';

/** Which members are taken: the smallest or the largest. */
export type Extreme = 'MIN' | 'MAX';

/** The commands that take members from sorted sets. */
export const SORTED_SET_POP_COMMANDS: readonly Command[] = [
  onKey('zpopmin', -2, 'w', (args, session) => popSome(args, session, 'MIN')),
  onKey('zpopmax', -2, 'w', (args, session) => popSome(args, session, 'MAX')),
  onKeys('zmpop', -4, 'w', [0, 0, 0], (args, { database, resp }) => {
    const { keys, extreme, count } = readScoredPop(args, 1);
    return popScored(database, keys, extreme, count, resp) ?? nilArray(resp);
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

/** Takes members from the first of the sorted sets that has some. */
export function popScored(
  database: Database,
  keys: readonly string[],
  extreme: Extreme,
  count: number,
  resp: Resp,
): string | undefined {
  for (const key of keys) {
    const set = database.sortedSet(key);
    if (set === undefined) continue;
    const taken = take(set, extreme, count);
    database.changed(key);
    const items = taken.map(({ member, score }) => array([bulk(member), double(score, resp)]));
    return array([bulk(key), array(items)]);
  }
  return undefined;
}

function take(set: SortedSetValue, extreme: Extreme, count: number): Scored[] {
  const { ordered } = set;
  const taken = extreme === 'MIN' ? ordered.slice(0, count) : ordered.slice(-count).reverse();
  for (const { member } of taken) set.delete(member);
  return taken;
}

function popSome(args: Args, { database, resp }: Session, extreme: Extreme): Answer {
  if (args.length > 3) fail(ERRORS.syntax);
  const key = at(args, 1);
  const count = args.length === 3 ? toCount(args[2]) : 1;
  const set = database.sortedSet(key);
  if (set === undefined || count === 0) return EMPTY_ARRAY;
  const taken = take(set, extreme, count);
  database.changed(key);
  const pairs = taken.map(({ member, score }) => [bulk(member), double(score, resp)]);
  // RESP3 nests the pairs, unless it was asked for one member without a count.
  return array(resp === 3 && args.length === 3 ? pairs.map((pair) => array(pair)) : pairs.flat());
}
