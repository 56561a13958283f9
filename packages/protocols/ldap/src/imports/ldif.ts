import { isUtf8 } from 'node:buffer';
import { invalid } from '@backlot/core/plugin';

/** A value of an attribute: a text, or bytes that are none. */
export type LdifValue = string | { readonly base64: string };

/** A record of an LDIF file. */
export interface LdifEntry {
  /** The line of its name, from 1. */
  readonly line: number;
  readonly dn: string;
  /** The `changetype`; absent for an entry. */
  readonly change?: string;
  /** By the name in lower case. */
  readonly attributes: ReadonlyMap<string, { readonly name: string; readonly values: LdifValue[] }>;
  /** Attributes whose values are somewhere else. */
  readonly urls: readonly string[];
}

const MAX_ENTRIES = 100_000;
const LINE = /^([A-Za-z0-9][A-Za-z0-9.;_-]*):(:|<)?[ \t]*(.*)$/s;

/**
 * Reads the records of an LDIF file (RFC 2849).
 *
 * @throws BacklotError `invalid` for a line that is none of LDIF
 */
export function* readLdif(text: string): Generator<LdifEntry> {
  let count = 0;
  let record: { line: number; text: string }[] = [];
  const flush = function* (): Generator<LdifEntry> {
    const read = record.length === 0 ? undefined : readRecord(record);
    record = [];
    if (read === undefined) return;
    count += 1;
    if (count > MAX_ENTRIES)
      throw invalid(`the file has more than ${MAX_ENTRIES} entries; import fewer at once`);
    yield read;
  };
  let number = 0;
  let isComment = false;
  for (const raw of linesOf(text)) {
    number += 1;
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (line === '') {
      isComment = false;
      yield* flush();
    } else if (line.startsWith(' ')) {
      const last = record.at(-1);
      // A line that goes on, of a comment as well.
      if (!isComment && last !== undefined) last.text += line.slice(1);
    } else if (line.startsWith('#')) {
      isComment = true;
    } else {
      isComment = false;
      record.push({ line: number, text: line });
    }
  }
  yield* flush();
}

function* linesOf(text: string): Generator<string> {
  let start = text.startsWith('\uFEFF') ? 1 : 0;
  for (;;) {
    const end = text.indexOf('\n', start);
    if (end < 0) break;
    yield text.slice(start, end);
    start = end + 1;
  }
  yield text.slice(start);
}

function readRecord(
  lines: readonly { readonly line: number; readonly text: string }[],
): LdifEntry | undefined {
  let dn: string | undefined;
  let change: string | undefined;
  let first = 0;
  const attributes = new Map<string, { name: string; values: LdifValue[] }>();
  const urls: string[] = [];
  for (const { line, text } of lines) {
    const [, name = '', mark, written = ''] = LINE.exec(text) ?? [];
    if (text === '-' && change !== undefined) continue;
    if (name === '')
      throw invalid(`line ${line}: "${text.slice(0, 60)}" is no line of LDIF, such as "cn: Ada"`);
    const value = mark === ':' ? decode(written) : written.trimEnd();
    const key = name.toLowerCase();
    if (dn === undefined) {
      if (key === 'version') continue;
      if (key !== 'dn')
        throw invalid(`line ${line}: a record begins with "dn:", got "${name.slice(0, 60)}:"`);
      if (typeof value !== 'string' || value === '') return undefined;
      dn = value;
      first = line;
    } else if (key === 'changetype') {
      change = typeof value === 'string' ? value.trim().toLowerCase() : '';
    } else if (key === 'control') {
      continue;
    } else if (mark === '<') {
      urls.push(name);
    } else {
      const known = attributes.get(key);
      if (known === undefined) attributes.set(key, { name, values: [value] });
      else known.values.push(value);
    }
  }
  return dn === undefined
    ? undefined
    : { line: first, dn, ...(change === undefined ? {} : { change }), attributes, urls };
}

function decode(text: string): LdifValue {
  const bytes = Buffer.from(text, 'base64');
  return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString('utf8') : { base64: bytes.toString('base64') };
}
