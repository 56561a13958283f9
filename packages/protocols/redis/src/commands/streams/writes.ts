import { MAX_ID, MIN_ID, type StreamId } from '../../data/by-id.js';
import type { StreamValue, Trim } from '../../data/stream-value.js';
import type { Session } from '../../session.js';
import { ERRORS, fail, wrongArity } from '../../wire/errors.js';
import { integer, nil, nilArray, OK, EMPTY_ARRAY, ZERO } from '../../wire/reply.js';
import { at, onKey, optionAt, toInteger, type Args, type Command } from '../command.js';
import { STEP, type Answer } from '../work.js';
import { answerEntries } from './entries.js';
import { bulkId, makeId, MAX_PART, millisecondsOf, readEnd, readId, readNewId, readStart } from './ids.js';

/** Entries that a rough trim removes at most when LIMIT is not given. */
const DEFAULT_LIMIT = 10_000;
const TOO_SMALL = 'ERR The ID specified in XADD is equal or smaller than the target stream top item';

/** The commands for the entries of a stream (redis.io, command page of each). */
export const STREAM_COMMANDS: readonly Command[] = [
  onKey('xadd', -5, 'wm', add),
  onKey('xlen', 2, 'r', (args, { database }) => integer(database.stream(at(args, 1))?.size ?? 0)),
  onKey('xrange', -4, 'r', (args, session) => range(args, session, false)),
  onKey('xrevrange', -4, 'r', (args, session) => range(args, session, true)),
  onKey('xdel', -3, 'w', function* (args, { database }) {
    const stream = database.stream(at(args, 1));
    if (stream === undefined) return ZERO;
    const ids = yield* readIds(args, 2);
    let count = 0;
    for (const [index, id] of ids.entries()) {
      if (stream.delete(id)) count += 1;
      if (index % STEP === STEP - 1) yield;
    }
    if (count > 0) database.changed(at(args, 1));
    return integer(count);
  }),
  onKey('xtrim', -4, 'w', function* (args, { database }) {
    const { trim } = readOptions(args, false);
    const stream = database.stream(at(args, 1));
    if (stream === undefined || trim === undefined) return ZERO;
    const count = yield* stream.trim(trim);
    if (count > 0) database.changed(at(args, 1));
    return integer(count);
  }),
  onKey('xsetid', -3, 'wm', setId),
];

/** The ids from an argument on, read step by step. @throws CommandError */
export function* readIds(args: Args, first: number): Generator<undefined, StreamId[]> {
  const ids: StreamId[] = [];
  for (let index = first; index < args.length; index += 1) {
    ids.push(readId(at(args, index)));
    if (index % STEP === 0) yield;
  }
  return ids;
}

function* add(args: Args, session: Session): Generator<undefined, string> {
  const { database, resp } = session;
  const { trim, makesStream, next } = readOptions(args, true);
  const given = args[next] === '*' || args[next] === undefined ? undefined : readNewId(at(args, next));
  const count = args.length - next - 1;
  if (count < 2 || count % 2 === 1) fail(wrongArity('xadd'));
  if (given?.isWhole === true && given.id === MIN_ID)
    fail('ERR The ID specified in XADD must be greater than 0-0');
  const key = at(args, 1);
  const known = database.stream(key);
  if (known === undefined && !makesStream) return nil(resp);
  const id = chooseId(known, given, BigInt(Math.floor(database.now())));
  const stream = known ?? database.streamToChange(key);
  stream.append(id, args.slice(next + 1));
  if (trim !== undefined) yield* stream.trim(trim);
  database.changed(key);
  return bulkId(id);
}

function chooseId(
  stream: StreamValue | undefined,
  given: { readonly id: StreamId; readonly isWhole: boolean } | undefined,
  now: bigint,
): StreamId {
  const last = stream?.lastId ?? MIN_ID;
  if (last === MAX_ID) fail('ERR The stream has exhausted the last possible ID, unable to add more items');
  if (given === undefined) return now > millisecondsOf(last) ? makeId(now, 0n) : last + 1n;
  let { id } = given;
  if (!given.isWhole && millisecondsOf(id) === millisecondsOf(last)) {
    if ((last & MAX_PART) === MAX_PART) fail(TOO_SMALL);
    id = last + 1n;
  }
  return id > last ? id : fail(TOO_SMALL);
}

interface Options {
  readonly trim: Trim | undefined;
  readonly makesStream: boolean;
  /** Where the id of a new entry stands. */
  readonly next: number;
}

function readOptions(args: Args, isAdd: boolean): Options {
  let maxLength: number | undefined;
  let minId: StreamId | undefined;
  let limit: number | undefined;
  let isRough = false;
  let makesStream = true;
  let index = 2;
  for (; index < args.length; index += 1) {
    if (isAdd && args[index] === '*') break;
    const option = optionAt(args, index);
    const more = args.length - 1 - index;
    if ((option === 'MAXLEN' || option === 'MINID') && more > 0) {
      if (maxLength !== undefined || minId !== undefined)
        fail('ERR syntax error, MAXLEN and MINID options at the same time are not compatible');
      const sign = at(args, index + 1);
      isRough = more >= 2 && sign === '~';
      index += more >= 2 && (sign === '~' || sign === '=') ? 2 : 1;
      if (option === 'MINID') minId = readId(at(args, index));
      else maxLength = toLeastZero(args[index], 'MAXLEN');
    } else if (option === 'LIMIT' && more > 0) {
      index += 1;
      limit = toLeastZero(args[index], 'LIMIT');
    } else if (isAdd && option === 'NOMKSTREAM') makesStream = false;
    else if (isAdd) {
      readNewId(at(args, index));
      break;
    } else fail(ERRORS.syntax);
  }
  const isTrimmed = maxLength !== undefined || minId !== undefined;
  if (!isTrimmed && limit !== undefined && limit > 0)
    fail('ERR syntax error, LIMIT cannot be used without specifying a trimming strategy');
  if (!isTrimmed && !isAdd) fail('ERR syntax error, XTRIM must be called with MAXLEN or MINID');
  if (limit !== undefined && !isRough)
    fail('ERR syntax error, LIMIT cannot be used without the special ~ option');
  const trim = isTrimmed
    ? { maxLength, minId: minId ?? MIN_ID, isRough, limit: isRough ? (limit ?? DEFAULT_LIMIT) : 0 }
    : undefined;
  return { trim, makesStream, next: index };
}

function toLeastZero(text: string | undefined, name: string): number {
  const value = toInteger(text);
  return value < 0 ? fail(`ERR The ${name} argument must be >= 0.`) : value;
}

function range(args: Args, { database, resp }: Session, isReversed: boolean): Answer {
  const start = readStart(at(args, isReversed ? 3 : 2));
  const end = readEnd(at(args, isReversed ? 2 : 3));
  let count = -1;
  for (let index = 4; index < args.length; index += 2) {
    if (optionAt(args, index) !== 'COUNT' || index + 1 >= args.length) fail(ERRORS.syntax);
    count = Math.max(toInteger(args[index + 1]), 0);
  }
  const stream = database.stream(at(args, 1));
  if (stream === undefined) return EMPTY_ARRAY;
  if (count === 0) return nilArray(resp);
  return answerEntries(stream, start, end, Math.max(count, 0), isReversed);
}

function setId(args: Args, { database }: Session): Answer {
  const id = readId(at(args, 2));
  let added: number | undefined;
  let maxDeleted: StreamId = MIN_ID;
  for (let index = 3; index < args.length; index += 2) {
    const option = optionAt(args, index);
    if (index + 1 >= args.length) fail(ERRORS.syntax);
    if (option === 'ENTRIESADDED') {
      added = toInteger(args[index + 1]);
      if (added < 0) fail('ERR entries_added must be positive');
    } else if (option === 'MAXDELETEDID') {
      maxDeleted = readId(at(args, index + 1));
      if (id < maxDeleted)
        fail('ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id');
    } else fail(ERRORS.syntax);
  }
  const stream = database.stream(at(args, 1)) ?? fail(ERRORS.noSuchKey);
  const { last } = stream.entries;
  if (last !== undefined) {
    if (id < last.id) fail('ERR The ID specified in XSETID is smaller than the target stream top item');
    if (added !== undefined && stream.size > added)
      fail('ERR The entries_added specified in XSETID is smaller than the target stream length');
  }
  stream.lastId = id;
  if (added !== undefined) stream.entriesAdded = added;
  if (maxDeleted !== MIN_ID) stream.maxDeletedId = maxDeleted;
  database.changed(at(args, 1));
  return OK;
}
