import { MAX_TIMED, type HashValue } from '../data/hash-value.js';
import type { Session } from '../session.js';
import { fail } from '../wire/errors.js';
import { parseInteger } from '../wire/numbers.js';
import { array, integer } from '../wire/reply.js';
import { at, onKey, optionAt, toInt64, type Answer, type Args, type Command } from './command.js';

/** Milliseconds since 1970 that an expiry of a field has at most. */
const MAX_MOMENT = 2n ** 46n - 1n;
/** What the commands answer for a field that is not there, and for one without an expiry. */
const NO_FIELD = -2;
const NO_EXPIRY = -1;
const CONDITIONS = new Set(['NX', 'XX', 'GT', 'LT']);

/** The commands for the time to live of fields (redis.io, command pages of HEXPIRE and HTTL; Redis 7.4). */
export const HASH_EXPIRY_COMMANDS: readonly Command[] = [
  expiring('hexpire', 1000n, false),
  expiring('hpexpire', 1n, false),
  expiring('hexpireat', 1000n, true),
  expiring('hpexpireat', 1n, true),
  telling('httl', (dueAt, now) => Math.floor((dueAt - now + 999) / 1000)),
  telling('hpttl', (dueAt, now) => Math.ceil(dueAt - now)),
  telling('hexpiretime', (dueAt) => Math.floor((dueAt + 999) / 1000)),
  telling('hpexpiretime', (dueAt) => dueAt),
  onKey('hpersist', -5, 'w', (args, { database }) => {
    const key = at(args, 1);
    const hash = database.hash(key);
    const fields = readFields(args, 2, 'ERR Number of fields must be a positive integer');
    let isChanged = false;
    const answers = fields.map((field) => {
      if (hash?.fields.has(field) !== true) return NO_FIELD;
      if (hash.expiryOf(field) === 0) return NO_EXPIRY;
      hash.expireField(field, 0);
      isChanged = true;
      return 1;
    });
    if (isChanged) database.changed(key);
    return array(answers.map(integer));
  }),
];

/** The fields behind FIELDS and their number. @throws CommandError */
function readFields(args: Args, place: number, notANumber: string): readonly string[] {
  if (optionAt(args, place) !== 'FIELDS')
    fail('ERR Mandatory argument FIELDS is missing or not at the right position');
  const count = parseInteger(at(args, place + 1)) ?? 0;
  if (count < 1) fail(notANumber);
  if (count !== args.length - place - 2)
    fail('ERR The `numfields` parameter must match the number of arguments');
  return args.slice(place + 2);
}

function telling(name: string, show: (dueAt: number, now: number) => number): Command {
  return onKey(name, -5, 'r', (args, { database }) => {
    const hash = database.hash(at(args, 1));
    const fields = readFields(args, 2, 'ERR Number of fields must be a positive integer');
    const now = database.now();
    return array(
      fields.map((field) => {
        if (hash?.fields.has(field) !== true) return integer(NO_FIELD);
        const dueAt = hash.expiryOf(field);
        return integer(dueAt === 0 ? NO_EXPIRY : show(dueAt, now));
      }),
    );
  });
}

function expiring(name: string, scale: bigint, isAbsolute: boolean): Command {
  return onKey(name, -6, 'wm', (args, session) => expire(args, session, name, scale, isAbsolute));
}

function readMoment(text: string | undefined, name: string, scale: bigint, from: bigint): number {
  const given = toInt64(text);
  if (given < 0n) fail('ERR invalid expire time, must be >= 0');
  const moment = given * scale + from;
  return moment > MAX_MOMENT ? fail(`ERR invalid expire time in '${name}' command`) : Number(moment);
}

function expire(args: Args, session: Session, name: string, scale: bigint, isAbsolute: boolean): Answer {
  const { database } = session;
  const key = at(args, 1);
  const hash = database.hash(key);
  const now = Math.floor(database.now());
  const moment = readMoment(args[2], name, scale, isAbsolute ? 0n : BigInt(now));
  const word = optionAt(args, 3);
  const condition = CONDITIONS.has(word) ? word : undefined;
  const place = condition === undefined ? 3 : 4;
  const fields = readFields(args, place, 'ERR Parameter `numFields` should be greater than 0');
  if (hash === undefined) return array(fields.map(() => integer(NO_FIELD)));
  if (moment > now) checkRoom(hash, fields);
  let updated = 0;
  let deleted = 0;
  const answers = fields.map((field) => {
    if (!hash.fields.has(field)) return NO_FIELD;
    if (!isMet(condition, hash.expiryOf(field), moment)) return 0;
    if (moment <= now) {
      deleted += 1;
      hash.delete(field);
      return 2;
    }
    updated += 1;
    hash.expireField(field, moment);
    return 1;
  });
  tell(args, session, deleted, updated);
  return array(answers.map(integer));
}

/** Two things may have happened, each of which is told by itself. */
function tell(args: Args, { database, server }: Session, deleted: number, updated: number): void {
  const key = at(args, 1);
  const { listener } = server.store;
  if (deleted > 0) {
    listener?.begin('hdel', args);
    database.changed(key);
  }
  if (updated > 0) {
    listener?.begin('hexpire', args);
    database.changed(key);
  }
}

/** @throws CommandError when too many fields would expire */
function checkRoom(hash: HashValue, fields: readonly string[]): void {
  if (hash.timed + fields.length <= MAX_TIMED) return;
  const more = new Set(fields.filter((field) => hash.fields.has(field) && hash.expiryOf(field) === 0)).size;
  if (hash.timed + more > MAX_TIMED) fail(`ERR a hash has ${MAX_TIMED} fields with an expiry at most`);
}

function isMet(condition: string | undefined, old: number, moment: number): boolean {
  switch (condition) {
    case 'NX':
      return old === 0;
    case 'XX':
      return old !== 0;
    case 'GT':
      return old !== 0 && moment > old;
    case 'LT':
      return old === 0 || moment < old;
    default:
      return true;
  }
}
