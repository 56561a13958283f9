import { HashValue } from '../data/hash-value.js';
import { ListValue } from '../data/list-value.js';
import { SetValue } from '../data/set-value.js';
import { SortedSetValue } from '../data/sorted-set-value.js';
import type { Value } from '../data/value.js';
import { fail } from '../wire/errors.js';
import { parseFloat64 } from '../wire/numbers.js';
import { crc64 } from './crc64.js';
import { badFormat, DumpReader } from './dump-reader.js';
import type { DumpBounds } from './dump-bounds.js';
import { ListpackReader } from './listpack.js';
import { readStream } from './stream-reader.js';
import { ziplistElements, zipmapElements } from './ziplist.js';
import { readTimedHash, readTimedListpack } from './timed-hash-reader.js';
import { NEWEST_VERSION, TYPES, VERSION } from './types.js';

/** Bytes behind the value: the version and the checksum. */
const FOOTER = 10;
const CHECKSUM = 8;
/** Elements between which others may be let in, and the memory is asked for. */
const STEP = 64;

/** The value of a dump. @throws CommandError when it is none, or too large */
export function* readDump(bytes: string, bounds: DumpBounds): Generator<undefined, Value> {
  const end = bytes.length - FOOTER;
  const isKnown =
    end >= 0 &&
    bytes.charCodeAt(end) + 256 * bytes.charCodeAt(end + 1) <= newestOf(bytes.charCodeAt(0)) &&
    (yield* crc64(bytes, bytes.length - CHECKSUM)) === bytes.slice(-CHECKSUM);
  if (!isKnown) fail('ERR DUMP payload version or checksum are wrong');
  const reader = new DumpReader(bytes, end, bounds.mostUnpacked);
  return yield* readValue(reader, bounds);
}

/** The newest version that is read of a type: as in Redis 7.0, but for what that does not have. */
function newestOf(type: number): number {
  return type === TYPES.timedHash || type === TYPES.timedHashListpack ? NEWEST_VERSION : VERSION;
}

function* readValue(reader: DumpReader, bounds: DumpBounds): Generator<undefined, Value> {
  return yield* readValueOf(reader.byte(), reader, bounds);
}

/** The value of a type, as it stands in a dump and in an RDB file. @throws CommandError when it is none, or too large */
export function* readValueOf(
  type: number,
  reader: DumpReader,
  bounds: DumpBounds,
): Generator<undefined, Value> {
  switch (type) {
    case TYPES.string:
      return yield* reader.text();
    case TYPES.list:
      return yield* fill(new ListValue(), texts(reader), (list, element) => list.pushLast(element), bounds);
    case TYPES.quicklist2:
      return yield* fill(new ListValue(), nodes(reader), (list, element) => list.pushLast(element), bounds);
    case TYPES.quicklist:
      return yield* fill(
        new ListValue(),
        ziplists(reader),
        (list, element) => list.pushLast(element),
        bounds,
      );
    case TYPES.listZiplist:
      return yield* fill(
        new ListValue(),
        ziplistElements(yield* reader.text(), badFormat),
        (list, element) => list.pushLast(element),
        bounds,
      );
    case TYPES.setListpack:
      return yield* fill(new SetValue(), elements(yield* reader.text()), addMember, bounds);
    case TYPES.set:
      return yield* fill(new SetValue(), texts(reader), addMember, bounds);
    case TYPES.intSet:
      return yield* fill(new SetValue(), integers(yield* reader.text()), addMember, bounds);
    case TYPES.hash:
      return yield* fillHash(texts(reader, 2), bounds);
    case TYPES.hashZiplist:
      return yield* fillHash(ziplistElements(yield* reader.text(), badFormat), bounds);
    case TYPES.zipmap:
      return yield* fillHash(zipmapElements(yield* reader.text(), badFormat), bounds);
    case TYPES.hashListpack:
      return yield* fillHash(elements(yield* reader.text()), bounds);
    case TYPES.timedHash:
      return yield* readTimedHash(reader, bounds);
    case TYPES.timedHashListpack:
      // The moment of the first field, which is told again with it.
      reader.raw(8);
      return yield* readTimedListpack(yield* reader.text(), bounds);
    case TYPES.sortedSet:
    case TYPES.sortedSet2:
      return yield* readSortedSet(reader, type === TYPES.sortedSet2, bounds);
    case TYPES.sortedSetZiplist:
      return yield* fillSortedSet(ziplistElements(yield* reader.text(), badFormat), bounds);
    case TYPES.sortedSetListpack:
      return yield* fillSortedSet(elements(yield* reader.text()), bounds);
    case TYPES.stream:
    case TYPES.stream2:
    case TYPES.stream3:
      return yield* readStream(reader, type, (bytes) => bounds.check(bytes));
    default:
      return badFormat();
  }
}

function addMember(set: SetValue, member: string): void {
  if (!set.add(member)) badFormat();
}

/** Texts; between them nothing is given where others may be let in. */
type Texts = Generator<string | undefined, void>;

function* texts(reader: DumpReader, each = 1): Texts {
  const count = reader.count() * each;
  for (let left = count; left > 0; left -= 1) yield yield* reader.text();
}

/** The nodes of a list: each is one element, or a listpack of some. */
function* nodes(reader: DumpReader): Texts {
  for (let left = reader.count(); left > 0; left -= 1) {
    const form = Number(reader.number());
    const text = yield* reader.text();
    if (form === 1) yield text;
    else if (form === 2) yield* elements(text);
    else badFormat();
  }
}

function* ziplists(reader: DumpReader): Texts {
  for (let left = reader.count(); left > 0; left -= 1)
    yield* ziplistElements(yield* reader.text(), badFormat);
}

function* elements(bytes: string): Texts {
  const pack = new ListpackReader(bytes, badFormat);
  while (!pack.isAtEnd) yield pack.next();
}

function* integers(bytes: string): Texts {
  const reader = new DumpReader(bytes, bytes.length, 0);
  const size = Number(reader.integer(4));
  const count = Number(reader.integer(4));
  if (![2, 4, 8].includes(size) || bytes.length !== 8 + size * count) badFormat();
  for (let left = count; left > 0; left -= 1) yield BigInt.asIntN(8 * size, reader.integer(size)).toString();
}

function* fill<V extends Exclude<Value, string>>(
  value: V,
  given: Texts,
  add: (value: V, text: string) => void,
  bounds: DumpBounds,
): Generator<undefined, V> {
  let seen = 0;
  for (const text of given) {
    if (text !== undefined) add(value, text);
    seen += 1;
    if (seen % STEP === 0) bounds.check(value.bytes);
    if (text === undefined || seen % STEP === 0) yield;
  }
  bounds.check(value.bytes);
  return value.size === 0 ? badFormat() : value;
}

/** Texts of which two belong together. */
function* fillPairs<V extends Exclude<Value, string>>(
  value: V,
  given: Texts,
  add: (first: string, second: string) => void,
  bounds: DumpBounds,
): Generator<undefined, V> {
  let first: string | undefined;
  const filled = yield* fill(
    value,
    given,
    (_value, text) => {
      if (first === undefined) first = text;
      else {
        add(first, text);
        first = undefined;
      }
    },
    bounds,
  );
  return first === undefined ? filled : badFormat();
}

function* fillHash(given: Texts, bounds: DumpBounds): Generator<undefined, HashValue> {
  const hash = new HashValue();
  const add = (field: string, text: string): unknown => hash.set(field, text) || badFormat();
  return yield* fillPairs(hash, given, add, bounds);
}

function* fillSortedSet(given: Texts, bounds: DumpBounds): Generator<undefined, SortedSetValue> {
  const sorted = new SortedSetValue();
  return yield* fillPairs(
    sorted,
    given,
    (member, text) => addScored(sorted, member, parseFloat64(text) ?? badFormat()),
    bounds,
  );
}

function addScored(sorted: SortedSetValue, member: string, score: number): void {
  if (Number.isNaN(score) || sorted.score(member) !== undefined) badFormat();
  sorted.set(member, score);
}

function* readSortedSet(
  reader: DumpReader,
  isBinary: boolean,
  bounds: DumpBounds,
): Generator<undefined, SortedSetValue> {
  const sorted = new SortedSetValue();
  const count = reader.count();
  for (let left = count; left > 0; left -= 1) {
    const member = yield* reader.text();
    addScored(sorted, member, isBinary ? binaryScore(reader) : textScore(reader));
    if (left % STEP === 0) {
      bounds.check(sorted.bytes);
      yield;
    }
  }
  bounds.check(sorted.bytes);
  return count === 0 ? badFormat() : sorted;
}

function binaryScore(reader: DumpReader): number {
  return Buffer.from(reader.raw(8), 'latin1').readDoubleLE();
}

/** The form of long ago: a length and a text, of which the largest stand for what is no number. */
function textScore(reader: DumpReader): number {
  const length = reader.byte();
  if (length === 255) return -Infinity;
  if (length === 254) return Infinity;
  return length === 253 ? badFormat() : (parseFloat64(reader.raw(length)) ?? badFormat());
}
