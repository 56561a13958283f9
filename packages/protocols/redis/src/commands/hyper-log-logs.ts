import type { Database } from '../data/database.js';
import { decodeHyperLogLog, HLL_SEED, HyperLogLog } from '../data/hll/hyper-log-log.js';
import { murmurHash } from '../data/hll/murmur-hash.js';
import { fail } from '../wire/errors.js';
import { integer, OK, ONE, ZERO } from '../wire/reply.js';
import { at, onKey, onKeys, type Command } from './command.js';
import { STEP } from './work.js';

/** The commands that count different elements roughly (redis.io, command pages of PFADD, PFCOUNT and PFMERGE). */
export const HYPER_LOG_LOG_COMMANDS: readonly Command[] = [
  onKey('pfadd', -2, 'wm', function* (args, { database }) {
    const key = at(args, 1);
    const known = read(database, key);
    const log = known ?? new HyperLogLog();
    let hasChanged = known === undefined;
    for (let index = 2; index < args.length; index += 1) {
      if (log.add(yield* murmurHash(at(args, index), HLL_SEED))) hasChanged = true;
      if (index % STEP === 0) yield;
    }
    if (!hasChanged) return ZERO;
    database.put(key, log.encode(), database.find(key)?.expireAt);
    return ONE;
  }),
  onKeys('pfcount', -2, 'r', [1, -1, 1], function* (args, { database }) {
    return integer((yield* mergeAll(database, args.slice(1))).count());
  }),
  onKeys('pfmerge', -2, 'wm', [1, -1, 1], function* (args, { database }) {
    const merged = yield* mergeAll(database, args.slice(1));
    const key = at(args, 1);
    database.put(key, merged.encode(), database.find(key)?.expireAt);
    return OK;
  }),
];

function* mergeAll(database: Database, keys: readonly string[]): Generator<undefined, HyperLogLog> {
  const merged = new HyperLogLog();
  for (const key of keys) {
    const log = read(database, key);
    if (log !== undefined) merged.merge(log);
    yield;
  }
  return merged;
}

/** @throws CommandError WRONGTYPE */
function read(database: Database, key: string): HyperLogLog | undefined {
  const text = database.string(key);
  if (text === undefined) return undefined;
  return decodeHyperLogLog(text) ?? fail('WRONGTYPE Key is not a valid HyperLogLog string value.');
}
