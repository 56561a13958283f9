import { SetValue } from '../data/set-value.js';
import { SortedSetValue } from '../data/sorted-set-value.js';
import type { Database } from '../data/database.js';
import { ERRORS, fail } from '../wire/errors.js';
import { integer } from '../wire/reply.js';
import { at, onKeys, optionAt, toFloat, toInteger, type Args, type Command } from './command.js';
import { encodeScored } from './sorted-set-ranges.js';
import { intersect, readCardinality } from './sets.js';

type Operation = 'union' | 'inter' | 'diff';
type Scores = ReadonlyMap<string, number>;
type Aggregate = (one: number, two: number) => number;

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
  onKeys('zintercard', -3, 'r', [0, 0, 0], (args, { database }) => {
    const { keys, limit } = readCardinality(args);
    const { size } = intersect(keys.map((key) => new Set(scoresOf(database, key).keys())));
    return integer(limit === 0 ? size : Math.min(size, limit));
  }),
];

function combining(operation: Operation): Command[] {
  return [
    onKeys(`z${operation}`, -3, 'r', [0, 0, 0], (args, { database, resp }) => {
      const wanted = readCombination(args, 1, operation, true);
      const combined = combine(database, wanted, operation);
      return encodeScored(combined.ordered, wanted.withScores, resp);
    }),
    onKeys(`z${operation}store`, -4, 'wm', [1, 1, 1], (args, { database }) => {
      const combined = combine(database, readCombination(args, 2, operation, false), operation);
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

function combine(
  database: Database,
  { keys, weights, aggregate }: Combination,
  operation: Operation,
): SortedSetValue {
  const [first = new Map<string, number>(), ...others] = keys.map((key, index) =>
    weigh(scoresOf(database, key), weights[index] ?? 1),
  );
  const combined = new Map(first);
  for (const scores of others) {
    if (operation === 'union') {
      for (const [member, score] of scores) {
        const old = combined.get(member);
        combined.set(member, old === undefined ? score : aggregate(old, score));
      }
      continue;
    }
    for (const [member, old] of combined) {
      const score = scores.get(member);
      if (operation === 'diff' ? score !== undefined : score === undefined) combined.delete(member);
      else if (score !== undefined) combined.set(member, aggregate(old, score));
    }
  }
  return SortedSetValue.from(Array.from(combined, ([member, score]) => ({ member, score })));
}

function weigh(scores: Scores, weight: number): Scores {
  if (weight === 1) return scores;
  // Zero times infinity is zero here.
  return new Map(Array.from(scores, ([member, score]) => [member, score * weight || 0]));
}

/** @throws CommandError WRONGTYPE */
function scoresOf(database: Database, key: string): Scores {
  const value = database.find(key)?.value;
  if (value === undefined) return new Map();
  if (value instanceof SetValue) return new Map(Array.from(value.members, (member) => [member, 1]));
  if (value instanceof SortedSetValue)
    return new Map(value.ordered.map(({ member, score }) => [member, score]));
  return fail(ERRORS.wrongType);
}
