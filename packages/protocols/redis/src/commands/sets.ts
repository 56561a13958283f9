import { SetValue } from '../data/set-value.js';
import type { Session } from '../session.js';
import { ERRORS, fail } from '../wire/errors.js';
import {
  array,
  bulk,
  bulkOrNil,
  bulks,
  EMPTY_ARRAY,
  integer,
  nil,
  ONE,
  set as encodeSet,
  ZERO,
} from '../wire/reply.js';
import {
  at,
  onKey,
  onKeys,
  optionAt,
  toCount,
  toInteger,
  type Answer,
  type Args,
  type Command,
} from './command.js';
import { pickMany } from './hashes.js';
import { readKeys } from './numbered-keys.js';

const ALL_KEYS = [1, -1, 1] as const;

type Combine = (sets: readonly (ReadonlySet<string> | undefined)[]) => Set<string>;

/** The commands for sets. */
export const SET_COMMANDS: readonly Command[] = [
  onKey('sadd', -3, 'wm', (args, { database }) => {
    const set = database.setToChange(at(args, 1));
    const added = args.slice(2).filter((member) => set.add(member)).length;
    database.changed(at(args, 1));
    return integer(added);
  }),
  onKey('srem', -3, 'w', (args, { database }) => {
    const set = database.set(at(args, 1));
    const removed = set === undefined ? 0 : args.slice(2).filter((member) => set.delete(member)).length;
    if (removed > 0) database.changed(at(args, 1));
    return integer(removed);
  }),
  onKey('smembers', 2, 'r', (args, { database, resp }) =>
    encodeMembers(database.set(at(args, 1))?.members, resp),
  ),
  onKey('sismember', 3, 'r', (args, { database }) =>
    database.set(at(args, 1))?.has(at(args, 2)) === true ? ONE : ZERO,
  ),
  onKey('smismember', -3, 'r', (args, { database }) => {
    const set = database.set(at(args, 1));
    return array(args.slice(2).map((member) => (set?.has(member) === true ? ONE : ZERO)));
  }),
  onKey('scard', 2, 'r', (args, { database }) => integer(database.set(at(args, 1))?.size ?? 0)),
  onKey('spop', -2, 'w', pop),
  onKey('srandmember', -2, 'r', (args, session) => {
    if (args.length > 3) fail(ERRORS.syntax);
    const members = [...(session.database.set(at(args, 1))?.members ?? [])];
    if (args.length === 2) return bulkOrNil(session.hub.random.pick(members), session.resp);
    return bulks(pickMany(members, toInteger(args[2]), session));
  }),
  onKeys('smove', 4, 'w', [1, 2, 1], (args, { database }) => {
    const [source, target] = [database.set(at(args, 1)), database.set(at(args, 2))];
    const member = at(args, 3);
    if (source?.has(member) !== true) return ZERO;
    if (source === target) return ONE;
    source.delete(member);
    database.setToChange(at(args, 2)).add(member);
    database.changed(at(args, 1));
    database.changed(at(args, 2));
    return ONE;
  }),
  ...combining('union', unite),
  ...combining('inter', intersect),
  ...combining('diff', subtract),
  onKeys('sintercard', -3, 'r', [0, 0, 0], (args, { database }) => {
    const { keys, limit } = readCardinality(args);
    const { size } = intersect(keys.map((key) => database.set(key)?.members));
    return integer(limit === 0 ? size : Math.min(size, limit));
  }),
];

/** The members that are in some of the sets. */
function unite(sets: readonly (ReadonlySet<string> | undefined)[]): Set<string> {
  const united = new Set<string>();
  for (const set of sets) for (const member of set ?? []) united.add(member);
  return united;
}

/** The members that are in all of the sets. */
export function intersect(sets: readonly (ReadonlySet<string> | undefined)[]): Set<string> {
  const [smallest = new Set<string>(), ...others] = [...sets].sort((a, b) => (a?.size ?? 0) - (b?.size ?? 0));
  return new Set([...smallest].filter((member) => others.every((set) => set?.has(member) === true)));
}

/** The members of the first set that are in no other. */
function subtract([first, ...others]: readonly (ReadonlySet<string> | undefined)[]): Set<string> {
  return new Set([...(first ?? [])].filter((member) => !others.some((set) => set?.has(member) === true)));
}

/** What SINTERCARD and ZINTERCARD name: `numkeys key [key ...] [LIMIT limit]`. */
export function readCardinality(args: Args): { readonly keys: readonly string[]; readonly limit: number } {
  const count = toInteger(args[1], ERRORS.numkeys);
  if (count <= 0) fail(ERRORS.numkeys);
  if (count > args.length - 2) fail("ERR Number of keys can't be greater than number of args");
  const rest = args.slice(2 + count);
  if (rest.length === 0) return { keys: args.slice(2), limit: 0 };
  const { keys, next } = readKeys(args, 1);
  if (optionAt(args, next) !== 'LIMIT' || rest.length !== 2) fail(ERRORS.syntax);
  return { keys, limit: toCount(rest[1], "ERR LIMIT can't be negative") };
}

function encodeMembers(members: ReadonlySet<string> | undefined, resp: Session['resp']): string {
  return encodeSet(Array.from(members ?? [], bulk), resp);
}

function combining(name: string, combine: Combine): Command[] {
  return [
    onKeys(`s${name}`, -2, 'r', ALL_KEYS, (args, { database, resp }) =>
      encodeMembers(combine(args.slice(1).map((key) => database.set(key)?.members)), resp),
    ),
    onKeys(`s${name}store`, -3, 'wm', ALL_KEYS, (args, { database }) => {
      const members = combine(args.slice(2).map((key) => database.set(key)?.members));
      const target = at(args, 1);
      if (members.size === 0) database.delete(target);
      else database.put(target, SetValue.from(members));
      return integer(members.size);
    }),
  ];
}

function pop(args: Args, session: Session): Answer {
  const { database, resp } = session;
  if (args.length > 3) fail(ERRORS.syntax);
  const key = at(args, 1);
  const count = args.length === 3 ? toCount(args[2]) : undefined;
  const set = database.set(key);
  if (set === undefined) return count === undefined ? nil(resp) : resp === 3 ? '~0\r\n' : EMPTY_ARRAY;
  const members = pickMembers(set, count ?? 1, session);
  for (const member of members) set.delete(member);
  database.changed(key);
  return count === undefined ? bulk(members[0] ?? '') : encodeMembers(new Set(members), resp);
}

/** One of a large set without listing it all: SPOP in a loop empties a set in linear time. */
function pickMembers(set: SetValue, count: number, session: Session): string[] {
  if (count !== 1 || set.size <= 64) return pickMany([...set.members], count, session);
  let left = session.hub.random.int(0, 63);
  for (const member of set.members) {
    if (left === 0) return [member];
    left -= 1;
  }
  return [];
}
