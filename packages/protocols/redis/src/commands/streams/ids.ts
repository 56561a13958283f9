import { MAX_ID, MIN_ID, type StreamId } from '../../data/by-id.js';
import { nextId, previousId } from '../../data/stream-value.js';
import { fail } from '../../wire/errors.js';
import { bulk } from '../../wire/reply.js';

const SEQUENCE = 64n;
/** The largest number of 64 bits. */
export const MAX_PART = 2n ** SEQUENCE - 1n;
/** No id is longer. */
const MAX_LENGTH = 127;
const NUMBER = /^\s*\+?\d+$/;
const INVALID = 'ERR Invalid stream ID specified as stream command argument';

/** An id from its two parts. */
export function makeId(milliseconds: bigint, sequence: bigint): StreamId {
  return (milliseconds << SEQUENCE) | sequence;
}

/** The milliseconds of an id. */
export function millisecondsOf(id: StreamId): bigint {
  return id >> SEQUENCE;
}

/** An id as clients see it. */
export function formatId(id: StreamId): string {
  return `${id >> SEQUENCE}-${id & MAX_PART}`;
}

/** An id as a bulk string. */
export function bulkId(id: StreamId): string {
  return bulk(formatId(id));
}

/** An id, `undefined` when the text is none. @param missing - the sequence number where there is none */
export function parseId(text: string, missing = 0n): StreamId | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const dash = text.indexOf('-');
  const milliseconds = parsePart(dash < 0 ? text : text.slice(0, dash));
  const sequence = dash < 0 ? missing : parsePart(text.slice(dash + 1));
  return milliseconds === undefined || sequence === undefined ? undefined : makeId(milliseconds, sequence);
}

/** @throws CommandError when the text is no id */
export function readId(text: string, missing = 0n): StreamId {
  return parseId(text, missing) ?? fail(INVALID);
}

/** The id of a new entry: whole, or with a sequence number that is to be found. @throws CommandError */
export function readNewId(text: string): { readonly id: StreamId; readonly isWhole: boolean } {
  return text.endsWith('-*')
    ? { id: readId(text.slice(0, -2)), isWhole: false }
    : { id: readId(text), isWhole: true };
}

/** Like {@link readId}, where `-` is the smallest id and `+` the largest. @throws CommandError */
export function readAnyId(text: string, missing = 0n): StreamId {
  if (text === '-') return MIN_ID;
  return text === '+' ? MAX_ID : readId(text, missing);
}

/** The first id of a range; `(` leaves the id itself out. @throws CommandError */
export function readStart(text: string): StreamId {
  if (!isExclusive(text)) return readAnyId(text);
  return nextId(readId(text.slice(1))) ?? fail('ERR invalid start ID for the interval');
}

/** The last id of a range; `(` leaves the id itself out. @throws CommandError */
export function readEnd(text: string): StreamId {
  if (!isExclusive(text)) return readAnyId(text, MAX_PART);
  return previousId(readId(text.slice(1), MAX_PART)) ?? fail('ERR invalid end ID for the interval');
}

function isExclusive(text: string): boolean {
  return text.length > 1 && text.startsWith('(');
}

function parsePart(text: string): bigint | undefined {
  if (!NUMBER.test(text)) return undefined;
  const part = BigInt(text.trim().replace('+', ''));
  return part > MAX_PART ? undefined : part;
}
