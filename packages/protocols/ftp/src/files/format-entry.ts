import type { Entry } from './entry.js';
import { formatMode, isReadable, isWritable } from './permissions.js';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const HALF_A_YEAR = 183 * 24 * 60 * 60 * 1000;

/** The facts that MLST and MLSD can give (RFC 3659, section 7.5), in the order in which they are given. */
export const FACTS = ['type', 'size', 'modify', 'perm', 'UNIX.mode'] as const;

/** One of {@link FACTS}. */
export type Fact = (typeof FACTS)[number];

/** A line of LIST, as `ls -l` writes it, in UTC. */
export function formatListLine(entry: Entry, now: number): string {
  const { name, isDirectory, size, mode, modified } = entry;
  const time = new Date(modified);
  const day = `${MONTHS[time.getUTCMonth()] ?? ''} ${String(time.getUTCDate()).padStart(2)}`;
  const isRecent = modified <= now && now - modified < HALF_A_YEAR;
  const rest = isRecent ? time.toISOString().slice(11, 16) : ` ${time.getUTCFullYear()}`;
  const letters = `${isDirectory ? 'd' : '-'}${formatMode(mode)}`;
  return `${letters} 1 ftp ftp ${String(size).padStart(12)} ${day} ${rest} ${name}`;
}

/** A line of MLSD or MLST: facts, a space, and the name. */
export function formatFacts(entry: Entry, name: string, wanted: readonly Fact[], type?: 'cdir'): string {
  const facts = wanted.flatMap((fact) => {
    const value = factOf(entry, fact, type);
    return value === undefined ? [] : [`${fact}=${value};`];
  });
  return `${facts.join('')} ${name}`;
}

/** The time of MDTM and of the fact `modify`: `YYYYMMDDHHMMSS`. Many programs read no fraction, so there is none, as of other servers. */
export function formatTime(time: number): string {
  return new Date(time)
    .toISOString()
    .replaceAll(/[-:TZ.]/g, '')
    .slice(0, 14);
}

/** Reads what {@link formatTime} writes, also with a fraction of a second; `undefined` when it is no time. */
export function parseTime(text: string): number | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d{1,3})\d*)?$/.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '0'] = parts;
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0')}Z`;
  const time = Date.parse(iso);
  return Number.isNaN(time) ? undefined : time;
}

function factOf(entry: Entry, fact: Fact, type: 'cdir' | undefined): string | undefined {
  const { isDirectory, mode } = entry;
  switch (fact) {
    case 'type':
      return isDirectory ? (type ?? 'dir') : 'file';
    case 'size':
      return isDirectory ? undefined : String(entry.size);
    case 'modify':
      return formatTime(entry.modified);
    case 'perm':
      if (isDirectory) return 'cdeflmp';
      return `${isWritable(mode) ? 'aw' : ''}df${isReadable(mode) ? 'r' : ''}`;
    case 'UNIX.mode':
      return `0${mode.toString(8).padStart(3, '0')}`;
  }
}
