import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkAt, messageOf } from '@backlot/core/plugin';
import { parseName } from '../wire/name.js';
import { readRecords } from './read-records.js';
import { ZoneError } from './scan.js';
import { Zone } from './zone.js';
import { ZoneSet } from './zone-set.js';

/** The most bytes of a zone file. */
const MAX_SIZE = 16 * 1024 * 1024;
/** The most records of all zone files. */
const MAX_RECORDS = 100_000;

/** The most characters of what is wrong. */
const MAX_SHOWN = 500;

/** A zone file as the configuration names it. */
export interface ZoneSource {
  readonly file: string;
  readonly origin?: string;
}

/** What was read, by the setting that names the files: the spaces of a host have the very same. */
const read = new WeakMap<readonly ZoneSource[], ZoneSet>();

/**
 * The zones of a setting. Its files are read at once, for the first who asks: the host, before it serves anybody.
 *
 * @throws BacklotError `invalid` with the file and the line that cannot be read
 */
export function zonesOf(sources: readonly ZoneSource[]): ZoneSet {
  let zones = read.get(sources);
  if (zones === undefined) read.set(sources, (zones = loadZones(sources)));
  return zones;
}

/**
 * Reads zone files.
 *
 * @throws BacklotError `invalid` with the file and the line that cannot be read
 */
function loadZones(sources: readonly ZoneSource[]): ZoneSet {
  const zones = new ZoneSet();
  let left = MAX_RECORDS;
  sources.forEach(({ file, origin }, index) => {
    const start = checkAt(`/zones/${index}/origin`, () =>
      origin === undefined ? undefined : parseName(origin),
    );
    checkAt(`/zones/${index}/file`, () => {
      const text = readText(file);
      try {
        let zone: Zone | undefined;
        for (const record of readRecords(text, start)) {
          if (left === 0)
            throw new ZoneError(
              record.line,
              `the zone files have more than ${MAX_RECORDS} records; use fewer`,
            );
          left -= 1;
          if (zone === undefined) zone = new Zone(record);
          else zone.add(record);
        }
        if (zone === undefined) throw new Error(`"${file}" has no record; a zone begins with a SOA record`);
        zones.add(zone);
      } catch (thrown) {
        throw thrown instanceof ZoneError ? placed(thrown, file) : thrown;
      }
    });
  });
  return zones;
}

/** With the file and the line; what is wrong may be most of a large file. */
function placed(error: ZoneError, file: string): Error {
  const message = messageOf(error);
  const shown = message.length > MAX_SHOWN ? `${message.slice(0, MAX_SHOWN)}...` : message;
  return new Error(`"${file}", line ${error.line}: ${shown}`, { cause: error });
}

function readText(path: string): string {
  const file = resolve(path);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() !== true)
    throw new Error(`"${path}" is not a file; relative paths start from the folder of the configuration`);
  if (stat.size > MAX_SIZE) throw new Error(`"${path}" is larger than ${MAX_SIZE / 1024 / 1024} MiB`);
  const bytes = readFileSync(file);
  if (!isUtf8(bytes)) throw new Error(`"${path}" is not UTF-8; write other octets as \\DDD`);
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}
