import type { ImportNotes } from '@backlot/core/plugin';
import { HashValue } from '../data/hash-value.js';
import { ListValue } from '../data/list-value.js';
import { SetValue } from '../data/set-value.js';
import { SortedSetValue } from '../data/sorted-set-value.js';
import { isText } from '../data/text.js';
import type { Value } from '../data/value.js';
import { formatId } from '../commands/streams/ids.js';
import { crc64 } from '../dump/crc64.js';
import { DumpReader } from '../dump/dump-reader.js';
import { readValueOf } from '../dump/reader.js';
import { CommandError, fail } from '../wire/errors.js';
import type { Keyspace, PlainValue } from './keyspace.js';

/** `REDIS` and four digits of the version. */
export const RDB_HEAD = /^REDIS(\d{4})/;
const HEAD = 9;
const CHECKSUM = 8;
/** The first version that ends with a checksum. */
const WITH_CHECKSUM = 5;
const NEWEST = 12;
const MOST_BYTES = 512 * 1024 * 1024;

/** What stands between keys (rdb.h). */
const OPCODE = {
  slot: 0xf4,
  function: 0xf5,
  module: 0xf7,
  idle: 0xf8,
  frequency: 0xf9,
  auxiliary: 0xfa,
  sizes: 0xfb,
  expiryMs: 0xfc,
  expiry: 0xfd,
  database: 0xfe,
  end: 0xff,
} as const;
/** Values of modules, whose form only the module knows. */
const MODULE_TYPES: readonly number[] = [6, 7];

/**
 * Reads the keys of an RDB file.
 *
 * @param bytes - one character a byte
 * @returns where the file ends; `undefined` when it is damaged, or goes on with what cannot be read, which is noted
 */
export function* readRdb(
  bytes: string,
  keys: Keyspace,
  notes: ImportNotes,
): Generator<undefined, number | undefined, undefined> {
  const version = Number(RDB_HEAD.exec(bytes)?.[1] ?? 0);
  if (version > NEWEST)
    notes.approximated('', `version ${version} of RDB is newer than ${NEWEST}, the newest that is known`);
  const body = bytes.slice(HEAD);
  const reader = new DumpReader(body, body.length, MOST_BYTES);
  let place = 0;
  try {
    let database = 0;
    let expires = false;
    for (;;) {
      yield;
      place = HEAD + reader.at;
      const code = reader.byte();
      switch (code) {
        case OPCODE.end:
          yield* checkSum(bytes, HEAD + reader.at, version, notes);
          return HEAD + reader.at + (version >= WITH_CHECKSUM ? CHECKSUM : 0);
        case OPCODE.database:
          database = Number(reader.number());
          break;
        case OPCODE.sizes:
          reader.number();
          reader.number();
          break;
        case OPCODE.slot:
          for (let left = 3; left > 0; left -= 1) reader.number();
          break;
        case OPCODE.auxiliary:
          yield* reader.text();
          yield* reader.text();
          break;
        case OPCODE.function:
          yield* reader.text();
          notes.refused(`byte ${place}`, 'libraries of functions are left out');
          break;
        case OPCODE.idle:
          reader.number();
          break;
        case OPCODE.frequency:
          reader.byte();
          break;
        case OPCODE.expiry:
        case OPCODE.expiryMs:
          reader.raw(code === OPCODE.expiry ? 4 : 8);
          expires = true;
          break;
        default: {
          if (code === OPCODE.module || MODULE_TYPES.includes(code)) {
            notes.refused(
              `byte ${place}`,
              'what a module has stored is known to the module alone; the file is read up to it',
            );
            return undefined;
          }
          const key = yield* reader.text();
          const value = yield* readValueOf(code, reader, { mostUnpacked: MOST_BYTES, check: checkSize });
          if (expires)
            notes.approximated(
              `byte ${place}`,
              'keys that go away stay: the file has the moment, and not how long they stay',
            );
          expires = false;
          const plain = plainOf(value);
          if (plain.type === 'stream' && plain.entries.length === 0)
            notes.refused(`byte ${place}`, 'streams without entries are left out');
          else keys.set(database, key, plain);
          noteLost(value, `byte ${place}`, notes);
        }
      }
    }
  } catch (thrown) {
    if (!(thrown instanceof CommandError)) throw thrown;
    notes.refused(
      `byte ${place}`,
      'the file is damaged, or of a form that is not known; it is read up to here',
    );
    return undefined;
  }
}

function checkSize(bytes: number): void {
  if (bytes > MOST_BYTES) fail('ERR too large');
}

function* checkSum(
  bytes: string,
  end: number,
  version: number,
  notes: ImportNotes,
): Generator<undefined, void, undefined> {
  const written = bytes.slice(end, end + CHECKSUM);
  // Zeros stand for a file that was written without one.
  if (version < WITH_CHECKSUM || written === '\0'.repeat(CHECKSUM)) return;
  if ((yield* crc64(bytes, end)) !== written)
    notes.approximated(`byte ${end}`, 'the checksum is not that of the file, which was changed or damaged');
}

function noteLost(value: Value, place: string, notes: ImportNotes): void {
  if (value instanceof HashValue && value.timed > 0)
    notes.approximated(place, 'fields of hashes that go away stay');
  const isStream = !isText(value) && 'entriesAdded' in value;
  if (isStream && value.groups().length > 0) notes.refused(place, 'groups of streams are left out');
}

function plainOf(value: Value): PlainValue {
  if (isText(value))
    return {
      type: 'string',
      text: typeof value === 'string' ? value : [...value.parts(0, value.size)].join(''),
    };
  if (value instanceof ListValue) return { type: 'list', items: [...value.range(0, value.size)] };
  if (value instanceof SetValue) return { type: 'set', items: new Set(value.members) };
  if (value instanceof HashValue) return { type: 'hash', fields: new Map(value.fields) };
  if (value instanceof SortedSetValue)
    return {
      type: 'zset',
      scores: new Map(Array.from(value.range(0, value.size), ({ member, score }) => [member, score])),
    };
  const entries = [];
  for (let place = 0; place < value.size; place += 1) {
    const entry = value.entries.at(place);
    if (entry !== undefined) entries.push({ id: formatId(entry.id), fields: entry.fields });
  }
  return { type: 'stream', entries };
}
