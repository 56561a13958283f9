import { LargeMap } from '../data/large-map.js';
import { SetValue } from '../data/set-value.js';
import { SortedSetValue } from '../data/sorted-set-value.js';
import type { Database } from '../data/database.js';
import { ERRORS, fail } from '../wire/errors.js';
import { integer } from '../wire/reply.js';
import { at, onKeys, optionAt, toFloat, toInteger, type Args, type Command } from './command.js';
import { scoredForm, scoredHead } from './scored.js';
import { readCardinality } from './set-algebra.js';
import { gatherList, STEP } from './work.js';

type Operation = 'union' | 'inter' | 'diff';
type Aggregate = (one: number, two: number) => number;

/** The members of a set or a sorted set, with their scores. */
interface Scores {
  readonly size: number;
  entries(): Iterable<readonly [member: string, score: number]>;
  get(member: string): number | undefined;
}

/** Most members that one command goes through: a set that is named again counts again. */
const MAX_READ = 16_777_216;

interface Combination {
  readonly keys: readonly string[];
  readonly weights: readonly number[];
  readonly aggregate: Aggregate;
  readonly withScores: boolean;
}

const AGGREGATES = new Map<string, Aggregate>([
  // The sum of opposite infinities is zero.
  ['SUM', (one, two) => (Number.isNaN(one + two) ? 0 : one + two)],
  ['MIN', Math.min],
  ['MAX', Math.max],
]);

/** The commands that combine sorted sets; sets count as sorted sets whose scores are 1. */
export const SORTED_SET_ALGEBRA_COMMANDS: readonly Command[] = [
  ...combining('union'),
  ...combining('inter'),
  ...combining('diff'),
  onKeys('zintercard', -3, 'r', [0, 0, 0], function* (args, { database }) {
    const { keys, limit } = readCardinality(args);
    const wanted = { keys, weights: [], aggregate: Math.max, withScores: false };
    const { size } = yield* combine(database, wanted, 'inter');
    return integer(limit === 0 ? size : Math.min(size, limit));
  }),
];

function combining(operation: Operation): Command[] {
  return [
    onKeys(`z${operation}`, -3, 'r', [0, 0, 0], function* (args, { database, resp }) {
      const wanted = readCombination(args, 1, operation, true);
      const { withScores } = wanted;
      const combined = yield* sort(yield* combine(database, wanted, operation));
      const head = (count: number): string => scoredHead(count, withScores, resp);
      return yield* gatherList(head, combined.range(0, combined.size), scoredForm(withScores, resp));
    }),
    onKeys(`z${operation}store`, -4, 'wm', [1, 1, 1], function* (args, { database }) {
      const wanted = readCombination(args, 2, operation, false);
      const combined = yield* sort(yield* combine(database, wanted, operation));
      if (combined.size === 0) database.delete(at(args, 1));
      else database.put(at(args, 1), combined);
      return integer(combined.size);
    }),
  ];
}

function readCombination(
  args: Args,
  first: number,
  operation: Operation,
  mayShowScores: boolean,
): Combination {
  const count = toInteger(args[first]);
  if (count < 1) fail(`ERR at least 1 input key is needed for '${at(args, 0).toLowerCase()}' command`);
  if (count > args.length - first - 1) fail(ERRORS.syntax);
  const keys = args.slice(first + 1, first + 1 + count);
  let weights = keys.map(() => 1);
  let aggregate = AGGREGATES.get('SUM') ?? Math.max;
  let withScores = false;
  for (let index = first + 1 + count; index < args.length; index += 1) {
    const option = optionAt(args, index);
    if (option === 'WEIGHTS' && operation !== 'diff' && index + count < args.length) {
      weights = args
        .slice(index + 1, index + 1 + count)
        .map((weight) => toFloat(weight, 'ERR weight value is not a float'));
      index += count;
    } else if (option === 'AGGREGATE' && operation !== 'diff' && index + 1 < args.length) {
      aggregate = AGGREGATES.get(optionAt(args, index + 1)) ?? fail(ERRORS.syntax);
      index += 1;
    } else if (option === 'WITHSCORES' && mayShowScores) withScores = true;
    else fail(ERRORS.syntax);
  }
  return { keys, weights, aggregate, withScores };
}

function* combine(
  database: Database,
  { keys, weights, aggregate }: Combination,
  operation: Operation,
): Generator<undefined, LargeMap<number>> {
  const sources: Scores[] = [];
  for (const [index, key] of keys.entries()) {
    sources.push(weigh(scoresOf(database, key), weights[index] ?? 1));
    if (index % STEP === STEP - 1) yield;
  }
  checkWork(sources, operation);
  const [first, ...others] = sources;
  const combined = new LargeMap<number>();
  let seen = 0;
  for (const [member, score] of first?.entries() ?? []) {
    combined.set(member, score);
    if (combined.size % STEP === 0) yield;
  }
  for (const scores of others) {
    const isJoined = operation === 'union' || (operation === 'diff' && scores.size < combined.size);
    for (const [member, own] of isJoined ? scores.entries() : combined) {
      seen += 1;
      if (seen % STEP === 0) yield;
      if (operation === 'union') {
        const old = combined.get(member);
        combined.set(member, old === undefined ? own : aggregate(old, own));
        continue;
      }
      const score = isJoined ? own : scores.get(member);
      if (operation === 'diff' ? score !== undefined : score === undefined) combined.delete(member);
      else if (score !== undefined) combined.set(member, aggregate(own, score));
    }
  }
  return combined;
}

/** @throws CommandError when sets are named so often that going through them would not end */
function checkWork(sources: readonly Scores[], operation: Operation): void {
  const most = operation === 'inter' ? (sources[0]?.size ?? 0) : Infinity;
  let members = 0;
  for (const { size } of sources) members += Math.min(size, most);
  if (members > MAX_READ) fail(`ERR the sets have more than ${MAX_READ} members together`);
}

function* sort(scores: LargeMap<number>): Generator<undefined, SortedSetValue> {
  const sorted = new SortedSetValue();
  for (const [member, score] of scores) {
    sorted.set(member, score);
    if (sorted.size % STEP === 0) yield;
  }
  return sorted;
}

function weigh(scores: Scores, weight: number): Scores {
  if (weight === 1) return scores;
  // Zero times infinity is zero here.
  const weighed = (score: number): number => score * weight || 0;
  return {
    size: scores.size,
    *entries() {
      for (const [member, score] of scores.entries()) yield [member, weighed(score)];
    },
    get(member) {
      const score = scores.get(member);
      return score === undefined ? undefined : weighed(score);
    },
  };
}

/** @throws CommandError WRONGTYPE */
function scoresOf(database: Database, key: string): Scores {
  const value = database.find(key)?.value;
  if (value === undefined) return new Map<string, number>();
  if (value instanceof SortedSetValue) return value.scores;
  if (!(value instanceof SetValue)) return fail(ERRORS.wrongType);
  const { members, size } = value;
  return {
    size,
    *entries() {
      for (const member of members) yield [member, 1];
    },
    get: (member) => (members.has(member) ? 1 : undefined),
  };
}
