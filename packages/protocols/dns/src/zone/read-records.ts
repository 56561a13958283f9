import { messageOf } from '@backlot/core/plugin';
import { parseName, type DomainName } from '../wire/name.js';
import { parseRecord } from '../wire/rdata/parse-record.js';
import type { RecordData } from '../wire/record-data.js';
import { isSeconds, parseSeconds } from '../wire/seconds.js';
import { isDataType, numberOfType, TYPE } from '../wire/types.js';
import { scanEntries, ZoneError, type Entry, type Word } from './scan.js';

/** DNAME answers for all names below its own, which is not done here. */
const DNAME = 39;

/** A record of a zone file. */
export interface ZoneRecord {
  readonly line: number;
  readonly owner: DomainName;
  /** Seconds. */
  readonly ttl: number;
  readonly data: RecordData;
}

/** What the lines before say about those that leave it out. */
interface Defaults {
  /** As {@link DomainName.text}. */
  origin: string | undefined;
  owner: DomainName | undefined;
  /** Of `$TTL`. */
  ttl: number | undefined;
  /** Of the record before. */
  lastTtl: number | undefined;
}

/**
 * Reads the records of a zone file (RFC 1035 section 5, `$TTL` of RFC 2308 section 4).
 *
 * @param origin - what relative names stand below until the file has an `$ORIGIN`
 * @throws ZoneError for the first line that cannot be read
 */
export function* readRecords(source: string, origin: DomainName | undefined): Generator<ZoneRecord> {
  const defaults: Defaults = { origin: origin?.text, owner: undefined, ttl: undefined, lastTtl: undefined };
  for (const entry of scanEntries(source)) {
    try {
      const [first] = entry.words;
      if (entry.isAtMargin && first?.isQuoted === false && first.text.startsWith('$'))
        readDirective(entry.words, defaults);
      else yield readRecord(entry, defaults);
    } catch (thrown) {
      throw thrown instanceof ZoneError ? thrown : new ZoneError(entry.line, messageOf(thrown));
    }
  }
}

function readDirective(words: readonly Word[], defaults: Defaults): void {
  const [directive = '', value] = words.map(({ text }) => text);
  const name = directive.toUpperCase();
  if (name !== '$ORIGIN' && name !== '$TTL')
    throw new Error(
      `"${directive}" is not supported; write the records out (of directives, $ORIGIN and $TTL are)`,
    );
  if (value === undefined || words.length > 2)
    throw new Error(
      `${name} takes one value, such as "${name === '$TTL' ? '$TTL 1h' : '$ORIGIN example.com.'}"`,
    );
  if (name === '$TTL') defaults.ttl = parseSeconds(value);
  else defaults.origin = parseName(value, defaults.origin ?? NO_ORIGIN).text;
}

/** For a file that has not said yet what relative names stand below. */
const NO_ORIGIN = '';

function readRecord({ line, isAtMargin, words }: Entry, defaults: Defaults): ZoneRecord {
  const origin = defaults.origin ?? NO_ORIGIN;
  let at = 0;
  if (isAtMargin) {
    defaults.owner = parseName(words[0]?.text ?? '', origin);
    at = 1;
  }
  const { owner } = defaults;
  if (owner === undefined)
    throw new Error('the first record has no name; begin its line with one, or with @');
  let ttl: number | undefined;
  let hasClass = false;
  for (; at < words.length; at += 1) {
    const text = words[at]?.text ?? '';
    if (ttl === undefined && isSeconds(text)) ttl = parseSeconds(text);
    else if (!hasClass && isClass(text)) hasClass = true;
    else break;
  }
  const type = readType(words[at]);
  const data = parseRecord(type, joinWords(type, words.slice(at + 1)), origin);
  const known = ttl ?? defaults.ttl ?? defaults.lastTtl ?? minimumOf(data);
  if (known === undefined)
    throw new Error('no time to live; give the record one, or begin the file with $TTL');
  defaults.lastTtl = known;
  return { line, owner, ttl: known, data };
}

function isClass(text: string): boolean {
  const upper = text.toUpperCase();
  if (upper === 'IN' || upper === 'CLASS1') return true;
  if (/^(?:CH|CS|HS|CLASS\d+)$/.test(upper)) throw new Error(`class "${text}" is not served; use IN`);
  return false;
}

function readType(word: Word | undefined): number {
  if (word === undefined) throw new Error('the record has no type; write one such as A behind its name');
  const type = numberOfType(word.text);
  if (type === undefined || !isDataType(type) || word.isQuoted)
    throw new Error(`"${word.text}" is not a record type; use one such as A, AAAA, CNAME, MX, TXT or SRV`);
  if (type === DNAME) throw new Error('DNAME is not supported; write a CNAME for each name');
  return type;
}

/** Unlike the records of a mock, a TXT without quotes is several strings here. */
function joinWords(type: number, words: readonly Word[]): string {
  if (words.length === 0) throw new Error('the record has no data');
  const isText = type === TYPE.TXT && words[0]?.text !== '\\#';
  return words
    .map(({ text, isQuoted }) => {
      if (isQuoted) return `"${text}"`;
      return isText ? `"${text.replace(/\\[^]|"/gu, (part) => (part === '"' ? '\\"' : part))}"` : text;
    })
    .join(' ');
}

/** The last number of a SOA record, by which it lives itself where nothing else is said (RFC 1035 section 3.3.13). */
export function minimumOf({ type, parts }: RecordData): number | undefined {
  const numbers = parts.at(-1);
  return type === TYPE.SOA && Buffer.isBuffer(numbers) && numbers.length >= 4
    ? numbers.readUInt32BE(numbers.length - 4)
    : undefined;
}
