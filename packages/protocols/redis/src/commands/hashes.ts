import type { HashValue } from '../data/hash-value.js';
import type { Session } from '../session.js';
import { ERRORS, fail, wrongArity } from '../wire/errors.js';
import { parseFloat64, parseInt64 } from '../wire/numbers.js';
import { array, bulk, bulkOrNil, bulks, EMPTY_ARRAY, integer, map, OK, ONE, ZERO } from '../wire/reply.js';
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

/** The commands for hashes. */
export const HASH_COMMANDS: readonly Command[] = [
  onKey('hset', -4, 'wm', (args, session) => integer(setFields(args, session))),
  onKey('hmset', -4, 'wm', (args, session) => {
    setFields(args, session);
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
    return array(args.slice(2).map((field) => bulkOrNil(hash?.fields.get(field), resp)));
  }),
  onKey('hgetall', 2, 'r', (args, { database, resp }) => {
    const items: string[] = [];
    for (const [field, value] of database.hash(at(args, 1))?.fields ?? [])
      items.push(bulk(field), bulk(value));
    return map(items, resp);
  }),
  onKey('hkeys', 2, 'r', (args, { database }) =>
    bulks([...(database.hash(at(args, 1))?.fields.keys() ?? [])]),
  ),
  onKey('hvals', 2, 'r', (args, { database }) =>
    bulks([...(database.hash(at(args, 1))?.fields.values() ?? [])]),
  ),
  onKey('hlen', 2, 'r', (args, { database }) => integer(database.hash(at(args, 1))?.size ?? 0)),
  onKey('hexists', 3, 'r', (args, { database }) =>
    database.hash(at(args, 1))?.fields.has(at(args, 2)) === true ? ONE : ZERO,
  ),
  onKey('hstrlen', 3, 'r', (args, { database }) =>
    integer(database.hash(at(args, 1))?.fields.get(at(args, 2))?.length ?? 0),
  ),
  onKey('hdel', -3, 'w', (args, { database }) => {
    const key = at(args, 1);
    const hash = database.hash(key);
    if (hash === undefined) return ZERO;
    const count = args.slice(2).filter((field) => hash.delete(field)).length;
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

function setFields(args: Args, { database }: Session): number {
  if (args.length % 2 !== 0) fail(wrongArity(at(args, 0)));
  const key = at(args, 1);
  const hash = database.hashToChange(key);
  let added = 0;
  for (let index = 2; index < args.length; index += 2) {
    if (hash.set(at(args, index), at(args, index + 1))) added += 1;
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
  database.hashToChange(key).set(field, value);
  database.changed(key);
  return answer;
}

function randomFields(args: Args, session: Session): Answer {
  const { database, hub, resp } = session;
  const hash = database.hash(at(args, 1));
  if (args.length === 2) return bulkOrNil(hub.random.pick([...(hash?.fields.keys() ?? [])]), resp);
  const count = toInteger(args[2]);
  const withValues = args.length === 4 && optionAt(args, 3) === 'WITHVALUES';
  if (args.length > 4 || (args.length === 4 && !withValues)) fail(ERRORS.syntax);
  if (hash === undefined || count === 0) return EMPTY_ARRAY;
  const fields = pickMany([...hash.fields.keys()], count, session);
  return withValues ? pairs(fields, hash, session) : bulks(fields);
}

function pairs(fields: readonly string[], hash: HashValue, { resp }: Session): Answer {
  const both = fields.map((field) => [bulk(field), bulkOrNil(hash.fields.get(field), resp)]);
  return array(resp === 3 ? both.map((pair) => array(pair)) : both.flat());
}

/** Most elements that a command with a negative count answers. */
const MOST_PICKED = 1024 * 1024;

/**
 * Picks elements by chance: as many different ones as there are for a positive count, the same one again and again
 * for a negative one.
 */
export function pickMany(elements: readonly string[], count: number, { hub }: Session): string[] {
  const { random } = hub;
  if (elements.length === 0) return [];
  if (count < 0) {
    if (-count > MOST_PICKED) fail(ERRORS.notInteger);
    return Array.from({ length: -count }, () => random.pick(elements) ?? '');
  }
  if (count >= elements.length) return [...elements];
  const left = [...elements];
  for (let index = 0; index < count; index += 1) {
    const other = random.int(index, left.length - 1);
    const element = left[index] ?? '';
    left[index] = left[other] ?? '';
    left[other] = element;
  }
  return left.slice(0, count);
}
