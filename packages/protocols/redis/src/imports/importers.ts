import {
  invalid,
  type Imported,
  type Importer,
  type ImportFile,
  type ImportNotes,
} from '@backlot/core/plugin';
import { parseInteger } from '../wire/numbers.js';
import { applyCommand } from './apply-command.js';
import { Keyspace } from './keyspace.js';
import { RDB_HEAD, readRdb } from './rdb.js';
import { splitCommands } from './split-commands.js';

/** Lines that are looked at to tell a file of commands from others. */
const LOOKED_AT = 20;
/** Keys of one file, as many as are quick to put in. */
const MOST_KEYS = 200_000;
const WRITES =
  /^\s*(?:SET|SETEX|PSETEX|SETNX|MSET|APPEND|INCR|DECR|INCRBY|HSET|HMSET|RPUSH|LPUSH|SADD|ZADD|XADD|EXPIRE|PEXPIRE|DEL|SELECT|FLUSHALL|FLUSHDB|MULTI|EXEC)(?:\s+[^\s=;]|\s*$)/i;

/** Dumps of a Redis server. */
const rdb: Importer = {
  format: 'rdb',
  title: 'Redis RDB',
  detect: ({ bytes }) => (RDB_HEAD.test(latin1(bytes.subarray(0, 9))) ? 'sure' : undefined),
  *convert({ bytes }, notes): Generator<undefined, Imported, undefined> {
    const text = latin1(bytes);
    if (!RDB_HEAD.test(text)) throw invalid('an RDB file begins with "REDIS" and the number of its version');
    const keys = new Keyspace();
    yield;
    const end = yield* readRdb(text, keys, notes);
    // An append-only file may begin with a dump.
    if (end !== undefined && text[end] === '*') yield* runAll(text, end, keys, notes);
    return yield* finish(keys, notes);
  },
};

/** Append-only files, and files of commands that are piped into `redis-cli`. */
const commands: Importer = {
  format: 'redis-commands',
  title: 'Redis commands (append-only file, redis-cli)',
  detect: (file) => {
    const head = latin1(file.bytes.subarray(0, 4096));
    if (/^\*\d{1,7}\r\n\$\d{1,10}\r\n/.test(head)) return 'sure';
    return isCommandFile(file, head) ? 'likely' : undefined;
  },
  *convert({ bytes }, notes): Generator<undefined, Imported, undefined> {
    const keys = new Keyspace();
    yield;
    yield* runAll(latin1(bytes), 0, keys, notes);
    return yield* finish(keys, notes);
  },
};

function isCommandFile({ isFolder, tree }: ImportFile, head: string): boolean {
  if (isFolder || tree !== undefined) return false;
  const lines = head
    .split(/\r?\n/)
    .slice(0, LOOKED_AT)
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  // The last one may be cut.
  return lines.length > 0 && lines.slice(0, Math.max(1, lines.length - 1)).every((line) => WRITES.test(line));
}

function* runAll(
  bytes: string,
  from: number,
  keys: Keyspace,
  notes: ImportNotes,
): Generator<undefined, void, undefined> {
  let database = 0;
  for (const command of splitCommands(bytes, from)) {
    yield;
    if (command === undefined) continue;
    const { place, args } = command;
    if (args === undefined) {
      notes.refused(place, 'what is no command is left out');
      continue;
    }
    if (args[0]?.toUpperCase() === 'SELECT') {
      database = parseInteger(args[1] ?? '') ?? database;
      continue;
    }
    const applied = applyCommand(args, keys, database);
    if (applied === undefined) continue;
    if ('refused' in applied) notes.refused(place, applied.refused);
    else notes.approximated(place, applied.approximated);
  }
}

function* finish(keys: Keyspace, notes: ImportNotes): Generator<undefined, Imported, undefined> {
  if (keys.size > MOST_KEYS)
    throw invalid(`the file has ${keys.size} keys; at most ${MOST_KEYS} are imported`);
  return yield* keys.finish(notes);
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The formats that become keys. */
export const importers: readonly Importer[] = [rdb, commands];
