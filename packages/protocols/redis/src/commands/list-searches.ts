import type { ListValue } from '../data/list-value.js';
import type { Page } from '../data/sequence.js';
import type { Session } from '../session.js';
import { ERRORS, fail } from '../wire/errors.js';
import type { Encoded } from '../wire/long-reply.js';
import { integer, nil, ZERO } from '../wire/reply.js';
import { at, optionAt, toCount, toInteger, type Args } from './command.js';
import { gatherList, listHead, type ItemForm } from './work.js';

/** Elements of a list that are removed in one step. */
export const PAGE = 256;

const INTEGERS: ItemForm<number> = { encode: integer, weigh: () => 8 };

/** Goes through a list from one of its ends; what is removed must be of the page that was given last. */
function* pagesOf(list: ListValue, fromEnd: boolean): Generator<Page<string>, void> {
  let index = fromEnd ? list.size - 1 : 0;
  while (index >= 0 && index < list.size) {
    const { size } = list;
    const page = list.pageAt(index);
    const { length } = page.items;
    yield page;
    index = fromEnd ? page.start - 1 : page.start + length - (size - list.size);
  }
}

/** LREM. */
export function* remove(args: Args, { database }: Session): Generator<undefined, string> {
  const count = toInteger(args[2]);
  const key = at(args, 1);
  const list = database.list(key);
  if (list === undefined) return ZERO;
  const element = at(args, 3);
  const most = count === 0 ? Infinity : Math.abs(count);
  let removed = 0;
  for (const { start, items } of pagesOf(list, count < 0)) {
    const taken = placesIn(items, element, count < 0).slice(0, most - removed);
    // The last first: the indexes of the others stay as they are.
    taken.sort((one, other) => other - one);
    for (const place of taken) list.remove(start + place, start + place + 1);
    removed += taken.length;
    if (removed >= most) break;
    yield;
  }
  if (removed > 0) database.changed(key);
  return integer(removed);
}

/** LINSERT. */
export function* insert(args: Args, { database }: Session): Generator<undefined, string> {
  const where = optionAt(args, 2);
  if (where !== 'BEFORE' && where !== 'AFTER') fail(ERRORS.syntax);
  const key = at(args, 1);
  const list = database.list(key);
  if (list === undefined) return ZERO;
  const pivot = at(args, 3);
  for (const { start, items } of pagesOf(list, false)) {
    const place = items.indexOf(pivot);
    if (place >= 0) {
      list.insert(start + place + (where === 'BEFORE' ? 0 : 1), at(args, 4));
      database.changed(key);
      return integer(list.size);
    }
    yield;
  }
  return integer(-1);
}

interface PositionOptions {
  readonly rank: number;
  /** Absent: the first alone is answered, not in a list. */
  readonly count: number | undefined;
  /** Most elements that are looked at. */
  readonly most: number;
}

function readPositionOptions(args: Args): PositionOptions {
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
  return { rank, count, most: most === 0 ? Infinity : most };
}

/** LPOS. */
export function* findPositions(args: Args, { database, resp }: Session): Generator<undefined, Encoded> {
  const { rank, count, most } = readPositionOptions(args);
  const list = database.list(at(args, 1));
  const wanted = count === undefined ? 1 : count === 0 ? Infinity : count;
  const found: number[] = [];
  if (list !== undefined) {
    let toSkip = Math.abs(rank) - 1;
    for (const { start, items } of pagesOf(list, rank < 0)) {
      for (const place of placesIn(items, at(args, 2), rank < 0)) {
        const index = start + place;
        const seen = rank < 0 ? list.size - index : index + 1;
        if (seen > most || found.length >= wanted) break;
        if (toSkip > 0) toSkip -= 1;
        else found.push(index);
      }
      const seen = rank < 0 ? list.size - start : start + items.length;
      if (seen >= most || found.length >= wanted) break;
      yield;
    }
  }
  if (count !== undefined) return yield* gatherList(listHead, found, INTEGERS);
  return found[0] === undefined ? nil(resp) : integer(found[0]);
}

/** Where an element stands, in the order of a walk. */
function placesIn(items: readonly string[], element: string, fromEnd: boolean): number[] {
  const places: number[] = [];
  for (let place = items.indexOf(element); place >= 0; place = items.indexOf(element, place + 1))
    places.push(place);
  return fromEnd ? places.reverse() : places;
}
