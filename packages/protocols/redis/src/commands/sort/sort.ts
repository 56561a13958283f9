import { sortSteps } from '@backlot/core/plugin';
import { mayReadUnnamed } from '../../acl/access.js';
import type { Database } from '../../data/database.js';
import { HashValue } from '../../data/hash-value.js';
import { ListValue } from '../../data/list-value.js';
import { SetValue } from '../../data/set-value.js';
import { SortedSetValue } from '../../data/sorted-set-value.js';
import { isText } from '../../data/text.js';
import type { Session } from '../../session.js';
import { ERRORS, fail } from '../../wire/errors.js';
import type { Encoded } from '../../wire/long-reply.js';
import { parseFloat64 } from '../../wire/numbers.js';
import { integer } from '../../wire/reply.js';
import { at, onKey, optionAt, toInteger, type Args, type Command } from '../command.js';
import { bulksOrNil, gatherList, listHead, STEP } from '../work.js';

/** Most patterns of GET. */
const MAX_PATTERNS = 256;

interface SortOptions {
  readonly by: string | undefined;
  readonly patterns: readonly string[];
  readonly offset: number;
  /** Negative: all. */
  readonly count: number;
  readonly isDescending: boolean;
  readonly isAlpha: boolean;
  readonly target: string | undefined;
}

/** An element with what it is sorted by. */
interface Item {
  readonly element: string;
  readonly score: number;
  readonly weight: string | undefined;
}

/** SORT and SORT_RO (redis.io, command page of SORT); texts are compared by their bytes. */
export const SORT_COMMANDS: readonly Command[] = [
  onKey('sort', -2, 'wm', (args, session) => sort(args, session, true)),
  onKey('sort_ro', -2, 'r', (args, session) => sort(args, session, false)),
];

function* sort(args: Args, session: Session, mayStore: boolean): Generator<undefined, Encoded> {
  const { database, resp } = session;
  const options = readOptions(args, mayStore);
  checkAccess(args, session, options);
  const value = database.find(at(args, 1))?.value;
  const isUnordered = value instanceof SetValue && options.target !== undefined;
  const sorted =
    options.by?.includes('*') === false && !isUnordered
      ? yield* listUnsorted(value, options)
      : yield* listSorted(database, value, options);
  const { start, end } = limit(sorted.length, options);
  const found = pick(database, sorted.slice(start, end), options.patterns);
  if (options.target === undefined) return yield* gatherList(listHead, found, bulksOrNil(resp));
  const stored = new ListValue();
  for (const element of found) {
    stored.pushLast(element ?? '');
    if (stored.size % STEP === 0) yield;
  }
  if (stored.size === 0) database.delete(options.target);
  else database.put(options.target, stored);
  return integer(stored.size);
}

/** @throws CommandError where keys would be read that the user may not read, which the command does not name */
function checkAccess(args: Args, session: Session, { by, patterns }: SortOptions): void {
  if (session.account.isUnlimited) return;
  const named = by?.includes('*') === true ? 'BY' : 'GET';
  if ((named === 'GET' && patterns.length === 0) || mayReadUnnamed(session, at(args, 0).toLowerCase(), args))
    return;
  fail(`ERR ${named} option of SORT denied due to insufficient ACL permissions.`);
}

function limit(
  length: number,
  { offset, count }: SortOptions,
): { readonly start: number; readonly end: number } {
  const start = Math.max(offset, 0);
  return { start, end: count < 0 ? length : Math.min(length, start + count) };
}

/** The elements in their own order; lists and sorted sets are turned round. */
function* listUnsorted(value: unknown, { isDescending }: SortOptions): Generator<undefined, string[]> {
  const elements: string[] = [];
  for (const element of elementsOf(value, isDescending)) {
    elements.push(element);
    if (elements.length % STEP === 0) yield;
  }
  return value instanceof ListValue && isDescending ? elements.reverse() : elements;
}

function* listSorted(
  database: Database,
  value: unknown,
  { by, isAlpha, isDescending }: SortOptions,
): Generator<undefined, string[]> {
  const pattern = by?.includes('*') === true ? by : undefined;
  const byText = isAlpha || (by !== undefined && pattern === undefined);
  const items: Item[] = [];
  for (const element of elementsOf(value, false)) {
    const weight = pattern === undefined ? element : lookUp(database, pattern, element);
    const score = byText || weight === undefined ? 0 : toScore(weight);
    items.push({ element, score, weight });
    if (items.length % STEP === 0) yield;
  }
  const compare = byText ? compareTexts(pattern !== undefined) : compareScores;
  const sorted = yield* sortSteps(items, (one, two) => (isDescending ? -1 : 1) * compare(one, two));
  return sorted.map(({ element }) => element);
}

function toScore(text: string): number {
  return parseFloat64(text.trimStart()) ?? fail("ERR One or more scores can't be converted into double");
}

function compareScores(one: Item, two: Item): number {
  return one.score === two.score ? order(one.element, two.element) : one.score - two.score;
}

/** Elements without a weight come first. */
function compareTexts(isByWeight: boolean): (one: Item, two: Item) => number {
  return (one, two) => {
    if (!isByWeight) return order(one.element, two.element);
    if (one.weight === undefined) return two.weight === undefined ? 0 : -1;
    return two.weight === undefined ? 1 : order(one.weight, two.weight);
  };
}

function order(one: string, two: string): number {
  if (one === two) return 0;
  return one < two ? -1 : 1;
}

/** @throws CommandError WRONGTYPE */
function elementsOf(value: unknown, isReversed: boolean): Iterable<string> {
  if (value === undefined) return [];
  if (value instanceof ListValue) return value.range(0, value.size);
  if (value instanceof SetValue) return value.members;
  if (value instanceof SortedSetValue) return membersOf(value, isReversed);
  return fail(ERRORS.wrongType);
}

function* membersOf(set: SortedSetValue, isReversed: boolean): Generator<string, void> {
  for (const { member } of set.range(0, set.size, isReversed)) yield member;
}

function* pick(
  database: Database,
  elements: readonly string[],
  patterns: readonly string[],
): Generator<string | undefined, void> {
  for (const element of elements) {
    if (patterns.length === 0) yield element;
    for (const pattern of patterns) yield lookUp(database, pattern, element);
  }
}

/** What a pattern names for an element: `#` the element, `weight_*` a string, `object_*->field` a field. */
function lookUp(database: Database, pattern: string, element: string): string | undefined {
  if (pattern === '#') return element;
  const star = pattern.indexOf('*');
  if (star < 0) return undefined;
  const arrow = pattern.indexOf('->', star + 1);
  const hasField = arrow >= 0 && arrow + 2 < pattern.length;
  const key = pattern.slice(0, star) + element + pattern.slice(star + 1, hasField ? arrow : undefined);
  const value = database.find(key)?.value;
  if (hasField) return value instanceof HashValue ? value.fields.get(pattern.slice(arrow + 2)) : undefined;
  return isText(value) ? value.toString() : undefined;
}

function readOptions(args: Args, mayStore: boolean): SortOptions {
  let by: string | undefined;
  let target: string | undefined;
  let [offset, count, isDescending, isAlpha] = [0, -1, false, false];
  const patterns: string[] = [];
  for (let index = 2; index < args.length; index += 1) {
    const option = optionAt(args, index);
    const more = args.length - index - 1;
    if (option === 'ASC') isDescending = false;
    else if (option === 'DESC') isDescending = true;
    else if (option === 'ALPHA') isAlpha = true;
    else if (option === 'LIMIT' && more >= 2) {
      [offset, count] = [toInteger(args[index + 1]), toInteger(args[index + 2])];
      index += 2;
    } else if (option === 'STORE' && mayStore && more >= 1) target = at(args, (index += 1));
    else if (option === 'BY' && more >= 1) by = at(args, (index += 1));
    else if (option === 'GET' && more >= 1) patterns.push(at(args, (index += 1)));
    else fail(ERRORS.syntax);
    if (patterns.length > MAX_PATTERNS) fail(`ERR a command has ${MAX_PATTERNS} patterns of GET at most`);
  }
  return { by, patterns, offset, count, isDescending, isAlpha, target };
}
