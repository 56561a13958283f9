import { MIN_ID, type StreamId } from '../../data/by-id.js';
import type { Database } from '../../data/database.js';
import type { Pending, StreamGroup } from '../../data/stream-group.js';
import type { StreamValue } from '../../data/stream-value.js';
import type { Session } from '../../session.js';
import { ERRORS, fail } from '../../wire/errors.js';
import type { Encoded } from '../../wire/long-reply.js';
import { array, bulk, EMPTY_ARRAY, integer, nil, nilArray, OK, ONE, ZERO } from '../../wire/reply.js';
import { at, onKey, onKeys, optionAt, toInteger, type Args, type Command } from '../command.js';
import { gatherList, listHead, READY, STEP, type Answer } from '../work.js';
import { bulkId, readAnyId, readEnd, readId, readStart } from './ids.js';
import { readIds } from './writes.js';

const SECOND = [2, 2, 1] as const;

/** The commands for consumer groups that do not read (redis.io, command page of each). */
export const STREAM_GROUP_COMMANDS: readonly Command[] = [
  onKeys('xgroup|create', -5, 'wm', SECOND, create),
  onKeys('xgroup|setid', -5, 'w', SECOND, setId),
  onKeys('xgroup|destroy', 4, 'w', SECOND, (args, { database }) => {
    const stream = existing(args, database);
    if (!stream.deleteGroup(at(args, 3))) return ZERO;
    database.changed(at(args, 2));
    return ONE;
  }),
  onKeys('xgroup|createconsumer', 5, 'wm', SECOND, (args, { database }) => {
    const group = existingGroup(args, database);
    if (group.consumer(at(args, 4)) !== undefined) return ZERO;
    group.see(at(args, 4), database.now());
    database.changed(at(args, 2));
    return ONE;
  }),
  onKeys('xgroup|delconsumer', 5, 'w', SECOND, function* (args, { database }) {
    const group = existingGroup(args, database);
    const consumer = group.consumer(at(args, 4));
    if (consumer === undefined) return ZERO;
    const { size } = consumer.pending;
    yield* group.remove(consumer);
    database.changed(at(args, 2));
    return integer(size);
  }),
  onKey('xack', -4, 'w', function* (args, { database }) {
    const group = database.stream(at(args, 1))?.group(at(args, 2));
    if (group === undefined) return ZERO;
    const ids = yield* readIds(args, 3);
    let count = 0;
    for (const [index, id] of ids.entries()) {
      if (group.acknowledge(id)) count += 1;
      if (index % STEP === STEP - 1) yield;
    }
    if (count > 0) database.changed(at(args, 1));
    return integer(count);
  }),
  onKey('xpending', -3, 'r', pending),
];

/** @throws CommandError NOGROUP */
export function groupOf(
  database: Database,
  key: string,
  name: string,
): { readonly stream: StreamValue; readonly group: StreamGroup } {
  const stream = database.stream(key);
  const group = stream?.group(name);
  if (stream === undefined || group === undefined)
    return fail(`NOGROUP No such key '${key}' or consumer group '${name}'`);
  return { stream, group };
}

function existing(args: Args, database: Database): StreamValue {
  return (
    database.stream(at(args, 2)) ??
    fail(
      'ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.',
    )
  );
}

function existingGroup(args: Args, database: Database): StreamGroup {
  return (
    existing(args, database).group(at(args, 3)) ??
    fail(`NOGROUP No such consumer group '${at(args, 3)}' for key name '${at(args, 2)}'`)
  );
}

interface GroupOptions {
  readonly makesStream: boolean;
  readonly entriesRead: number | undefined;
}

function readOptions(args: Args, isCreate: boolean): GroupOptions {
  let makesStream = false;
  let entriesRead: number | undefined;
  for (let index = 5; index < args.length; index += 1) {
    const option = optionAt(args, index);
    if (isCreate && option === 'MKSTREAM') makesStream = true;
    else if (option === 'ENTRIESREAD' && index + 1 < args.length) {
      index += 1;
      const read = toInteger(args[index]);
      if (read < -1) fail('ERR value for ENTRIESREAD must be positive or -1');
      entriesRead = read < 0 ? undefined : read;
    } else failSyntax(args);
  }
  return { makesStream, entriesRead };
}

/** @throws CommandError always */
export function failSyntax(args: Args): never {
  return fail(
    `ERR unknown subcommand or wrong number of arguments for '${at(args, 1).slice(0, 128)}'. Try ${at(args, 0).toUpperCase()} HELP.`,
  );
}

function create(args: Args, { database }: Session): Answer {
  const { makesStream, entriesRead } = readOptions(args, true);
  if (args.length > 8) failSyntax(args);
  const key = at(args, 2);
  const known = makesStream ? database.stream(key) : existing(args, database);
  const id = args[4] === '$' ? (known?.lastId ?? MIN_ID) : readId(at(args, 4));
  const stream = known ?? database.streamToChange(key);
  if (stream.group(at(args, 3)) !== undefined) {
    return fail('BUSYGROUP Consumer Group name already exists');
  }
  stream.addGroup(at(args, 3), id, entriesRead);
  database.changed(key);
  return OK;
}

function setId(args: Args, { database }: Session): Answer {
  const { entriesRead } = readOptions(args, false);
  const group = existingGroup(args, database);
  if (args.length !== 5 && args.length !== 7) failSyntax(args);
  group.lastId = args[4] === '$' ? existing(args, database).lastId : readAnyId(at(args, 4));
  group.entriesRead = entriesRead;
  database.changed(at(args, 2));
  return OK;
}

function pending(args: Args, { database, resp }: Session): Answer {
  const { length } = args;
  if (length !== 3 && (length < 6 || length > 9)) fail(ERRORS.syntax);
  if (length === 3) {
    const { group } = groupOf(database, at(args, 1), at(args, 2));
    const [first, last] = [group.pending.first, group.pending.last];
    if (first === undefined || last === undefined) return array([ZERO, nil(resp), nil(resp), nilArray(resp)]);
    const owners = group.consumers().filter((consumer) => consumer.pending.size > 0);
    return array([
      integer(group.pending.size),
      bulkId(first.id),
      bulkId(last.id),
      array(owners.map(({ name, pending: { size } }) => array([bulk(name), bulk(String(size))]))),
    ]);
  }
  let at0 = 3;
  let idle = 0;
  if (optionAt(args, 3) === 'IDLE') {
    idle = toInteger(args[4]);
    if (length < 8) fail(ERRORS.syntax);
    at0 = 5;
  }
  const count = Math.max(toInteger(args[at0 + 2]), 0);
  const start = readStart(at(args, at0));
  const end = readEnd(at(args, at0 + 1));
  const { group } = groupOf(database, at(args, 1), at(args, 2));
  const list = args[at0 + 3] === undefined ? group.pending : group.consumer(at(args, at0 + 3))?.pending;
  if (list === undefined) return EMPTY_ARRAY;
  const from = list.placeOf(start);
  const to = Math.max(
    from,
    list.firstWhere(({ id }: { id: StreamId }) => id > end),
  );
  return listPending(list.range(from, to), database.now(), idle, count);
}

function* listPending(
  all: Iterable<Pending>,
  now: number,
  idle: number,
  count: number,
): Generator<undefined, Encoded> {
  const shown: string[] = [];
  let seen = 0;
  if (count > 0)
    for (const { id, consumer, deliveredAt, deliveries } of all) {
      seen += 1;
      if (seen % STEP === 0) yield;
      const elapsed = Math.floor(now - deliveredAt);
      if (idle !== 0 && elapsed < idle) continue;
      shown.push(
        array([bulkId(id), bulk(consumer.name), integer(Math.max(elapsed, 0)), integer(deliveries)]),
      );
      if (shown.length >= count) break;
    }
  return yield* gatherList(listHead, shown, READY);
}
