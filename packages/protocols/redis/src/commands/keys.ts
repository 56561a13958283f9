import type { Database } from '../data/database.js';
import { encodingOf } from '../data/encoding.js';
import { copyValue, typeOf } from '../data/value.js';
import { DATABASES } from '../data/store.js';
import type { Session } from '../session.js';
import { ERRORS, fail } from '../wire/errors.js';
import type { Encoded } from '../wire/long-reply.js';
import { bulk, bulkOrNil, integer, nil, OK, ONE, simple, ZERO } from '../wire/reply.js';
import {
  at,
  keyless,
  onKey,
  onKeys,
  optionAt,
  toInteger,
  type Answer,
  type Args,
  type Command,
} from './command.js';
import { readGlob } from './globs.js';
import { BULKS, countEach, gatherMatches, listHead } from './work.js';

const ALL_KEYS = [1, -1, 1] as const;
const TWO_KEYS = [1, 2, 1] as const;

/** The commands for keys of any type. */
export const KEY_COMMANDS: readonly Command[] = [
  onKeys('del', -2, 'w', ALL_KEYS, removeKeys),
  onKeys('unlink', -2, 'w', ALL_KEYS, removeKeys),
  onKeys('exists', -2, 'r', ALL_KEYS, countKeys),
  onKeys('touch', -2, 'r', ALL_KEYS, countKeys),
  onKey('type', 2, 'r', (args, { database }) => {
    const entry = database.find(at(args, 1));
    return simple(entry === undefined ? 'none' : typeOf(entry.value));
  }),
  onKeys('rename', 3, 'w', TWO_KEYS, (args, session) => {
    rename(at(args, 1), at(args, 2), session);
    return OK;
  }),
  onKeys('renamenx', 3, 'w', TWO_KEYS, (args, session) => {
    const { database } = session;
    if (!database.has(at(args, 1))) fail(ERRORS.noSuchKey);
    if (database.has(at(args, 2))) return ZERO;
    rename(at(args, 1), at(args, 2), session);
    return ONE;
  }),
  onKeys('copy', -3, 'wm', TWO_KEYS, copy),
  onKey('move', 3, 'w', move),
  keyless('keys', 2, 'r', function* (args, { database }) {
    return yield* gatherMatches(listHead, keysOf(database), readGlob(at(args, 1)), (key) => key, BULKS);
  }),
  keyless('randomkey', 1, 'r', function* (_args, { database, server, resp }) {
    yield* database.sweep();
    const { size } = database;
    return bulkOrNil(size === 0 ? undefined : database.keyAt(server.random.int(0, size - 1)), resp);
  }),
  keyless('dbsize', 1, 'r', function* (_args, { database }) {
    yield* database.sweep();
    return integer(database.size);
  }),
  keyless('flushdb', -1, 'w', (args, { database }) => {
    checkFlush(args);
    database.clear();
    return OK;
  }),
  keyless('flushall', -1, 'w', (args, { server }) => {
    checkFlush(args);
    for (const database of server.store.databases) database.clear();
    return OK;
  }),
  keyless('swapdb', 3, 'w', (args, { server }) => {
    const one = readIndex(args[1], 'ERR invalid first DB index');
    const two = readIndex(args[2], 'ERR invalid second DB index');
    if (one !== two) server.store.database(one).swap(server.store.database(two));
    return OK;
  }),
  onKeys('object|encoding', 3, 'r', [2, 2, 1], (args, { database, resp }) => {
    const entry = database.find(at(args, 2));
    return entry === undefined ? nil(resp) : bulk(encodingOf(entry.value));
  }),
  onKeys('object|refcount', 3, 'r', [2, 2, 1], (args, { database, resp }) =>
    database.has(at(args, 2)) ? ONE : nil(resp),
  ),
  onKeys('object|idletime', 3, 'r', [2, 2, 1], (args, { database, resp }) =>
    database.has(at(args, 2)) ? ZERO : nil(resp),
  ),
  onKeys('memory|usage', -3, 'r', [2, 2, 1], (args, { database, resp }) => {
    for (let index = 3; index < args.length; index += 2) {
      if (optionAt(args, index) !== 'SAMPLES' || index + 1 >= args.length) fail(ERRORS.syntax);
      if (toInteger(args[index + 1]) < 0) fail(ERRORS.syntax);
    }
    const entry = database.find(at(args, 2));
    return entry === undefined ? nil(resp) : integer(entry.counted);
  }),
];

/** The number of a database. @throws CommandError */
export function readIndex(text: string | undefined, message: string): number {
  const index = toInteger(text, message);
  return index < 0 || index >= DATABASES ? fail(ERRORS.dbIndex) : index;
}

function* removeKeys(args: Args, { database }: Session): Generator<undefined, string> {
  return integer(yield* countEach(args, 1, (key) => database.has(key) && database.delete(key)));
}

function* countKeys(args: Args, { database }: Session): Generator<undefined, string> {
  return integer(yield* countEach(args, 1, (key) => database.has(key)));
}

function* keysOf(database: Database): Generator<string, void> {
  for (const [key] of database.live()) yield key;
}

function rename(from: string, to: string, { database }: Session): void {
  const entry = database.find(from) ?? fail(ERRORS.noSuchKey);
  if (from === to) return;
  const { value, expireAt } = entry;
  database.delete(from);
  database.put(to, value, expireAt);
}

function* copy(args: Args, { database, server }: Session): Generator<undefined, Encoded> {
  let target = database;
  let replaces = false;
  for (let index = 3; index < args.length; index += 1) {
    const option = optionAt(args, index);
    if (option === 'REPLACE') replaces = true;
    else if (option === 'DB' && index + 1 < args.length) {
      index += 1;
      target = server.store.database(readIndex(args[index], ERRORS.notInteger));
    } else fail(ERRORS.syntax);
  }
  if (target === database && args[1] === args[2]) fail('ERR source and destination objects are the same');
  const entry = database.find(at(args, 1));
  if (entry === undefined || (!replaces && target.has(at(args, 2)))) return ZERO;
  target.put(at(args, 2), yield* copyValue(entry.value), entry.expireAt);
  return ONE;
}

function move(args: Args, { database, server }: Session): Answer {
  const target = server.store.database(readIndex(args[2], ERRORS.notInteger));
  if (target === database) fail('ERR source and destination objects are the same');
  const key = at(args, 1);
  const entry = database.find(key);
  if (entry === undefined || target.has(key)) return ZERO;
  const { value, expireAt } = entry;
  database.delete(key);
  target.put(key, value, expireAt);
  return ONE;
}

function checkFlush(args: Args): void {
  const option = optionAt(args, 1);
  if (args.length > 2 || (args.length === 2 && option !== 'SYNC' && option !== 'ASYNC')) fail(ERRORS.syntax);
}
