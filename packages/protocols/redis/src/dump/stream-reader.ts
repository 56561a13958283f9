import type { StreamId } from '../data/by-id.js';
import { MIN_ID } from '../data/by-id.js';
import type { StreamGroup } from '../data/stream-group.js';
import { StreamValue } from '../data/stream-value.js';
import { badFormat, fromBigEndian, type DumpReader } from './dump-reader.js';
import { ListpackReader } from './listpack.js';
import { TYPES } from './types.js';

const DELETED = 1;
const SAME_FIELDS = 2;
const ID_BYTES = 16;
/** Fields and values of one entry, as many as a request has arguments. */
const MAX_TEXTS = 1_048_576n;
const LOW_64 = 2n ** 64n - 1n;
/** Things between which others may be let in. */
const STEP = 64;

/**
 * Reads a stream with its groups.
 *
 * @param type - its form: since Redis 7.0 it knows how many entries there have been, since 7.2 when consumers were active
 * @param check - told how much it takes so far; it throws when that is too much
 */
export function* readStream(
  reader: DumpReader,
  type: number,
  check: (bytes: number) => void,
): Generator<undefined, StreamValue> {
  const isNew = type !== TYPES.stream;
  const stream = new StreamValue();
  for (let left = reader.count(); left > 0; left -= 1) {
    const master = yield* reader.text();
    if (master.length !== ID_BYTES) badFormat();
    yield* readNode(stream, fromBigEndian(master), yield* reader.text(), check);
  }
  const { size, lastId: newest } = stream;
  if (Number(reader.number()) !== size) badFormat();
  const lastId = readId(reader);
  if (isNew) {
    readId(reader);
    stream.maxDeletedId = readId(reader);
    stream.entriesAdded = Number(reader.number());
  }
  if (lastId < newest || stream.entriesAdded < size) badFormat();
  stream.lastId = lastId;
  for (let left = reader.count(); left > 0; left -= 1) {
    yield* readGroup(reader, stream, type, check);
    yield;
  }
  check(stream.bytes);
  return stream;
}

function readId(reader: DumpReader): StreamId {
  const high = reader.number();
  return (high << 64n) | reader.number();
}

function* readNode(
  stream: StreamValue,
  master: StreamId,
  bytes: string,
  check: (bytes: number) => void,
): Generator<undefined, void> {
  const pack = new ListpackReader(bytes, badFormat);
  const live = pack.nextInteger();
  const deleted = pack.nextInteger();
  const names = yield* readTexts(pack, pack.nextInteger());
  pack.next();
  let count = 0n;
  let seen = 0n;
  while (!pack.isAtEnd) {
    const flags = Number(pack.nextInteger());
    const high = BigInt.asUintN(64, (master >> 64n) + pack.nextInteger());
    const id = (high << 64n) | BigInt.asUintN(64, (master & LOW_64) + pack.nextInteger());
    const isSame = (flags & SAME_FIELDS) !== 0;
    const given = yield* readTexts(pack, isSame ? BigInt(names.length) : 2n * pack.nextInteger());
    pack.next();
    seen += 1n;
    if ((flags & DELETED) === 0) {
      if (id <= stream.lastId && (stream.size > 0 || id === MIN_ID)) badFormat();
      stream.append(id, isSame ? names.flatMap((name, index) => [name, given[index] ?? '']) : given);
      count += 1n;
    }
    if (seen % BigInt(STEP) === 0n) {
      check(stream.bytes);
      yield;
    }
  }
  if (count !== live || seen !== live + deleted) badFormat();
  check(stream.bytes);
}

function* readTexts(pack: ListpackReader, count: bigint): Generator<undefined, string[]> {
  if (count < 0n || count > MAX_TEXTS) badFormat();
  const texts: string[] = [];
  // Where the number lies, the end comes first.
  for (let left = count; left > 0n; left -= 1n) {
    texts.push(pack.next());
    if (texts.length % STEP === 0) yield;
  }
  return texts;
}

function* readGroup(
  reader: DumpReader,
  stream: StreamValue,
  type: number,
  check: (bytes: number) => void,
): Generator<undefined, void> {
  const name = yield* reader.text();
  const lastId = readId(reader);
  const read = type === TYPES.stream ? LOW_64 : reader.number();
  if (stream.group(name) !== undefined) badFormat();
  stream.addGroup(name, lastId, read > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(read));
  const group = stream.group(name) ?? badFormat();
  const delivered = new Map<StreamId, { readonly deliveredAt: number; readonly deliveries: number }>();
  for (let left = reader.count(); left > 0; left -= 1) {
    const id = fromBigEndian(reader.raw(ID_BYTES));
    if (delivered.has(id)) badFormat();
    delivered.set(id, { deliveredAt: Number(reader.integer(8)), deliveries: Number(reader.number()) });
    if (left % STEP === 0) yield;
  }
  for (let left = reader.count(); left > 0; left -= 1) {
    yield* readConsumer(reader, group, delivered, type === TYPES.stream3);
    check(stream.bytes);
    yield;
  }
  if (group.pending.size !== delivered.size) badFormat();
}

function* readConsumer(
  reader: DumpReader,
  group: StreamGroup,
  delivered: ReadonlyMap<StreamId, { readonly deliveredAt: number; readonly deliveries: number }>,
  knowsActivity: boolean,
): Generator<undefined, void> {
  const name = yield* reader.text();
  if (group.consumer(name) !== undefined) badFormat();
  const consumer = group.see(name, Number(reader.integer(8)));
  if (knowsActivity) reader.integer(8);
  for (let left = reader.count(); left > 0; left -= 1) {
    const id = fromBigEndian(reader.raw(ID_BYTES));
    const known = delivered.get(id);
    if (known === undefined || group.pending.get(id) !== undefined) badFormat();
    group.insert({ id, consumer, ...known });
    if (left % STEP === 0) yield;
  }
}
