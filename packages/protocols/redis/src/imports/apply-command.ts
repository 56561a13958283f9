import { parseFloat64, parseInt64 } from '../wire/numbers.js';
import type { Keyspace, PlainKey, PlainValue } from './keyspace.js';

/** What a command has come to: nothing to say, or why it was left out, or what is only nearly so. */
export type Applied = undefined | { readonly refused: string } | { readonly approximated: string };

const MOMENT = {
  approximated: 'keys that go away at a moment stay: the file does not say how long they do',
} as const;
const WRONG = {
  refused: 'a command with wrong arguments, or for a key of another type, is left out',
} as const;

type Run = (args: readonly string[], keys: Keyspace, database: number) => Applied;

/** Changes keys as a command does, as far as it is one that files of data have. */
export function applyCommand(
  [name = '', ...args]: readonly string[],
  keys: Keyspace,
  database: number,
): Applied {
  const command = name.toUpperCase();
  if (IGNORED.has(command)) return undefined;
  const run = COMMANDS.get(command);
  return run === undefined
    ? { refused: `the command ${/^[\w.]{1,30}$/.test(name) ? command : 'of this line'} is not carried out` }
    : run(args, keys, database);
}

/** What says nothing about data. */
const IGNORED: ReadonlySet<string> = new Set(
  'MULTI EXEC PING ECHO AUTH HELLO CLIENT COMMAND CONFIG INFO DBSIZE GET MGET HGETALL HGET LRANGE SMEMBERS ZRANGE KEYS SCAN TTL PTTL TYPE EXISTS QUIT'.split(
    ' ',
  ),
);

/** The value of a key, made when it is not there; `undefined` when it has another type. */
function open<T extends PlainValue['type']>(
  keys: Keyspace,
  database: number,
  key: string,
  make: () => Extract<PlainValue, { type: T }>,
): Extract<PlainValue, { type: T }> | undefined {
  const made = make();
  const known = keys.get(database, key);
  if (known === undefined) {
    keys.set(database, key, made);
    return made;
  }
  return known.value.type === made.type ? (known.value as Extract<PlainValue, { type: T }>) : undefined;
}

/** Arguments behind the key, two at a time. */
function pairs(args: readonly string[]): readonly (readonly [string, string])[] | undefined {
  if (args.length === 0 || args.length % 2 !== 0) return undefined;
  return Array.from({ length: args.length / 2 }, (_, index) => [
    args[2 * index] ?? '',
    args[2 * index + 1] ?? '',
  ]);
}

const setHash: Run = ([key, ...rest], keys, database) => {
  const given = pairs(rest);
  if (key === undefined || given === undefined) return WRONG;
  const hash = open(keys, database, key, () => ({ type: 'hash', fields: new Map<string, string>() }));
  if (hash === undefined) return WRONG;
  for (const [field, text] of given) hash.fields.set(field, text);
  return undefined;
};

const push =
  (atEnd: boolean): Run =>
  ([key, ...items], keys, database) => {
    if (key === undefined || items.length === 0) return WRONG;
    const list = open(keys, database, key, () => ({ type: 'list', items: [] as string[] }));
    if (list === undefined) return WRONG;
    if (atEnd) for (const item of items) list.items.push(item);
    else list.items.unshift(...items.toReversed());
    return undefined;
  };

const setFor =
  (unit: number): Run =>
  ([key, time, text], keys, database) => {
    const ttl = durationOf(time, unit);
    if (key === undefined || ttl === undefined || text === undefined) return WRONG;
    keys.set(database, key, { type: 'string', text }, ttl);
    return undefined;
  };

const expire =
  (unit: number): Run =>
  ([key = '', time], keys, database) => {
    const ttl = durationOf(time, unit);
    const known = keys.get(database, key);
    if (ttl === undefined) return WRONG;
    if (known !== undefined) known.ttl = ttl;
    return undefined;
  };

const add =
  (sign: bigint, isGiven: boolean): Run =>
  ([key, given], keys, database) => {
    const amount = isGiven ? parseInt64(given ?? '') : 1n;
    if (key === undefined || amount === undefined) return WRONG;
    const value = open(keys, database, key, () => ({ type: 'string', text: '0' }));
    const number = value === undefined ? undefined : parseInt64(value.text);
    if (value === undefined || number === undefined) return WRONG;
    value.text = String(number + sign * amount);
    return undefined;
  };

const drop: Run = (args, keys, database) => {
  for (const key of args) keys.delete(database, key);
  return undefined;
};

/** Takes members away, and the key with the last of them. */
function take(known: PlainKey | undefined, keys: Keyspace, members: readonly string[]): Applied {
  if (known === undefined) return undefined;
  const { value } = known;
  const of =
    value.type === 'hash'
      ? value.fields
      : value.type === 'zset'
        ? value.scores
        : value.type === 'set'
          ? value.items
          : undefined;
  if (of === undefined) return WRONG;
  for (const member of members) of.delete(member);
  if (of.size === 0) keys.delete(known.database, known.key);
  return undefined;
}

const remove: Run = ([key = '', ...members], keys, database) => take(keys.get(database, key), keys, members);

const set: Run = ([key, text, ...options], keys, database) => {
  if (key === undefined || text === undefined) return WRONG;
  const known = keys.get(database, key);
  let ttl: number | undefined;
  let applied: Applied;
  for (let at = 0; at < options.length; at += 1) {
    const option = options[at]?.toUpperCase();
    if (option === 'NX' && known !== undefined) return undefined;
    if (option === 'XX' && known === undefined) return undefined;
    if (option === 'KEEPTTL') ttl = known?.ttl;
    if (option === 'EX' || option === 'PX') {
      ttl = durationOf(options[at + 1], option === 'EX' ? 1000 : 1);
      if (ttl === undefined) return WRONG;
      at += 1;
    } else if (option === 'EXAT' || option === 'PXAT') {
      applied = MOMENT;
      at += 1;
    }
  }
  keys.set(database, key, { type: 'string', text }, ttl);
  return applied;
};

const addScores: Run = ([key, ...rest], keys, database) => {
  let at = 0;
  while (['NX', 'XX', 'GT', 'LT', 'CH', 'INCR'].includes((rest[at] ?? '').toUpperCase())) at += 1;
  const conditions = rest.slice(0, at).filter((one) => one.toUpperCase() !== 'CH');
  if (conditions.length > 0)
    return { refused: `ZADD with ${conditions[0]?.toUpperCase() ?? ''} is not carried out` };
  const given = pairs(rest.slice(at))?.map(([score, member]) => [member, parseFloat64(score)] as const);
  if (key === undefined || given === undefined || given.some(([, score]) => score === undefined))
    return WRONG;
  const sorted = open(keys, database, key, () => ({ type: 'zset', scores: new Map<string, number>() }));
  if (sorted === undefined) return WRONG;
  for (const [member, score = 0] of given) sorted.scores.set(member, score);
  return undefined;
};

const addEntry: Run = ([key, ...rest], keys, database) => {
  const begin = rest.findIndex(
    (one) => one === '*' || /^\d{1,20}-(\d{1,20}|\*)$/.test(one) || /^\d{13,20}$/.test(one),
  );
  const id = rest[begin];
  const fields = rest.slice(begin + 1);
  if (key === undefined || id === undefined || pairs(fields) === undefined) return WRONG;
  const stream = open(keys, database, key, () => ({ type: 'stream', entries: [] as never[] }));
  if (stream === undefined) return WRONG;
  const isWhole = /^\d+-\d+$/.test(id);
  (stream.entries as { id: string | undefined; fields: readonly string[] }[]).push({
    id: isWhole ? id : undefined,
    fields,
  });
  return undefined;
};

function durationOf(text: string | undefined, unit: number): number | undefined {
  const time = Number(parseInt64(text ?? '') ?? -1) * unit;
  return time > 0 && time <= 3_650 * 86_400_000 ? time : undefined;
}

const COMMANDS: ReadonlyMap<string, Run> = new Map<string, Run>([
  ['SET', set],
  ['SETNX', ([key = '', text = ''], keys, database) => set([key, text, 'NX'], keys, database)],
  ['SETEX', setFor(1000)],
  ['PSETEX', setFor(1)],
  [
    'MSET',
    (args, keys, database) => {
      const given = pairs(args);
      if (given === undefined) return WRONG;
      for (const [key, text] of given) keys.set(database, key, { type: 'string', text });
      return undefined;
    },
  ],
  [
    'APPEND',
    ([key, text], keys, database) => {
      if (key === undefined || text === undefined) return WRONG;
      const value = open(keys, database, key, () => ({ type: 'string', text: '' }));
      if (value === undefined) return WRONG;
      value.text += text;
      return undefined;
    },
  ],
  ['INCR', add(1n, false)],
  ['DECR', add(-1n, false)],
  ['INCRBY', add(1n, true)],
  ['DECRBY', add(-1n, true)],
  ['HSET', setHash],
  ['HMSET', setHash],
  ['HDEL', remove],
  ['RPUSH', push(true)],
  ['LPUSH', push(false)],
  [
    'SADD',
    ([key, ...members], keys, database) => {
      if (key === undefined || members.length === 0) return WRONG;
      const value = open(keys, database, key, () => ({ type: 'set', items: new Set<string>() }));
      if (value === undefined) return WRONG;
      for (const member of members) value.items.add(member);
      return undefined;
    },
  ],
  ['SREM', remove],
  ['ZADD', addScores],
  ['ZREM', remove],
  ['XADD', addEntry],
  ['DEL', drop],
  ['UNLINK', drop],
  ['EXPIRE', expire(1000)],
  ['PEXPIRE', expire(1)],
  ['EXPIREAT', () => MOMENT],
  ['PEXPIREAT', () => MOMENT],
  [
    'PERSIST',
    ([key = ''], keys, database) => {
      const known = keys.get(database, key);
      if (known !== undefined) known.ttl = undefined;
      return undefined;
    },
  ],
  [
    'RENAME',
    ([from = '', to], keys, database) => {
      const known = keys.get(database, from);
      if (known === undefined || to === undefined) return WRONG;
      keys.delete(database, from);
      keys.set(database, to, known.value, known.ttl);
      return undefined;
    },
  ],
  [
    'FLUSHALL',
    (_args, keys) => {
      keys.clear();
      return undefined;
    },
  ],
  [
    'FLUSHDB',
    (_args, keys, database) => {
      keys.clear(database);
      return undefined;
    },
  ],
]);
