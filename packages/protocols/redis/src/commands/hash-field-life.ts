import { MAX_TIMED, type HashValue } from '../data/hash-value.js';
import type { Session } from '../session.js';
import { fail } from '../wire/errors.js';
import { parseInteger } from '../wire/numbers.js';
import { array, bulkOrNil, ONE, ZERO } from '../wire/reply.js';
import { at, onKey, optionAt, type Answer, type Args, type Command } from './command.js';
import { readFieldOptions } from './hash-field-options.js';

/** The commands that read or set fields and say how long they live (redis.io, their command pages; Redis 8.0). */
export const HASH_FIELD_LIFE_COMMANDS: readonly Command[] = [
  onKey('hgetdel', -5, 'w', getAndDelete),
  onKey('hgetex', -5, 'w', getAndExpire),
  onKey('hsetex', -6, 'wm', setAndExpire),
];

function getAndDelete(args: Args, { database, resp }: Session): Answer {
  if (optionAt(args, 2) !== 'FIELDS')
    fail('ERR Mandatory argument FIELDS is missing or not at the right position');
  const count = parseInteger(at(args, 3)) ?? 0;
  if (count < 1) fail('ERR Number of fields must be a positive integer');
  if (count !== args.length - 4) fail('ERR The `numfields` parameter must match the number of arguments');
  const key = at(args, 1);
  const hash = database.hash(key);
  let isChanged = false;
  const values = args.slice(4).map((field) => {
    const value = hash?.fields.get(field);
    if (value !== undefined && hash?.delete(field) === true) isChanged = true;
    return bulkOrNil(value, resp);
  });
  if (isChanged) database.changed(key);
  return array(values);
}

function getAndExpire(args: Args, session: Session): Answer {
  const { database, resp, server } = session;
  const key = at(args, 1);
  const hash = database.hash(key);
  const now = Math.floor(database.now());
  const { moment, hasWord, fields } = readFieldOptions(args, now, 'PERSIST', 1);
  const answer = array(fields.map((field) => bulkOrNil(hash?.fields.get(field), resp)));
  const known = [...new Set(fields)].filter((field) => hash?.fields.has(field) === true);
  if (hash === undefined || known.length === 0) return answer;
  if (moment !== undefined) live(args, session, hash, known, moment);
  else if (hasWord) {
    const timed = known.filter((field) => hash.expiryOf(field) !== 0);
    for (const field of timed) hash.expireField(field, 0);
    if (timed.length > 0) {
      server.store.listener?.begin('hpersist', args);
      database.changed(key);
    }
  }
  return answer;
}

function setAndExpire(args: Args, session: Session): Answer {
  const { database, server } = session;
  const key = at(args, 1);
  const now = Math.floor(database.now());
  const { condition, moment, hasWord, fields: pairs } = readFieldOptions(args, now, 'KEEPTTL', 2);
  const known = database.hash(key);
  const fields = pairs.filter((_, index) => index % 2 === 0);
  const isThere = (field: string): boolean => known?.fields.has(field) === true;
  if (condition === 'FNX' && fields.some(isThere)) return ZERO;
  if (condition === 'FXX' && !fields.every(isThere)) return ZERO;
  const names = [...new Set(fields)];
  if (moment !== undefined && moment > now) checkRoom(known, names);
  const hash = database.hashToChange(key);
  for (let index = 0; index < pairs.length; index += 2)
    hash.set(at(pairs, index), at(pairs, index + 1), hasWord);
  server.store.listener?.begin('hset', args);
  database.changed(key);
  if (moment !== undefined) live(args, session, hash, names, moment);
  return ONE;
}

/** Fields that are there go away at a moment: now when it has passed. */
function live(
  args: Args,
  { database, server }: Session,
  hash: HashValue,
  fields: readonly string[],
  moment: number,
): void {
  const hasPassed = moment <= database.now();
  if (!hasPassed) checkRoom(hash, fields);
  for (const field of fields) {
    if (hasPassed) hash.delete(field);
    else hash.expireField(field, moment);
  }
  server.store.listener?.begin(hasPassed ? 'hdel' : 'hexpire', args);
  database.changed(at(args, 1));
}

/** @throws CommandError when too many fields would expire */
function checkRoom(hash: HashValue | undefined, fields: readonly string[]): void {
  const timed = hash?.timed ?? 0;
  if (timed + fields.length <= MAX_TIMED) return;
  const more = fields.filter((field) => (hash?.expiryOf(field) ?? 0) === 0).length;
  if (timed + more > MAX_TIMED) fail(`ERR a hash has ${MAX_TIMED} fields with an expiry at most`);
}
