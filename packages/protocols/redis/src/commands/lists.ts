import type { Database } from '../data/database.js';
import type { ListValue } from '../data/list-value.js';
import type { Session } from '../session.js';
import { ERRORS, fail } from '../wire/errors.js';
import { joinReplies, Pages, type Encoded } from '../wire/long-reply.js';
import { bulk, bulkOrNil, EMPTY_ARRAY, integer, nil, nilArray, OK, ZERO } from '../wire/reply.js';
import {
  type Answer,
  at,
  clampRange,
  onKey,
  onKeys,
  toCount,
  toInteger,
  type Args,
  type Command,
} from './command.js';
import { findPositions, insert, PAGE, remove } from './list-searches.js';
import { readCountOption, readKeys } from './numbered-keys.js';
import { answerList, BULKS, STEP } from './work.js';

/** An end of a list. */
export type End = 'LEFT' | 'RIGHT';

/** The commands for lists that do not wait. */
export const LIST_COMMANDS: readonly Command[] = [
  onKey('lpush', -3, 'wm', (args, session) => pushAll(args, session, 'LEFT', false)),
  onKey('rpush', -3, 'wm', (args, session) => pushAll(args, session, 'RIGHT', false)),
  onKey('lpushx', -3, 'wm', (args, session) => pushAll(args, session, 'LEFT', true)),
  onKey('rpushx', -3, 'wm', (args, session) => pushAll(args, session, 'RIGHT', true)),
  onKey('lpop', -2, 'w', (args, session) => popSome(args, session, 'LEFT')),
  onKey('rpop', -2, 'w', (args, session) => popSome(args, session, 'RIGHT')),
  onKey('llen', 2, 'r', (args, { database }) => integer(database.list(at(args, 1))?.size ?? 0)),
  onKey('lindex', 3, 'r', (args, { database, resp }) => {
    const list = database.list(at(args, 1));
    if (list === undefined) return nil(resp);
    const index = toInteger(args[2]);
    return bulkOrNil(list.at(index < 0 ? list.size + index : index), resp);
  }),
  onKey('lrange', 4, 'r', (args, { database }) => {
    const first = toInteger(args[2]);
    const last = toInteger(args[3]);
    const list = database.list(at(args, 1));
    if (list === undefined) return EMPTY_ARRAY;
    const { start, end } = clampRange(first, last, list.size);
    return answerList(`*${end - start}\r\n`, end - start, () => list.range(start, end), BULKS);
  }),
  onKey('lset', 4, 'wm', (args, { database }) => {
    const list = database.list(at(args, 1)) ?? fail(ERRORS.noSuchKey);
    const index = toInteger(args[2]);
    const place = index < 0 ? list.size + index : index;
    if (place < 0 || place >= list.size) fail(ERRORS.outOfRange);
    list.set(place, at(args, 3));
    database.changed(at(args, 1));
    return OK;
  }),
  onKey('ltrim', 4, 'w', function* (args, { database }) {
    const first = toInteger(args[2]);
    const last = toInteger(args[3]);
    const list = database.list(at(args, 1));
    if (list === undefined) return OK;
    const { start, end } = clampRange(first, last, list.size);
    while (list.size > end) {
      list.remove(Math.max(end, list.size - PAGE), list.size);
      yield;
    }
    for (let left = start; left > 0; left -= PAGE) {
      list.remove(0, Math.min(left, PAGE));
      yield;
    }
    database.changed(at(args, 1));
    return OK;
  }),
  onKey('lrem', 4, 'w', remove),
  onKey('linsert', 5, 'wm', insert),
  onKey('lpos', -3, 'r', findPositions),
  onKeys('lmove', 5, 'wm', [1, 2, 1], (args, { database, resp }) =>
    bulkOrNil(move(database, at(args, 1), at(args, 2), readEnd(args[3]), readEnd(args[4])), resp),
  ),
  onKeys('rpoplpush', 3, 'wm', [1, 2, 1], (args, { database, resp }) =>
    bulkOrNil(move(database, at(args, 1), at(args, 2), 'RIGHT', 'LEFT'), resp),
  ),
  onKeys('lmpop', -4, 'w', [0, 0, 0], function* (args, { database, resp }) {
    const { keys, end, count } = readManyPop(args, 1);
    return (yield* popFromFirst(database, keys, end, count)) ?? nilArray(resp);
  }),
];

/** @throws CommandError when the word is neither LEFT nor RIGHT */
export function readEnd(word: string | undefined): End {
  const end = (word ?? '').toUpperCase();
  return end === 'LEFT' || end === 'RIGHT' ? end : fail(ERRORS.syntax);
}

/** Takes an element from one end of a list. */
export function popFrom(list: ListValue, end: End): string {
  return (end === 'LEFT' ? list.popFirst() : list.popLast()) ?? '';
}

/** Moves an element from one list to another, or `undefined` when there is none. */
export function move(
  database: Database,
  source: string,
  target: string,
  from: End,
  to: End,
): string | undefined {
  const list = database.list(source);
  if (list === undefined) return undefined;
  database.list(target);
  const element = popFrom(list, from);
  const receiver = source === target ? list : database.listToChange(target);
  if (to === 'LEFT') receiver.pushFirst(element);
  else receiver.pushLast(element);
  database.changed(target);
  if (source !== target) database.changed(source);
  return element;
}

/** What LMPOP and BLMPOP name: `numkeys key [key ...] LEFT|RIGHT [COUNT count]`, from the argument `first` on. */
export function readManyPop(
  args: Args,
  first: number,
): { readonly keys: readonly string[]; readonly end: End; readonly count: number } {
  const { keys, next } = readKeys(args, first);
  const end = readEnd(args[next]);
  return { keys, end, count: readCountOption(args, next + 1) };
}

/** Takes elements from the first of the lists that has some, step by step. */
export function* popFromFirst(
  database: Database,
  keys: readonly string[],
  end: End,
  count: number,
): Generator<undefined, Encoded | undefined> {
  let seen = 0;
  for (const key of keys) {
    const list = database.list(key);
    if (list !== undefined) {
      const elements = yield* popMany(list, end, count);
      database.changed(key);
      return joinReplies(`*2\r\n${bulk(key)}`, [elements]);
    }
    seen += 1;
    if (seen % STEP === 0) yield;
  }
  return undefined;
}

/** Takes elements from one end of a list, as an answer. */
function* popMany(list: ListValue, end: End, count: number): Generator<undefined, Encoded> {
  const taken = new Pages<string>(({ length }) => length);
  for (let left = Math.min(count, list.size); left > 0; left -= PAGE) {
    const { size } = list;
    const few = Math.min(left, PAGE);
    const page = end === 'LEFT' ? list.remove(0, few) : list.remove(size - few, size).reverse();
    for (const element of page) taken.add(element);
    if (left > PAGE) yield;
  }
  return taken.reply(`*${taken.count}\r\n`, bulk);
}

function* pushAll(
  args: Args,
  { database }: Session,
  end: End,
  mustExist: boolean,
): Generator<undefined, string> {
  const key = at(args, 1);
  if (mustExist && database.list(key) === undefined) return ZERO;
  const list = database.listToChange(key);
  for (let index = 2; index < args.length; index += 1) {
    if (end === 'LEFT') list.pushFirst(at(args, index));
    else list.pushLast(at(args, index));
    if (index % STEP === 0) yield;
  }
  const { size } = list;
  database.changed(key);
  return integer(size);
}

function popSome(args: Args, { database, resp }: Session, end: End): Answer {
  if (args.length > 3) fail(`ERR wrong number of arguments for '${at(args, 0).toLowerCase()}' command`);
  const count = args.length === 3 ? toCount(args[2]) : undefined;
  const key = at(args, 1);
  const list = database.list(key);
  if (list === undefined) return count === undefined ? nil(resp) : nilArray(resp);
  if (count !== undefined) return popAndSettle(database, key, list, end, count);
  const element = popFrom(list, end);
  database.changed(key);
  return bulk(element);
}

function* popAndSettle(
  database: Database,
  key: string,
  list: ListValue,
  end: End,
  count: number,
): Generator<undefined, Encoded> {
  const answer = yield* popMany(list, end, count);
  database.changed(key);
  return answer;
}
