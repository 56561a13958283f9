import { readDump } from '../dump/reader.js';
import { dumpValue } from '../dump/writer.js';
import type { Session } from '../session.js';
import { ERRORS, fail } from '../wire/errors.js';
import type { Encoded } from '../wire/long-reply.js';
import { bulk, nil, OK } from '../wire/reply.js';
import { at, keyless, onKey, optionAt, toInteger, type Args, type Command } from './command.js';

/** The commands that take values out and put them in, in the form of RDB (redis.io, command pages of DUMP and RESTORE). */
export const DUMP_COMMANDS: readonly Command[] = [
  onKey('dump', 2, 'r', dump),
  onKey('restore', -4, 'wm', restore),
  onKey('restore-asking', -4, 'wm', restore),
  keyless('migrate', -6, 'w', () => fail('ERR MIGRATE is not supported: DUMP and RESTORE move values')),
];

function* dump(args: Args, { database, resp }: Session): Generator<undefined, Encoded> {
  const value = database.find(at(args, 1))?.value;
  return value === undefined ? nil(resp) : bulk(yield* dumpValue(value));
}

/** What RESTORE is told beside its value. */
interface RestoreOptions {
  readonly replaces: boolean;
  readonly isAbsolute: boolean;
}

function readOptions(args: Args): RestoreOptions {
  let replaces = false;
  let isAbsolute = false;
  // Either is taken once, and not both: nothing is made of them, since nothing is evicted.
  let isUseGiven = false;
  for (let index = 4; index < args.length; index += 1) {
    const option = optionAt(args, index);
    if (option === 'REPLACE') replaces = true;
    else if (option === 'ABSTTL') isAbsolute = true;
    else if ((option === 'IDLETIME' || option === 'FREQ') && index + 1 < args.length && !isUseGiven) {
      index += 1;
      isUseGiven = true;
      const given = toInteger(args[index]);
      if (option === 'IDLETIME' && given < 0) fail('ERR Invalid IDLETIME value, must be >= 0');
      if (option === 'FREQ' && (given < 0 || given > 255))
        fail('ERR Invalid FREQ value, must be >= 0 and <= 255');
    } else fail(ERRORS.syntax);
  }
  return { replaces, isAbsolute };
}

function* restore(args: Args, { database, server }: Session): Generator<undefined, Encoded> {
  const { replaces, isAbsolute } = readOptions(args);
  const key = at(args, 1);
  if (!replaces && database.has(key)) fail('BUSYKEY Target key name already exists.');
  const ttl = toInteger(args[2]);
  if (ttl < 0) fail('ERR Invalid TTL value, must be >= 0');
  const { store, settings } = server;
  const value = yield* readDump(at(args, 3), {
    mostUnpacked: settings.maxRequest,
    check: (bytes) => {
      if (store.used + bytes > settings.maxMemory) fail(ERRORS.memory);
    },
  });
  const now = database.now();
  const expireAt = ttl === 0 || isAbsolute ? ttl : ttl + now;
  if (expireAt > 0 && expireAt <= now) database.delete(key);
  else database.put(key, value, expireAt);
  return OK;
}
