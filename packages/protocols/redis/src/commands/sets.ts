import { SetValue } from '../data/set-value.js';
import type { Session } from '../session.js';
import { ERRORS, fail } from '../wire/errors.js';
import type { Encoded } from '../wire/long-reply.js';
import { bulk, bulkOrNil, EMPTY_ARRAY, integer, nil, ONE, ZERO, type Resp } from '../wire/reply.js';
import { at, onKey, onKeys, toCount, toInteger, type Args, type Command } from './command.js';
import { pickMany, pickOne } from './picks.js';
import { intersect, readCardinality, setsOf, subtract, unite, type Combine } from './set-algebra.js';
import { answerList, BULKS, countEach, gatherList, listHead, READY } from './work.js';

const ALL_KEYS = [1, -1, 1] as const;

/** The commands for sets. */
export const SET_COMMANDS: readonly Command[] = [
  onKey('sadd', -3, 'wm', function* (args, { database }) {
    const set = database.setToChange(at(args, 1));
    const added = yield* countEach(args, 2, (member) => set.add(member));
    if (added > 0) database.changed(at(args, 1));
    return integer(added);
  }),
  onKey('srem', -3, 'w', function* (args, { database }) {
    const set = database.set(at(args, 1));
    if (set === undefined) return ZERO;
    const removed = yield* countEach(args, 2, (member) => set.delete(member));
    if (removed > 0) database.changed(at(args, 1));
    return integer(removed);
  }),
  onKey('smembers', 2, 'r', (args, { database, resp }) => {
    const { size = 0, members = [] } = database.set(at(args, 1)) ?? {};
    return answerList(headOf(resp)(size), size, () => members, BULKS);
  }),
  onKey('sismember', 3, 'r', (args, { database }) =>
    database.set(at(args, 1))?.has(at(args, 2)) === true ? ONE : ZERO,
  ),
  onKey('smismember', -3, 'r', (args, { database }) => {
    const set = database.set(at(args, 1));
    const count = args.length - 2;
    return answerList(listHead(count), count, () => membershipsOf(set, args), READY);
  }),
  onKey('scard', 2, 'r', (args, { database }) => integer(database.set(at(args, 1))?.size ?? 0)),
  onKey('spop', -2, 'w', pop),
  onKey('srandmember', -2, 'r', function* (args, { database, server, resp }) {
    if (args.length > 3) fail(ERRORS.syntax);
    const set = database.set(at(args, 1)) ?? new SetValue();
    if (args.length === 2) return bulkOrNil(yield* pickOne(set, set.members, server.random), resp);
    const picked = yield* pickMany(set, set.members, toInteger(args[2]), server.random);
    return yield* gatherList(listHead, picked, BULKS);
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
  onKeys('sintercard', -3, 'r', [0, 0, 0], function* (args, { database }) {
    const { keys, limit } = readCardinality(args);
    const { size } = yield* intersect(yield* setsOf(database, keys), limit);
    return integer(size);
  }),
];

function* membershipsOf(set: SetValue | undefined, args: Args): Generator<string, void> {
  for (let index = 2; index < args.length; index += 1) yield set?.has(at(args, index)) === true ? ONE : ZERO;
}

/** The line before the members of a set. */
function headOf(resp: Resp): (count: number) => string {
  return resp === 3 ? (count) => `~${count}\r\n` : listHead;
}

function combining(name: string, combine: Combine): Command[] {
  return [
    onKeys(`s${name}`, -2, 'r', ALL_KEYS, function* (args, { database, resp }) {
      const members = yield* combine(yield* setsOf(database, args, 1));
      return yield* gatherList(headOf(resp), members, BULKS);
    }),
    onKeys(`s${name}store`, -3, 'wm', ALL_KEYS, function* (args, { database }) {
      const members = yield* combine(yield* setsOf(database, args, 2));
      const target = at(args, 1);
      if (members.size === 0) database.delete(target);
      else database.put(target, yield* SetValue.of(members));
      return integer(members.size);
    }),
  ];
}

function* pop(args: Args, session: Session): Generator<undefined, Encoded> {
  const { database, server, resp } = session;
  if (args.length > 3) fail(ERRORS.syntax);
  const key = at(args, 1);
  const count = args.length === 3 ? toCount(args[2]) : undefined;
  const set = database.set(key);
  if (set === undefined) return count === undefined ? nil(resp) : resp === 3 ? '~0\r\n' : EMPTY_ARRAY;
  const members =
    count === undefined
      ? [(yield* pickOne(set, set.members, server.random)) ?? '']
      : yield* pickMany(set, set.members, count, server.random);
  yield* countEach(members, 0, (member) => set.delete(member));
  database.changed(key);
  return count === undefined ? bulk(members[0] ?? '') : yield* gatherList(headOf(resp), members, BULKS);
}
