import { formatFloat, formatScore } from './numbers.js';
import { oneLine } from './text.js';

/**
 * The version of the protocol that a connection speaks (redis.io, "Redis serialization protocol specification";
 * RESP3.md).
 */
export type Resp = 2 | 3;

export const OK = '+OK\r\n';
export const QUEUED = '+QUEUED\r\n';
export const ZERO = ':0\r\n';
export const ONE = ':1\r\n';
export const EMPTY_ARRAY = '*0\r\n';

/** A simple string; line ends become spaces. */
export function simple(text: string): string {
  return `+${oneLine(text)}\r\n`;
}

/** An error, its class in front. */
export function error(text: string): string {
  return `-${oneLine(text)}\r\n`;
}

/** An integer. */
export function integer(value: number | bigint): string {
  return `:${value}\r\n`;
}

/** A bulk string, in the form of the wire. */
export function bulk(bytes: string): string {
  return `$${bytes.length}\r\n${bytes}\r\n`;
}

/** An array of encoded items. */
export function array(items: readonly string[]): string {
  return `*${items.length}\r\n${items.join('')}`;
}

/** An array of bulk strings. */
export function bulks(items: readonly string[]): string {
  let text = `*${items.length}\r\n`;
  for (const item of items) text += `$${item.length}\r\n${item}\r\n`;
  return text;
}

/** No value: `_`, or the null bulk string of RESP2. */
export function nil(resp: Resp): string {
  return resp === 3 ? '_\r\n' : '$-1\r\n';
}

/** No list: `_`, or the null array of RESP2. */
export function nilArray(resp: Resp): string {
  return resp === 3 ? '_\r\n' : '*-1\r\n';
}

/** A bulk string, or none. */
export function bulkOrNil(bytes: string | undefined, resp: Resp): string {
  return bytes === undefined ? nil(resp) : bulk(bytes);
}

/** A double: a bulk string in RESP2. */
export function double(value: number, resp: Resp): string {
  const text = formatFloat(value);
  return resp === 3 ? `,${text}\r\n` : bulk(text);
}

/** A double with the digits that Redis 7.0 shows, such as a score: a bulk string in RESP2. */
export function scoreReply(value: number, resp: Resp): string {
  const text = formatScore(value);
  return resp === 3 ? `,${text}\r\n` : bulk(text);
}

/** A boolean: 1 or 0 in RESP2. */
export function boolean(value: boolean, resp: Resp): string {
  if (resp === 3) return value ? '#t\r\n' : '#f\r\n';
  return value ? ONE : ZERO;
}

/** A map of encoded keys and values, one after the other: a flat array in RESP2. */
export function map(items: readonly string[], resp: Resp): string {
  return resp === 3 ? `%${items.length / 2}\r\n${items.join('')}` : array(items);
}

/** A set of encoded items: an array in RESP2. */
export function set(items: readonly string[], resp: Resp): string {
  return resp === 3 ? `~${items.length}\r\n${items.join('')}` : array(items);
}

/** What was not asked for: a push, or an array in RESP2. */
export function push(items: readonly string[], resp: Resp): string {
  return resp === 3 ? `>${items.length}\r\n${items.join('')}` : array(items);
}

/** A text for people: a verbatim string, or a bulk string in RESP2. */
export function verbatim(text: string, resp: Resp): string {
  return resp === 3 ? `=${text.length + 4}\r\ntxt:${text}\r\n` : bulk(text);
}
