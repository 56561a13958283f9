import type { HashValue } from '../data/hash-value.js';
import { LargeMap } from '../data/large-map.js';
import type { Session } from '../session.js';
import { ERRORS, fail, wrongArity } from '../wire/errors.js';
import { parseFloat64, parseInt64 } from '../wire/numbers.js';
import type { Encoded } from '../wire/long-reply.js';
import { array, bulk, bulkOrNil, EMPTY_ARRAY, integer, OK, ONE, ZERO } from '../wire/reply.js';
import {
  at,
  onKey,
  optionAt,
  toFloat,
  toInt64,
  toInteger,
  type Answer,
  type Args,
  type Command,
} from './command.js';
import { addFloat, addInt64 } from './counters.js';
import { pickMany, pickOne } from './picks.js';
import {
  answerList,
  BULKS,
  bulksOrNil,
  countEach,
  FIELDS,
  gatherList,
  listHead,
  STEP,
  type ItemForm,
} from './work.js';

/** The commands for hashes. */
export const HASH_COMMANDS: readonly Command[] = [
  onKey('hset', -4, 'wm', function* (args, session) {
    return integer(yield* setFields(args, session));
  }),
  onKey('hmset', -4, 'wm', function* (args, session) {
    yield* setFields(args, session);
    return OK;
  }),
  onKey('hsetnx', 4, 'wm', (args, { database }) => {
    const key = at(args, 1);
    if (database.hash(key)?.fields.has(at(args, 2)) === true) return ZERO;
    database.hashToChange(key).set(at(args, 2), at(args, 3));
    database.changed(key);
    return ONE;
  }),
  onKey('hget', 3, 'r', (args, { database, resp }) =>
    bulkOrNil(database.hash(at(args, 1))?.fields.get(at(args, 2)), resp),
  ),
  onKey('hmget', -3, 'r', (args, { database, resp }) => {
    const hash = database.hash(at(args, 1));
    const fields = args.slice(2);
    return answerList(listHead(fields.length), fields.length, () => valuesOf(hash, fields), bulksOrNil(resp));
  }),
  onKey('hgetall', 2, 'r', (args, { database, resp }) => {
    const hash = database.hash(at(args, 1));
    return answerFields(hash, (count) => (resp === 3 ? `%${count}\r\n` : listHead(2 * count)), all, FIELDS);
  }),
  onKey('hkeys', 2, 'r', (args, { database }) => {
    return answerFields(database.hash(at(args, 1)), listHead, (fields) => fields.keys(), BULKS);
  }),
  onKey('hvals', 2, 'r', (args, { database }) => {
    return answerFields(database.hash(at(args, 1)), listHead, (fields) => fields.values(), BULKS);
  }),
  onKey('hlen', 2, 'r', (args, { database }) => integer(database.hash(at(args, 1))?.size ?? 0)),
  onKey('hexists', 3, 'r', (args, { database }) =>
    database.hash(at(args, 1))?.fields.has(at(args, 2)) === true ? ONE : ZERO,
  ),
  onKey('hstrlen', 3, 'r', (args, { database }) =>
    integer(database.hash(at(args, 1))?.fields.get(at(args, 2))?.length ?? 0),
  ),
  onKey('hdel', -3, 'w', function* (args, { database }) {
    const key = at(args, 1);
    const hash = database.hash(key);
    if (hash === undefined) return ZERO;
    const count = yield* countEach(args, 2, (field) => hash.delete(field));
    if (count > 0) database.changed(key);
    return integer(count);
  }),
  onKey('hincrby', 4, 'wm', (args, session) => {
    const by = toInt64(args[3]);
    return increase(args, session, (old) => {
      const value = parseInt64(old) ?? fail('ERR hash value is not an integer');
      const sum = String(addInt64(value, by));
      return { value: sum, answer: `:${sum}\r\n` };
    });
  }),
  onKey('hincrbyfloat', 4, 'wm', (args, session) => {
    const by = toFloat(args[3]);
    return increase(args, session, (old) => {
      const sum = addFloat(parseFloat64(old) ?? fail('ERR hash value is not a float'), by);
      return { value: sum, answer: bulk(sum) };
    });
  }),
  onKey('hrandfield', -2, 'r', randomFields),
];

const NO_FIELDS: Fields = new LargeMap<string>();

type Fields = Pick<LargeMap<string>, 'size' | 'keys' | 'values' | 'entries' | typeof Symbol.iterator>;

function all(fields: Fields): Fields {
  return fields;
}

/** Fields, their values, or both; where some expire, as many as there still are when they are gone through. */
function answerFields<T>(
  hash: HashValue | undefined,
  head: (count: number) => string,
  pick: (fields: Fields) => Iterable<T>,
  form: ItemForm<T>,
): Answer {
  const { size = 0, fields = NO_FIELDS, timed = 0 } = hash ?? {};
  if (timed > 0) return gatherList(head, pick(fields), form);
  return answerList(head(size), size, () => pick(fields), form);
}

/** Fields with their values in arrays of their own. */
const PAIRS: ItemForm<readonly [field: string, value: string]> = {
  encode: ([field, value]) => array([bulk(field), bulk(value)]),
  weigh: (item) => FIELDS.weigh(item),
};

function* valuesOf(
  hash: HashValue | undefined,
  fields: readonly string[],
): Generator<string | undefined, void> {
  for (const field of fields) yield hash?.fields.get(field);
}

function* setFields(args: Args, { database }: Session): Generator<undefined, number> {
  if (args.length % 2 !== 0) fail(wrongArity(at(args, 0)));
  const key = at(args, 1);
  const hash = database.hashToChange(key);
  let added = 0;
  for (let index = 2; index < args.length; index += 2) {
    if (hash.set(at(args, index), at(args, index + 1))) added += 1;
    if (index % STEP === 0) yield;
  }
  database.changed(key);
  return added;
}

function increase(
  args: Args,
  { database }: Session,
  sum: (old: string) => { readonly value: string; readonly answer: string },
): Answer {
  const key = at(args, 1);
  const field = at(args, 2);
  // The sum first: an error leaves no empty hash behind.
  const { value, answer } = sum(database.hash(key)?.fields.get(field) ?? '0');
  database.hashToChange(key).set(field, value, true);
  database.changed(key);
  return answer;
}

function* randomFields(args: Args, { database, server, resp }: Session): Generator<undefined, Encoded> {
  const hash = database.hash(at(args, 1));
  if (args.length === 2) {
    const field = hash === undefined ? undefined : yield* pickOne(hash, hash.fields.keys(), server.random);
    return bulkOrNil(field, resp);
  }
  const count = toInteger(args[2]);
  const withValues = args.length === 4 && optionAt(args, 3) === 'WITHVALUES';
  if (args.length > 4 || (args.length === 4 && !withValues)) fail(ERRORS.syntax);
  if (hash === undefined || count === 0) return EMPTY_ARRAY;
  const picked = yield* pickMany(hash, hash.fields.keys(), count, server.random);
  // Some may have expired meanwhile.
  const fields = hash.timed > 0 ? picked.filter((field) => hash.fields.has(field)) : picked;
  if (!withValues) return yield* gatherList(listHead, fields, BULKS);
  const pairs = withValuesOf(hash, fields);
  return resp === 3
    ? yield* gatherList(listHead, pairs, PAIRS)
    : yield* gatherList((length) => listHead(2 * length), pairs, FIELDS);
}

function* withValuesOf(
  hash: HashValue,
  fields: readonly string[],
): Generator<readonly [field: string, value: string], void> {
  for (const field of fields) yield [field, hash.fields.get(field) ?? ''];
}
