import { array, boolean, bulk, double, integer, map, nil, set, type Resp } from './wire/reply.js';
import { toWire } from './wire/text.js';

/** Deeper lists and objects are sent as their JSON. */
const MAX_DEPTH = 32;

/** Whether a value is a text that may be one tag and nothing else, which keeps the type of what it inserts. */
export function isLoneTag(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('{{') && value.endsWith('}}');
}

/**
 * Encodes what a tag has inserted, such as the row of a collection: texts as bulk strings, numbers, booleans and null as
 * what they are, lists as arrays and objects as maps.
 *
 * @returns undefined when it is no value of the type
 */
export function encodeInserted(
  type: 'array' | 'set' | 'map',
  value: unknown,
  resp: Resp,
): string | undefined {
  if (type === 'map') {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? encodeMap(value, resp, 0) : undefined;
  }
  if (!Array.isArray(value)) return undefined;
  const items = value.map((item) => encodeAny(item, resp, 1));
  return type === 'set' ? set(items, resp) : array(items);
}

function encodeAny(value: unknown, resp: Resp, depth: number): string {
  if (value === null || value === undefined) return nil(resp);
  if (typeof value === 'boolean') return boolean(value, resp);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? integer(value) : double(value, resp);
  if (typeof value === 'string') return bulk(toWire(value));
  if (depth > MAX_DEPTH) return bulk(toWire(JSON.stringify(value)));
  if (Array.isArray(value)) return array(value.map((item) => encodeAny(item, resp, depth + 1)));
  return encodeMap(value, resp, depth);
}

function encodeMap(value: object, resp: Resp, depth: number): string {
  const items = Object.entries(value).flatMap(([key, item]) => [
    bulk(toWire(key)),
    encodeAny(item, resp, depth + 1),
  ]);
  return map(items, resp);
}
