import { MAX_ID, MIN_ID, type StreamId } from '../../data/by-id.js';
import type { Database } from '../../data/database.js';
import type { Consumer, Pending, StreamGroup } from '../../data/stream-group.js';
import type { StreamValue } from '../../data/stream-value.js';
import type { Session } from '../../session.js';
import { ERRORS, fail } from '../../wire/errors.js';
import { joinReplies, type Encoded } from '../../wire/long-reply.js';
import { array, bulk, integer, map, nil, type Resp } from '../../wire/reply.js';
import { at, onKeys, optionAt, toInteger, type Args, type Command } from '../command.js';
import { gatherList, listHead, READY, STEP } from '../work.js';
import { answerEntries, arrayOf, encodeEntry } from './entries.js';
import { failSyntax } from './groups.js';
import { bulkId } from './ids.js';

const SECOND = [2, 2, 1] as const;
const DEFAULT_COUNT = 10;
/** Bytes of an id as a key of the tree that a Redis keeps. */
const ID_BYTES = 16;

/** XINFO (redis.io, command pages of XINFO STREAM, XINFO GROUPS and XINFO CONSUMERS). */
export const STREAM_INFO_COMMANDS: readonly Command[] = [
  onKeys('xinfo|stream', -3, 'r', SECOND, showStream),
  onKeys('xinfo|groups', 3, 'r', SECOND, (args, { database, resp }) => {
    const stream = existing(args, database);
    return gatherList(listHead, groupsOf(stream, resp), READY);
  }),
  onKeys('xinfo|consumers', 4, 'r', SECOND, (args, { database, resp }) => {
    const group =
      existing(args, database).group(at(args, 3)) ??
      fail(`NOGROUP No such consumer group '${at(args, 3)}' for key name '${at(args, 2)}'`);
    return gatherList(listHead, consumersOf(group, database.now(), resp), READY);
  }),
];

function existing(args: Args, database: Database): StreamValue {
  return database.stream(at(args, 2)) ?? fail(ERRORS.noSuchKey);
}

function* groupsOf(stream: StreamValue, resp: Resp): Generator<string, void> {
  for (const group of stream.groups())
    yield map(
      [
        ...[bulk('name'), bulk(group.name)],
        ...[bulk('consumers'), integer(group.consumerCount)],
        ...[bulk('pending'), integer(group.pending.size)],
        ...progressOf(stream, group, resp),
      ],
      resp,
    );
}

function* consumersOf(group: StreamGroup, now: number, resp: Resp): Generator<string, void> {
  for (const { name, pending, seenAt } of group.consumers())
    yield map(
      [
        ...[bulk('name'), bulk(name)],
        ...[bulk('pending'), integer(pending.size)],
        ...[bulk('idle'), integer(Math.max(Math.floor(now - seenAt), 0))],
      ],
      resp,
    );
}

/** How far a group has come. */
function progressOf(stream: StreamValue, group: StreamGroup, resp: Resp): string[] {
  const { lastId, entriesRead } = group;
  const read = stream.hasGapsFrom(lastId) ? undefined : entriesRead;
  const counted = stream.entriesAdded === 0 ? 0 : (read ?? stream.countUpTo(lastId));
  return [
    ...[bulk('last-delivered-id'), bulkId(lastId)],
    ...[bulk('entries-read'), entriesRead === undefined ? nil(resp) : integer(entriesRead)],
    ...[bulk('lag'), counted === undefined ? nil(resp) : integer(stream.entriesAdded - counted)],
  ];
}

function* showStream(args: Args, { database, resp }: Session): Generator<undefined, Encoded> {
  const most = readFull(args);
  const stream = existing(args, database);
  const masters: StreamId[] = [];
  for (const { master } of stream.nodes()) {
    masters.push(master);
    if (masters.length % STEP === 0) yield;
  }
  const facts = [
    ...[bulk('length'), integer(stream.size)],
    ...[bulk('radix-tree-keys'), integer(masters.length)],
    ...[bulk('radix-tree-nodes'), integer(yield* countTreeNodes(masters))],
    ...[bulk('last-generated-id'), bulkId(stream.lastId)],
    ...[bulk('max-deleted-entry-id'), bulkId(stream.maxDeletedId)],
    ...[bulk('entries-added'), integer(stream.entriesAdded)],
    ...[bulk('recorded-first-entry-id'), bulkId(stream.firstId)],
  ];
  if (most === undefined) {
    const { first, last } = stream.entries;
    facts.push(bulk('groups'), integer(stream.groupCount));
    facts.push(bulk('first-entry'), first === undefined ? nil(resp) : encodeEntry(first));
    facts.push(bulk('last-entry'), last === undefined ? nil(resp) : encodeEntry(last));
    return map(facts, resp);
  }
  const groups: Encoded[] = [];
  for (const group of stream.groups()) groups.push(yield* showGroup(stream, group, most, resp));
  return mapOf(
    [
      ...facts,
      ...[bulk('entries'), yield* answerEntries(stream, MIN_ID, MAX_ID, most)],
      ...[bulk('groups'), arrayOf(groups)],
    ],
    resp,
  );
}

/** How many entries FULL shows of each list (0: all); `undefined` when it is not asked for. */
function readFull(args: Args): number | undefined {
  if (args.length === 3) return undefined;
  if (optionAt(args, 3) !== 'FULL') failSyntax(args);
  if (args.length === 4) return DEFAULT_COUNT;
  if (args.length !== 6 || optionAt(args, 4) !== 'COUNT') failSyntax(args);
  const count = toInteger(args[5]);
  return count < 0 ? DEFAULT_COUNT : count;
}

function* showGroup(
  stream: StreamValue,
  group: StreamGroup,
  most: number,
  resp: Resp,
): Generator<undefined, Encoded> {
  const consumers: Encoded[] = [];
  for (const consumer of group.consumers()) consumers.push(yield* showConsumer(consumer, most, resp));
  const list = yield* showPending(group.pending.range(0, most || Infinity), (item) => [
    bulk(item.consumer.name),
  ]);
  return mapOf(
    [
      ...[bulk('name'), bulk(group.name)],
      ...progressOf(stream, group, resp),
      ...[bulk('pel-count'), integer(group.pending.size)],
      ...[bulk('pending'), list],
      ...[bulk('consumers'), arrayOf(consumers)],
    ],
    resp,
  );
}

function* showConsumer(
  { name, seenAt, pending }: Consumer,
  most: number,
  resp: Resp,
): Generator<undefined, Encoded> {
  const list = yield* showPending(pending.range(0, most || Infinity), () => []);
  return mapOf(
    [
      ...[bulk('name'), bulk(name)],
      ...[bulk('seen-time'), integer(Math.floor(seenAt))],
      ...[bulk('pel-count'), integer(pending.size)],
      ...[bulk('pending'), list],
    ],
    resp,
  );
}

function* showPending(
  all: Iterable<Pending>,
  ownerOf: (item: Pending) => readonly string[],
): Generator<undefined, Encoded> {
  return yield* gatherList(listHead, encodePending(all, ownerOf), READY);
}

/** Encoded at once: they change. */
function* encodePending(
  all: Iterable<Pending>,
  ownerOf: (item: Pending) => readonly string[],
): Generator<string, void> {
  for (const item of all)
    yield array([
      bulkId(item.id),
      ...ownerOf(item),
      integer(Math.floor(item.deliveredAt)),
      integer(item.deliveries),
    ]);
}

function mapOf(items: readonly Encoded[], resp: Resp): Encoded {
  return joinReplies(resp === 3 ? `%${items.length / 2}\r\n` : listHead(items.length), items);
}

/** How many nodes the compressed tree has in which a Redis keeps these ids. */
function* countTreeNodes(ids: readonly StreamId[]): Generator<undefined, number> {
  const keys = ids.map((id) => id.toString(16).padStart(2 * ID_BYTES, '0'));
  const open = [{ from: 0, to: keys.length, depth: 0 }];
  let count = keys.length === 0 ? 1 : 0;
  for (let part = keys.length === 0 ? undefined : open.pop(); part !== undefined; part = open.pop()) {
    yield;
    const { from, to, depth } = part;
    if (to - from === 1) {
      count += depth < ID_BYTES ? 2 : 1;
      continue;
    }
    const byteAt = (place: number, index: number): string =>
      (keys[place] ?? '').slice(2 * index, 2 * index + 2);
    let shared = depth;
    while (byteAt(from, shared) === byteAt(to - 1, shared)) shared += 1;
    count += shared > depth ? 2 : 1;
    for (let start = from; start < to;) {
      let end = start + 1;
      while (end < to && byteAt(end, shared) === byteAt(start, shared)) end += 1;
      open.push({ from: start, to: end, depth: shared + 1 });
      start = end;
    }
  }
  return count;
}
