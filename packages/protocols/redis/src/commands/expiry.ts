import type { Session } from '../session.js';
import { fail } from '../wire/errors.js';
import { integer, ONE, ZERO } from '../wire/reply.js';
import { at, onKey, optionAt, type Answer, type Args, type Command } from './command.js';
import { readExpiry } from './expire-options.js';

/** The commands for the time to live of keys, by the host's clock. */
export const EXPIRY_COMMANDS: readonly Command[] = [
  onKey('expire', -3, 'w', (args, session) => expire(args, session, 'EX')),
  onKey('pexpire', -3, 'w', (args, session) => expire(args, session, 'PX')),
  onKey('expireat', -3, 'w', (args, session) => expire(args, session, 'EXAT')),
  onKey('pexpireat', -3, 'w', (args, session) => expire(args, session, 'PXAT')),
  onKey('ttl', 2, 'r', (args, session) => timeLeft(args, session, (left) => Math.floor((left + 500) / 1000))),
  onKey('pttl', 2, 'r', (args, session) => timeLeft(args, session, (left) => left)),
  onKey('expiretime', 2, 'r', (args, session) =>
    moment(args, session, (expireAt) => Math.floor((expireAt + 500) / 1000)),
  ),
  onKey('pexpiretime', 2, 'r', (args, session) => moment(args, session, (expireAt) => expireAt)),
  onKey('persist', 2, 'w', (args, { database }) => {
    const entry = database.find(at(args, 1));
    if (entry === undefined || entry.expireAt === 0) return ZERO;
    database.expire(at(args, 1), 0);
    database.changed(at(args, 1));
    return ONE;
  }),
];

const CONDITIONS = new Set(['NX', 'XX', 'GT', 'LT']);

function readConditions(args: Args): ReadonlySet<string> {
  const words = new Set<string>();
  for (let index = 3; index < args.length; index += 1) {
    const word = optionAt(args, index);
    if (!CONDITIONS.has(word)) fail(`ERR Unsupported option ${at(args, index)}`);
    words.add(word);
  }
  if (words.has('NX') && words.size > 1)
    fail('ERR NX and XX, GT or LT options at the same time are not compatible');
  if (words.has('GT') && words.has('LT')) fail('ERR GT and LT options at the same time are not compatible');
  return words;
}

function expire(args: Args, { database }: Session, unit: string): Answer {
  const words = readConditions(args);
  const expireAt = readExpiry(unit, args[2], database.now(), at(args, 0).toLowerCase(), false);
  const key = at(args, 1);
  const entry = database.find(key);
  if (entry === undefined) return ZERO;
  const old = entry.expireAt === 0 ? Infinity : entry.expireAt;
  if (words.has('NX') && old !== Infinity) return ZERO;
  if (words.has('XX') && old === Infinity) return ZERO;
  if (words.has('GT') && expireAt <= old) return ZERO;
  if (words.has('LT') && expireAt >= old) return ZERO;
  if (expireAt <= database.now()) database.delete(key);
  else {
    database.expire(key, expireAt);
    database.changed(key);
  }
  return ONE;
}

function timeLeft(args: Args, { database }: Session, show: (left: number) => number): Answer {
  const entry = database.find(at(args, 1));
  if (entry === undefined) return integer(-2);
  return integer(entry.expireAt === 0 ? -1 : show(Math.ceil(entry.expireAt - database.now())));
}

function moment(args: Args, { database }: Session, show: (moment: number) => number): Answer {
  const entry = database.find(at(args, 1));
  if (entry === undefined) return integer(-2);
  return integer(entry.expireAt === 0 ? -1 : show(entry.expireAt));
}
