import { invalid, parseDuration } from '@backlot/core/plugin';
import { CommandError } from '../wire/errors.js';
import { parseFloat64 } from '../wire/numbers.js';
import { toWire } from '../wire/text.js';
import { HashValue } from './hash-value.js';
import { ListValue } from './list-value.js';
import { SetValue } from './set-value.js';
import { SortedSetValue } from './sorted-set-value.js';
import { DATABASES } from './store.js';
import { MIN_ID } from './by-id.js';
import { makeId, readId } from '../commands/streams/ids.js';
import { StreamValue } from './stream-value.js';
import type { Value } from './value.js';

/** A key that is there from the start. */
export interface Seed {
  readonly key: string;
  readonly value: Value;
  readonly database: number;
  /** Milliseconds until it expires; `undefined`: never. */
  readonly ttl: number | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const TYPES = ['string', 'list', 'hash', 'set', 'zset', 'stream'] as const;
type TypeName = (typeof TYPES)[number];
const EXPLICIT = new Set(['type', 'value', 'ttl', 'database']);

/**
 * Reads one key of `data`.
 *
 * @param now - milliseconds since 1970, for the ids of entries of streams that have none
 * @throws BacklotError `invalid` that names the key and what would be right
 */
export function readSeed(name: string, given: unknown, now: number): Seed {
  const what = `the key ${JSON.stringify(name)}`;
  const key = toWire(name);
  if (!isExplicit(given)) {
    const type = Array.isArray(given) ? 'list' : isObject(given) ? 'hash' : 'string';
    return { key, value: readValue(type, given, what, now), database: 0, ttl: undefined };
  }
  const { type, value, ttl, database = 0 } = given;
  if (typeof database !== 'number' || !Number.isInteger(database) || database < 0 || database >= DATABASES)
    throw invalid(`database of ${what} must be 0 to ${DATABASES - 1}, got ${JSON.stringify(database)}`);
  if (ttl !== undefined && typeof ttl !== 'string')
    throw invalid(`ttl of ${what} must be a duration, such as 1h, got ${JSON.stringify(ttl)}`);
  const lasting = ttl === undefined ? undefined : parseDuration(ttl);
  if (lasting === 0) throw invalid(`ttl of ${what} must be more than zero`);
  return { key, value: readValue(type, value, what, now), database, ttl: lasting };
}

/** Whether it is the form that tells the type: `type`, `value`, and perhaps `ttl` and `database`, and nothing else. */
function isExplicit(given: unknown): given is Fields & { readonly type: TypeName } {
  return (
    isObject(given) &&
    TYPES.some((type) => type === given['type']) &&
    'value' in given &&
    Object.keys(given).every((field) => EXPLICIT.has(field))
  );
}

function readValue(type: TypeName, given: unknown, what: string, now: number): Value {
  switch (type) {
    case 'string':
      return readText(given, `the value of ${what}`);
    case 'list': {
      const list = new ListValue();
      for (const item of readTexts(given, what, 'list')) list.pushLast(item);
      return list;
    }
    case 'set': {
      const set = new SetValue();
      for (const item of readTexts(given, what, 'set')) set.add(item);
      return set;
    }
    case 'hash': {
      const hash = new HashValue();
      for (const [field, value] of readEntries(given, what, 'hash', '{ name: Ann }'))
        hash.set(toWire(field), readText(value, `the field ${JSON.stringify(field)} of ${what}`));
      return hash;
    }
    case 'zset': {
      const set = new SortedSetValue();
      for (const [member, score] of readEntries(given, what, 'sorted set', '{ ada: 1 }'))
        set.set(toWire(member), readScore(score, `the score of ${JSON.stringify(member)} of ${what}`));
      return set;
    }
    case 'stream':
      return readStream(given, what, now);
  }
}

function readStream(given: unknown, what: string, now: number): StreamValue {
  const stream = new StreamValue();
  const entries = Array.isArray(given)
    ? given.map((fields: unknown, index) => [undefined, fields, index] as const)
    : readEntries(given, what, 'stream', '[{ type: mail }], or { 1-1: { type: mail } }').map(
        ([id, fields], index) => [id, fields, index] as const,
      );
  for (const [text, fields, index] of entries) {
    const place = text === undefined ? `the entry ${index} of ${what}` : `the entry ${text} of ${what}`;
    const id = text === undefined ? makeId(BigInt(now), BigInt(index)) : readEntryId(text, place);
    if (id <= stream.lastId || id === MIN_ID)
      throw invalid(`${place} must have an id above 0-0 and those before it`);
    const flat = readEntries(fields, place, 'entry of a stream', '{ type: mail }').flatMap(
      ([field, value]) => [toWire(field), readText(value, `the field ${JSON.stringify(field)} of ${place}`)],
    );
    stream.append(id, flat);
  }
  return stream;
}

function readEntryId(text: string, place: string): bigint {
  try {
    return readId(text);
  } catch (thrown) {
    if (thrown instanceof CommandError) throw invalid(`${place} must have an id such as 1-1`);
    throw thrown;
  }
}

function readScore(score: unknown, what: string): number {
  const number = typeof score === 'number' ? score : parseFloat64(String(score));
  if (number === undefined || Number.isNaN(number))
    throw invalid(`${what} must be a number, got ${JSON.stringify(score)}`);
  return number;
}

function readEntries(
  given: unknown,
  what: string,
  type: string,
  example: string,
): readonly (readonly [string, unknown])[] {
  const entries = isObject(given) ? Object.entries(given) : [];
  if (entries.length > 0) return entries;
  throw invalid(`${what} is a ${type}: its value must be an object such as ${example}`);
}

function readTexts(given: unknown, what: string, type: string): readonly string[] {
  if (!Array.isArray(given) || given.length === 0)
    throw invalid(`${what} is a ${type}: its value must be a list of one item or more, such as [a, b]`);
  return given.map((item: unknown, index) => readText(item, `the item ${index} of ${what}`));
}

function readText(given: unknown, what: string): string {
  if (typeof given === 'string') return toWire(given);
  if (typeof given === 'number' || typeof given === 'boolean') return String(given);
  const base64 = isObject(given) && Object.keys(given).length === 1 ? given['base64'] : undefined;
  if (typeof base64 === 'string') {
    const bytes = Buffer.from(base64, 'base64');
    if (bytes.toString('base64') === base64) return bytes.toString('latin1');
    throw invalid(`${what} must be base64, got ${JSON.stringify(base64.slice(0, 100))}`);
  }
  const got = given === null ? 'null' : Array.isArray(given) ? 'a list' : 'an object';
  throw invalid(
    `${what} must be a text or a number, got ${got} (JSON is given as a text; a type is told by { type: zset, value: ... })`,
  );
}

function isObject(given: unknown): given is Fields {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}
