import { invalid } from '../errors.js';
import type { Json } from '../contract/given.js';
import { defineOwn, isObject } from '../validation/pointer.js';
import { show } from '../validation/messages.js';
import { MAX_VALUES } from '../validation/value-size.js';

/** One row. It never changes: another one takes its place. */
export interface Row {
  readonly key: string;
  readonly value: Json;
  /** Grows in the order of creation. */
  readonly number: number;
  /** About how many bytes it holds. */
  readonly size: number;
  /** Until when it is out of sight, by the virtual clock; 0 when it is not. */
  readonly hiddenUntil: number;
}

const MAX_DEPTH = 200;
/** What a value takes beside its characters. */
const NODE_BYTES = 16;

interface Count {
  values: number;
  bytes: number;
}

/**
 * A deep copy of a JSON object that nobody can change, and about how many bytes it holds. Bytes are copied, and a field
 * without a value is left out.
 *
 * @throws BacklotError `invalid` for what is no object, or holds too much, or what JSON does not have
 */
export function copyOfRow(value: unknown): { readonly value: Json; readonly size: number } {
  if (!isObject(value) || value instanceof Uint8Array)
    throw invalid(`a row must be an object, got ${show(value)}`, [
      { path: '', message: `must be an object, got ${show(value)}` },
    ]);
  const count: Count = { values: 0, bytes: 0 };
  const copy = copyOf(value, count, 0) as Json;
  return { value: copy, size: count.bytes };
}

function copyOf(value: unknown, count: Count, depth: number): unknown {
  count.values += 1;
  count.bytes += NODE_BYTES;
  if (count.values > MAX_VALUES) throw refused(`must not hold more than ${MAX_VALUES} fields and elements`);
  if (depth > MAX_DEPTH) throw refused(`must not be nested deeper than ${MAX_DEPTH} levels`);
  switch (typeof value) {
    case 'string':
      count.bytes += value.length;
      return value;
    case 'number':
    case 'boolean':
      return value;
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    case 'object':
      return value === null ? null : copyOfObject(value, count, depth);
    default:
      throw refused(`must be JSON, got a ${typeof value}`);
  }
}

function copyOfObject(value: object, count: Count, depth: number): unknown {
  if (value instanceof Uint8Array) {
    count.bytes += value.length;
    return Buffer.from(value);
  }
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value))
    return Object.freeze(value.map((item: unknown) => copyOf(item ?? null, count, depth + 1)));
  const copy: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    count.bytes += name.length;
    const copied = copyOf(inner, count, depth + 1);
    if (name === '__proto__') defineOwn(copy, name, copied);
    else copy[name] = copied;
  }
  return Object.freeze(copy);
}

function refused(message: string): Error {
  return invalid(`a row ${message}`, [{ path: '', message }]);
}

/** A key as a text; `undefined` for a value that cannot be one. */
export function keyText(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
