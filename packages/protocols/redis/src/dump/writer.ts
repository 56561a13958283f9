import { encodingOf } from '../data/encoding.js';
import { HashValue } from '../data/hash-value.js';
import { ListValue } from '../data/list-value.js';
import { SetValue } from '../data/set-value.js';
import { StreamValue } from '../data/stream-value.js';
import type { SortedSetValue } from '../data/sorted-set-value.js';
import { isText } from '../data/text.js';
import type { Value } from '../data/value.js';
import { formatScore } from '../wire/numbers.js';
import { doubleBytes, littleEndian } from './bytes.js';
import { crc64 } from './crc64.js';
import { ListpackWriter } from './listpack.js';
import { writeStream } from './stream-writer.js';
import { writeLength, writeRaw, writeText } from './texts.js';
import { NEWEST_VERSION, TYPES, VERSION } from './types.js';

/** Bytes of a node of a list; what is larger by itself has a node of its own. */
const NODE_BYTES = 8192;
/** How a node of a list is kept. */
const PLAIN = 1;
const PACKED = 2;
/** Elements between which others may be let in. */
const STEP = 64;

/** A value as DUMP gives it (redis.io, command page of DUMP): its type, itself, the version, and a checksum. */
export function* dumpValue(value: Value): Generator<undefined, string> {
  const version = value instanceof HashValue && value.timed > 0 ? NEWEST_VERSION : VERSION;
  const bytes = (yield* writeValue(value)) + littleEndian(version, 2);
  return bytes + (yield* crc64(bytes));
}

function* writeValue(value: Value): Generator<undefined, string> {
  if (isText(value)) return typed(TYPES.string, [writeText(value.toString())]);
  if (value instanceof ListValue) return typed(TYPES.quicklist2, yield* writeList(value));
  if (value instanceof StreamValue) return typed(TYPES.stream2, yield* writeStream(value));
  const encoding = encodingOf(value);
  if (value instanceof SetValue) {
    if (encoding === 'intset') return typed(TYPES.intSet, [writeText(intSet(value))]);
    return typed(TYPES.set, yield* writeAll(value.size, value.members, writeText));
  }
  if (value instanceof HashValue) {
    if (value.timed > 0) return typed(TYPES.timedHash, yield* writeTimedHash(value));
    if (encoding === 'listpack') return typed(TYPES.hashListpack, [pack([...value.fields].flat())]);
    return typed(
      TYPES.hash,
      yield* writeAll(value.size, value.fields, ([field, text]) => writeText(field) + writeText(text)),
    );
  }
  return yield* writeSortedSet(value, encoding);
}

function typed(type: number, parts: readonly string[]): string {
  return String.fromCharCode(type) + parts.join('');
}

function* writeAll<T>(
  count: number,
  items: Iterable<T>,
  write: (item: T) => string,
): Generator<undefined, string[]> {
  const parts = [writeLength(count)];
  for (const item of items) {
    parts.push(write(item));
    if (parts.length % STEP === 0) yield;
  }
  return parts;
}

function* writeList(list: ListValue): Generator<undefined, string[]> {
  const nodes: string[] = [];
  const packed = new ListpackWriter();
  const flush = (): void => {
    if (packed.count > 0) nodes.push(writeLength(PACKED) + writeRaw(packed.take()));
  };
  let seen = 0;
  for (const element of list.range(0, list.size)) {
    if (packed.bytes + element.length > NODE_BYTES) flush();
    if (element.length > NODE_BYTES) nodes.push(writeLength(PLAIN) + writeRaw(element));
    else packed.add(element);
    seen += 1;
    if (seen % STEP === 0) yield;
  }
  flush();
  return [writeLength(nodes.length), ...nodes];
}

/** The moment at which the first field expires, then each with how much later it does, counted from 1; 0: never. */
function* writeTimedHash(hash: HashValue): Generator<undefined, string[]> {
  const first = hash.nextExpiry;
  const parts: string[] = [];
  // Fields may expire meanwhile: how many there are is known at the end.
  for (const [field, text] of hash.fields) {
    const dueAt = hash.expiryOf(field);
    parts.push(writeLength(dueAt === 0 ? 0 : dueAt - first + 1) + writeText(field) + writeText(text));
    if (parts.length % STEP === 0) yield;
  }
  return [littleEndian(first, 8), writeLength(parts.length), ...parts];
}

function pack(texts: readonly string[]): string {
  const packed = new ListpackWriter();
  for (const text of texts) packed.add(text);
  return writeRaw(packed.take());
}

function intSet({ members }: SetValue): string {
  const values = [...members].map(BigInt).sort((one, two) => (one < two ? -1 : 1));
  const size =
    [2, 4].find((bytes) => values.every((value) => BigInt.asIntN(8 * bytes, value) === value)) ?? 8;
  return (
    littleEndian(size, 4) +
    littleEndian(values.length, 4) +
    values.map((value) => littleEndian(value, size)).join('')
  );
}

function* writeSortedSet(value: SortedSetValue, encoding: string): Generator<undefined, string> {
  if (encoding !== 'listpack')
    return typed(
      TYPES.sortedSet2,
      yield* writeAll(
        value.size,
        // The largest first: each is put before those that were read.
        value.range(0, value.size, true),
        ({ member, score }) => writeText(member) + doubleBytes(score),
      ),
    );
  const texts = value.slice(0, value.size).flatMap(({ member, score }) => [member, formatScore(score)]);
  return typed(TYPES.sortedSetListpack, [pack(texts)]);
}
