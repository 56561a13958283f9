import { MAX_ID, MIN_ID, type StreamId } from '../../data/by-id.js';
import type { Database } from '../../data/database.js';
import type { Consumer, StreamGroup } from '../../data/stream-group.js';
import { StreamValue, type StreamEntry } from '../../data/stream-value.js';
import type { Blocking } from '../../data/waiters.js';
import type { Session } from '../../session.js';
import { CommandError, ERRORS, fail } from '../../wire/errors.js';
import { joinReplies, Pages, type Encoded } from '../../wire/long-reply.js';
import { array, bulk, error, nilArray, type Resp } from '../../wire/reply.js';
import { at, onKeys, optionAt, toInteger, type Args, type Command } from '../command.js';
import { listHead, STEP } from '../work.js';
import { answerEntries, encodeEntry, ENTRIES, placesOf } from './entries.js';
import { bulkId, readId } from './ids.js';

/** Most streams that one command waits for. */
const MAX_AWAITED = 10_000;
const DELETED = error('UNBLOCKED the stream key no longer exists');
const NO_GROUP = error('NOGROUP the consumer group this client was blocked on no longer exists');

/** The commands that read streams, and wait for entries (redis.io, command pages of XREAD and XREADGROUP). */
export const STREAM_READ_COMMANDS: readonly Command[] = [
  onKeys('xread', -4, 'rb', [0, 0, 0], (args, session) => read(args, session, false)),
  onKeys('xreadgroup', -7, 'wb', [0, 0, 0], (args, session) => read(args, session, true)),
];

interface Reader {
  readonly group: string;
  readonly consumer: string;
  /** Whether what is read becomes pending. */
  readonly isKept: boolean;
}

interface Request {
  readonly reader: Reader | undefined;
  /** Most entries of each stream; 0: all. */
  readonly count: number;
  /** Milliseconds; `undefined`: it does not wait. */
  readonly timeout: number | undefined;
  readonly keys: readonly string[];
  readonly ids: readonly string[];
}

function* read(args: Args, session: Session, isGroup: boolean): Generator<undefined, Encoded | Blocking> {
  const request = readRequest(args, isGroup);
  const { database, resp } = session;
  const { keys, reader, count, timeout } = request;
  const starts = yield* resolveIds(database, request);
  const parts: Encoded[] = [];
  for (const [index, key] of keys.entries()) {
    if (index % STEP === STEP - 1) yield;
    const start = starts[index] ?? MAX_ID;
    const stream = database.stream(key);
    if (stream === undefined) continue;
    const part = reader
      ? yield* readForGroup(stream, reader, start, count, database.now(), resp)
      : stream.size > 0 && (stream.entries.last?.id ?? MIN_ID) > start
        ? yield* answerEntries(stream, start + 1n, MAX_ID, count)
        : undefined;
    if (part === undefined) continue;
    parts.push(named(key, part, resp));
    if (reader) database.changed(key);
  }
  if (parts.length > 0) return joinReplies(headOf(parts.length, resp), parts);
  const nothing = nilArray(resp);
  if (timeout === undefined) return nothing;
  if (keys.length > MAX_AWAITED) fail(`ERR a command waits for ${MAX_AWAITED} keys at most`);
  const places = new Map(keys.map((key, index) => [key, starts[index] ?? MAX_ID]));
  return {
    database,
    keys,
    timeout,
    nothing,
    mindsDeletion: reader !== undefined,
    attempt: (key) => attempt(database, request, key, places.get(key) ?? MAX_ID, resp),
  };
}

/** Tries again for one stream that has changed. */
function* attempt(
  database: Database,
  { reader, count }: Request,
  key: string,
  start: StreamId,
  resp: Resp,
): Generator<undefined, Encoded | undefined> {
  const stream = database.find(key)?.value;
  if (!(stream instanceof StreamValue)) return reader === undefined ? undefined : DELETED;
  if (reader === undefined) {
    if (stream.lastId <= start) return undefined;
    const entries = yield* answerEntries(stream, start + 1n, MAX_ID, count);
    return joinReplies(headOf(1, resp), [named(key, entries, resp)]);
  }
  const group = stream.group(reader.group);
  if (group === undefined) return NO_GROUP;
  if (stream.lastId <= group.lastId) return undefined;
  try {
    const entries = yield* deliver(stream, group, reader, count, database.now());
    database.changed(key);
    return joinReplies(headOf(1, resp), [named(key, entries, resp)]);
  } catch (thrown) {
    if (thrown instanceof CommandError) return error(thrown.message);
    throw thrown;
  }
}

function* readForGroup(
  stream: StreamValue,
  reader: Reader,
  start: StreamId,
  count: number,
  now: number,
  resp: Resp,
): Generator<undefined, Encoded | undefined> {
  const group = stream.group(reader.group);
  if (group === undefined) return undefined;
  if (start !== MAX_ID)
    return yield* readHistory(stream, group.see(reader.consumer, now), start, count, now, resp);
  if (stream.size === 0 || (stream.entries.last?.id ?? MIN_ID) <= group.lastId) return undefined;
  return yield* deliver(stream, group, reader, count, now);
}

/** Delivers the entries behind the last that the group has. */
function* deliver(
  stream: StreamValue,
  group: StreamGroup,
  { consumer: name, isKept }: Reader,
  count: number,
  now: number,
): Generator<undefined, Encoded> {
  const consumer = group.see(name, now);
  const { from, to } = placesOf(stream, group.lastId + 1n, MAX_ID, count);
  const pages = new Pages<StreamEntry>((entry) => ENTRIES.weigh(entry));
  for (const entry of stream.entries.range(from, to)) {
    advance(stream, group, entry.id);
    if (isKept) group.deliver(entry.id, consumer, now);
    pages.add(entry);
    if (pages.count % STEP === 0) yield;
  }
  return pages.reply(listHead(pages.count), encodeEntry);
}

function advance(stream: StreamValue, group: StreamGroup, id: StreamId): void {
  if (group.entriesRead !== undefined && !stream.hasGapsFrom(id)) group.entriesRead += 1;
  else if (stream.entriesAdded > 0) group.entriesRead = stream.countUpTo(id);
  group.lastId = id;
}

/** The entries that are pending for a consumer; those that were deleted have no fields. */
function* readHistory(
  stream: StreamValue,
  { pending }: Consumer,
  start: StreamId,
  count: number,
  now: number,
  resp: Resp,
): Generator<undefined, Encoded> {
  const nothing = nilArray(resp);
  const from = pending.placeOf(start + 1n);
  const to = count === 0 ? pending.size : from + count;
  const pages = new Pages<string>(({ length }) => length);
  for (const item of pending.range(from, to)) {
    const entry = stream.entries.get(item.id);
    if (entry === undefined) pages.add(array([bulkId(item.id), nothing]));
    else {
      item.deliveredAt = now;
      item.deliveries += 1;
      pages.add(encodeEntry(entry));
    }
    if (pages.count % STEP === 0) yield;
  }
  return pages.reply(listHead(pages.count), (item) => item);
}

function headOf(count: number, resp: Resp): string {
  return resp === 3 ? `%${count}\r\n` : listHead(count);
}

/** The entries of a stream under its name. */
function named(key: string, entries: Encoded, resp: Resp): Encoded {
  return joinReplies(resp === 3 ? bulk(key) : `*2\r\n${bulk(key)}`, [entries]);
}

function* resolveIds(database: Database, { keys, ids, reader }: Request): Generator<undefined, StreamId[]> {
  const starts: StreamId[] = [];
  for (const [index, key] of keys.entries()) {
    const id = at(ids, index);
    const stream = database.stream(key);
    if (reader !== undefined && stream?.group(reader.group) === undefined)
      fail(
        `NOGROUP No such key '${key}' or consumer group '${reader.group}' in XREADGROUP with GROUP option`,
      );
    starts.push(readStartId(id, stream, reader !== undefined));
    if (index % STEP === STEP - 1) yield;
  }
  return starts;
}

function readStartId(id: string, stream: StreamValue | undefined, isGroup: boolean): StreamId {
  if (id === '$') {
    if (isGroup)
      fail(
        'ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID would just return an empty result set.',
      );
    return stream?.lastId ?? MIN_ID;
  }
  if (id !== '>') return readId(id);
  return isGroup
    ? MAX_ID
    : fail(
        'ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.',
      );
}

function readRequest(args: Args, isGroup: boolean): Request {
  let count = 0;
  let timeout: number | undefined;
  let names: readonly [group: string, consumer: string] | undefined;
  let isKept = true;
  let first = 0;
  for (let index = 1; index < args.length && first === 0; index += 1) {
    const option = optionAt(args, index);
    const more = args.length - index - 1;
    if (option === 'BLOCK' && more > 0) timeout = readTimeout(args[(index += 1)]);
    else if (option === 'COUNT' && more > 0) count = Math.max(toInteger(args[(index += 1)]), 0);
    else if (option === 'STREAMS' && more > 0) first = index + 1;
    else if (option === 'GROUP' && more >= 2) {
      if (!isGroup) fail(onlyGroup('GROUP'));
      names = [at(args, index + 1), at(args, index + 2)];
      index += 2;
    } else if (option === 'NOACK') {
      if (!isGroup) fail(onlyGroup('NOACK'));
      isKept = false;
    } else fail(ERRORS.syntax);
  }
  const given = args.length - first;
  if (first > 0 && given % 2 !== 0)
    fail("ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.");
  if (first === 0) fail(ERRORS.syntax);
  if (isGroup && names === undefined) fail('ERR Missing GROUP option for XREADGROUP');
  const half = first + given / 2;
  return {
    reader: names && { group: names[0], consumer: names[1], isKept },
    count,
    timeout,
    keys: args.slice(first, half),
    ids: args.slice(half),
  };
}

function onlyGroup(option: string): string {
  return `ERR The ${option} option is only supported by XREADGROUP. You called XREAD instead.`;
}

function readTimeout(text: string | undefined): number {
  const timeout = toInteger(text, 'ERR timeout is not an integer or out of range');
  return timeout < 0 ? fail(ERRORS.timeoutNegative) : timeout;
}
