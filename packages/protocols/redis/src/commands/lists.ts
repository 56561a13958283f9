import type { Database } from '../data/database.js';
import type { ListValue } from '../data/list-value.js';
import type { Session } from '../session.js';
import { ERRORS, fail } from '../wire/errors.js';
import { bulk, bulkOrNil, bulks, EMPTY_ARRAY, integer, nil, nilArray, OK, ZERO } from '../wire/reply.js';
import {
  at,
  clampRange,
  onKey,
  onKeys,
  optionAt,
  toCount,
  toInteger,
  type Answer,
  type Args,
  type Command,
} from './command.js';
import { readCountOption, readKeys } from './numbered-keys.js';

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
    return bulks(list.slice(start, end));
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
  onKey('ltrim', 4, 'w', (args, { database }) => {
    const first = toInteger(args[2]);
    const last = toInteger(args[3]);
    const list = database.list(at(args, 1));
    if (list === undefined) return OK;
    const { start, end } = clampRange(first, last, list.size);
    list.replace(list.slice(start, end));
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
  onKeys('lmpop', -4, 'w', [0, 0, 0], (args, { database, resp }) => {
    const { keys, end, count } = readManyPop(args, 1);
    return popFromFirst(database, keys, end, count) ?? nilArray(resp);
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

/** Takes elements from the first of the lists that has some. */
export function popFromFirst(
  database: Database,
  keys: readonly string[],
  end: End,
  count: number,
): string | undefined {
  for (const key of keys) {
    const list = database.list(key);
    if (list === undefined) continue;
    const elements = Array.from({ length: Math.min(count, list.size) }, () => popFrom(list, end));
    database.changed(key);
    return `*2\r\n${bulk(key)}${bulks(elements)}`;
  }
  return undefined;
}

function pushAll(args: Args, { database }: Session, end: End, mustExist: boolean): Answer {
  const key = at(args, 1);
  if (mustExist && database.list(key) === undefined) return ZERO;
  const list = database.listToChange(key);
  for (let index = 2; index < args.length; index += 1) {
    if (end === 'LEFT') list.pushFirst(at(args, index));
    else list.pushLast(at(args, index));
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
  if (count === undefined) {
    const element = popFrom(list, end);
    database.changed(key);
    return bulk(element);
  }
  const elements = Array.from({ length: Math.min(count, list.size) }, () => popFrom(list, end));
  database.changed(key);
  return bulks(elements);
}

function remove(args: Args, { database }: Session): Answer {
  const count = toInteger(args[2]);
  const key = at(args, 1);
  const list = database.list(key);
  if (list === undefined) return ZERO;
  const element = at(args, 3);
  const elements = list.slice(0, list.size);
  if (count < 0) elements.reverse();
  let left = count === 0 ? Infinity : Math.abs(count);
  const kept = elements.filter((other) => {
    if (other !== element || left === 0) return true;
    left -= 1;
    return false;
  });
  const removed = elements.length - kept.length;
  if (removed === 0) return ZERO;
  list.replace(count < 0 ? kept.reverse() : kept);
  database.changed(key);
  return integer(removed);
}

function insert(args: Args, { database }: Session): Answer {
  const where = optionAt(args, 2);
  if (where !== 'BEFORE' && where !== 'AFTER') fail(ERRORS.syntax);
  const key = at(args, 1);
  const list = database.list(key);
  if (list === undefined) return ZERO;
  const elements = list.slice(0, list.size);
  const place = elements.indexOf(at(args, 3));
  if (place < 0) return integer(-1);
  elements.splice(where === 'BEFORE' ? place : place + 1, 0, at(args, 4));
  list.replace(elements);
  database.changed(key);
  return integer(elements.length);
}

function findPositions(args: Args, { database, resp }: Session): Answer {
  let rank = 1;
  let count: number | undefined;
  let most = 0;
  for (let index = 3; index < args.length; index += 2) {
    const option = optionAt(args, index);
    if (index + 1 >= args.length) fail(ERRORS.syntax);
    if (option === 'RANK') {
      rank = toInteger(args[index + 1]);
      if (rank === 0)
        fail(
          "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list",
        );
    } else if (option === 'COUNT') count = toCount(args[index + 1], "ERR COUNT can't be negative");
    else if (option === 'MAXLEN') most = toCount(args[index + 1], "ERR MAXLEN can't be negative");
    else fail(ERRORS.syntax);
  }
  const list = database.list(at(args, 1));
  const found: number[] = [];
  const size = list?.size ?? 0;
  let toSkip = Math.abs(rank) - 1;
  const wanted = count === undefined ? 1 : count === 0 ? Infinity : count;
  for (let seen = 0; seen < size && (most === 0 || seen < most) && found.length < wanted; seen += 1) {
    const index = rank > 0 ? seen : size - 1 - seen;
    if (list?.at(index) !== args[2]) continue;
    if (toSkip > 0) toSkip -= 1;
    else found.push(index);
  }
  if (count !== undefined) return `*${found.length}\r\n${found.map(integer).join('')}`;
  return found[0] === undefined ? nil(resp) : integer(found[0]);
}
