import type { Database } from '../data/database.js';
import { LargeSet } from '../data/large-set.js';
import { ERRORS, fail } from '../wire/errors.js';
import { optionAt, toCount, toInteger, type Args } from './command.js';
import { readKeys } from './numbered-keys.js';
import { STEP } from './work.js';

type Members = Pick<LargeSet, 'size' | 'has' | typeof Symbol.iterator>;

/** Makes one set of several, step by step; it is the caller's own. */
export type Combine = (sets: readonly Members[]) => Generator<undefined, LargeSet>;

const NOBODY: Members = new LargeSet();

/**
 * The sets of keys; of those behind the first, one that is named again does not count again, nor does a second one that is not there.
 *
 * @param from - the place of the first key
 */
export function* setsOf(
  database: Database,
  keys: readonly string[],
  from = 0,
): Generator<undefined, Members[]> {
  const others = new Set<Members>();
  for (let place = from + 1; place < keys.length; place += 1) {
    others.add(database.set(keys[place] ?? '')?.members ?? NOBODY);
    if (place % STEP === 0) yield;
  }
  return [database.set(keys[from] ?? '')?.members ?? NOBODY, ...others];
}

/** The members that are in some of the sets. */
export function* unite(sets: readonly Members[]): Generator<undefined, LargeSet> {
  const united = new LargeSet();
  let seen = 0;
  for (const set of sets) {
    for (const member of set) {
      united.add(member);
      seen += 1;
      if (seen % STEP === 0) yield;
    }
  }
  return united;
}

/**
 * The members that are in all of the sets.
 *
 * @param most - how many are looked for; 0: all
 */
export function* intersect(sets: readonly Members[], most = 0): Generator<undefined, LargeSet> {
  let [smallest = NOBODY] = sets;
  for (const set of sets) if (set.size < smallest.size) smallest = set;
  const others = sets.filter((set) => set !== smallest);
  const common = new LargeSet();
  let seen = 0;
  for (const member of smallest) {
    let isCommon = true;
    for (const set of others) {
      isCommon = set.has(member);
      seen += 1;
      if (seen % STEP === 0) yield;
      if (!isCommon) break;
    }
    if (isCommon) common.add(member);
    if (most > 0 && common.size >= most) break;
    if (others.length === 0 && common.size % STEP === 0) yield;
  }
  return common;
}

/** The members of the first set that are in no other. */
export function* subtract([first = NOBODY, ...others]: readonly Members[]): Generator<undefined, LargeSet> {
  const left = new LargeSet();
  for (const member of first) {
    left.add(member);
    if (left.size % STEP === 0) yield;
  }
  for (const other of others) {
    let seen = 0;
    // The smaller of both is gone through.
    const [few, many] = other.size < left.size ? [other, left] : [left, other];
    for (const member of few) {
      if (few === other || many.has(member)) left.delete(member);
      seen += 1;
      if (seen % STEP === 0) yield;
    }
  }
  return left;
}

/** What SINTERCARD and ZINTERCARD name: `numkeys key [key ...] [LIMIT limit]`. */
export function readCardinality(args: Args): { readonly keys: readonly string[]; readonly limit: number } {
  const count = toInteger(args[1], ERRORS.numkeys);
  if (count <= 0) fail(ERRORS.numkeys);
  if (count > args.length - 2) fail("ERR Number of keys can't be greater than number of args");
  const rest = args.slice(2 + count);
  if (rest.length === 0) return { keys: args.slice(2), limit: 0 };
  const { keys, next } = readKeys(args, 1);
  if (optionAt(args, next) !== 'LIMIT' || rest.length !== 2) fail(ERRORS.syntax);
  return { keys, limit: toCount(rest[1], "ERR LIMIT can't be negative") };
}
