import type { Database } from '../data/database.js';
import { isText, lengthOf, replaceIn, type Text } from '../data/text.js';
import type { Session } from '../session.js';
import { ERRORS, fail } from '../wire/errors.js';
import { longBulk, longPart, type Encoded } from '../wire/long-reply.js';
import { integer, nil, OK, ONE, ZERO, type Resp } from '../wire/reply.js';
import {
  at,
  clampRange,
  onKey,
  onKeys,
  optionAt,
  textAt,
  toInteger,
  toCount,
  type Answer,
  type Args,
  type Command,
} from './command.js';
import { isExpireUnit, readExpiry } from './expire-options.js';
import { answerList, bulksOrNil, STEP } from './work.js';

const ALL_KEYS = [1, -1, 1] as const;
const PAIRS = [1, -1, 2] as const;

/** The commands for strings. */
export const STRING_COMMANDS: readonly Command[] = [
  onKey('get', 2, 'r', (args, { database, resp }) => textOrNil(database.text(at(args, 1)), resp)),
  onKey('set', -3, 'wm', set),
  onKey('getex', -2, 'w', getEx),
  onKey('getdel', 2, 'w', (args, { database, resp }) => {
    const value = database.text(at(args, 1));
    database.delete(at(args, 1));
    return textOrNil(value, resp);
  }),
  onKey('getset', 3, 'wm', (args, { database, resp }) => {
    const old = database.text(at(args, 1));
    database.put(at(args, 1), textAt(args, 2));
    return textOrNil(old, resp);
  }),
  onKey('setnx', 3, 'wm', (args, { database }) => {
    if (database.has(at(args, 1))) return ZERO;
    database.put(at(args, 1), textAt(args, 2));
    return ONE;
  }),
  onKey('setex', 4, 'wm', (args, session) => setFor('EX', args, session)),
  onKey('psetex', 4, 'wm', (args, session) => setFor('PX', args, session)),
  onKeys('mget', -2, 'r', ALL_KEYS, (args, { database, resp }) => {
    const count = args.length - 1;
    return answerList(`*${count}\r\n`, count, () => valuesOf(database, args), bulksOrNil(resp));
  }),
  onKeys('mset', -3, 'wm', PAIRS, function* (args, session) {
    checkPairs(args);
    yield* setPairs(args, session);
    return OK;
  }),
  onKeys('msetnx', -3, 'wm', PAIRS, function* (args, session) {
    checkPairs(args);
    for (let index = 1; index < args.length; index += 2) {
      if (session.database.has(at(args, index))) return ZERO;
      if (index % STEP === 1) yield;
    }
    yield* setPairs(args, session);
    return ONE;
  }),
  onKey('append', 3, 'wm', (args, session) => {
    const { database } = session;
    const key = at(args, 1);
    const value = database.text(key) ?? '';
    const length = lengthOf(value) + lengthOf(textAt(args, 2));
    checkLength(length, session);
    database.put(key, replaceIn(value, lengthOf(value), textAt(args, 2)), database.find(key)?.expireAt);
    return integer(length);
  }),
  onKey('strlen', 2, 'r', (args, { database }) => integer(lengthOf(database.text(at(args, 1)) ?? ''))),
  onKey('getrange', 4, 'r', getRange),
  onKey('substr', 4, 'r', getRange),
  onKey('setrange', 4, 'wm', setRange),
];

function textOrNil(value: Text | undefined, resp: Resp): Encoded {
  return value === undefined ? nil(resp) : longBulk(value);
}

/** @throws CommandError when a string would be too large for one request to hold */
function checkLength(length: number, { server }: Session): void {
  if (length > server.settings.maxRequest) fail(ERRORS.tooLarge);
}

interface SetOptions {
  condition: 'NX' | 'XX' | undefined;
  wantsOld: boolean;
  keepsExpiry: boolean;
  unit: string | undefined;
  amount: string | undefined;
}

function readSetOptions(args: Args): SetOptions {
  const options: SetOptions = {
    condition: undefined,
    wantsOld: false,
    keepsExpiry: false,
    unit: undefined,
    amount: undefined,
  };
  for (let index = 3; index < args.length; index += 1) {
    const option = optionAt(args, index);
    if ((option === 'NX' || option === 'XX') && (options.condition ?? option) === option)
      options.condition = option;
    else if (option === 'GET') options.wantsOld = true;
    else if (option === 'KEEPTTL' && options.unit === undefined) options.keepsExpiry = true;
    else if (
      isExpireUnit(option) &&
      index + 1 < args.length &&
      options.unit === undefined &&
      !options.keepsExpiry
    ) {
      options.unit = option;
      index += 1;
      options.amount = args[index];
    } else fail(ERRORS.syntax);
  }
  return options;
}

function set(args: Args, { database, resp }: Session): Answer {
  const key = at(args, 1);
  if (args.length === 3) {
    database.put(key, textAt(args, 2));
    return OK;
  }
  const { condition, wantsOld, keepsExpiry, unit, amount } = readSetOptions(args);
  const expireAt = unit === undefined ? 0 : readExpiry(unit, amount, database.now(), 'set');
  const old = wantsOld ? textOrNil(database.text(key), resp) : OK;
  if (condition !== undefined && database.has(key) !== (condition === 'XX'))
    return wantsOld ? old : nil(resp);
  database.put(key, textAt(args, 2), keepsExpiry ? database.find(key)?.expireAt : expireAt);
  if (expireAt > 0) database.find(key);
  return old;
}

function setFor(unit: string, args: Args, { database }: Session): Answer {
  const expireAt = readExpiry(unit, args[2], database.now(), at(args, 0).toLowerCase());
  database.put(at(args, 1), textAt(args, 3), expireAt);
  return OK;
}

function getEx(args: Args, { database, resp }: Session): Answer {
  const key = at(args, 1);
  const option = optionAt(args, 2);
  const takesNumber = isExpireUnit(option);
  if (args.length > 2 && !(takesNumber ? args.length === 4 : option === 'PERSIST' && args.length === 3)) {
    fail(ERRORS.syntax);
  }
  const value = database.text(key);
  if (value === undefined) return nil(resp);
  if (args.length > 2) {
    database.expire(key, takesNumber ? readExpiry(option, args[3], database.now(), 'getex') : 0);
    database.changed(key);
    database.find(key);
  }
  return longBulk(value);
}

function checkPairs(args: Args): void {
  if (args.length % 2 === 0) fail(`ERR wrong number of arguments for '${at(args, 0).toLowerCase()}' command`);
}

function* setPairs(args: Args, { database }: Session): Generator<undefined, void> {
  for (let index = 1; index < args.length; index += 2) {
    database.put(at(args, index), textAt(args, index + 1));
    if (index % STEP === 1) yield;
  }
}

/** The values of the keys behind the name of a command. */
function* valuesOf(database: Database, args: Args): Generator<Text | undefined, void> {
  for (let place = 1; place < args.length; place += 1) {
    const value = database.find(at(args, place))?.value;
    yield isText(value) ? value : undefined;
  }
}

function getRange(args: Args, { database }: Session): Answer {
  const first = toInteger(args[2]);
  const last = toInteger(args[3]);
  const value = database.text(at(args, 1)) ?? '';
  const { start, end } = clampRange(first, last, lengthOf(value));
  return longPart(value, start, end);
}

function setRange(args: Args, session: Session): Answer {
  const { database } = session;
  const key = at(args, 1);
  const part = textAt(args, 3);
  const offset = toInteger(args[2]);
  if (offset < 0) fail('ERR offset is out of range');
  const value = database.text(key) ?? '';
  if (lengthOf(part) === 0) return integer(lengthOf(value));
  checkLength(toCount(args[2]) + lengthOf(part), session);
  const changed = replaceIn(value, offset, part);
  database.put(key, changed, database.find(key)?.expireAt);
  return integer(lengthOf(changed));
}
