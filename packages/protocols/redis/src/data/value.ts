import { HashValue } from './hash-value.js';
import { ListValue } from './list-value.js';
import { SetValue } from './set-value.js';
import type { SortedSetValue } from './sorted-set-value.js';

/** A stored value; a string has one character per byte. */
export type Value = string | ListValue | HashValue | SetValue | SortedSetValue;

/** An independent copy of a value, made step by step. */
export function* copyValue(value: Value): Generator<undefined, Value> {
  return typeof value === 'string' ? value : yield* value.copy();
}

/** The type of a value, as TYPE names it. */
export function typeOf(value: Value): string {
  if (typeof value === 'string') return 'string';
  if (value instanceof ListValue) return 'list';
  if (value instanceof HashValue) return 'hash';
  return value instanceof SetValue ? 'set' : 'zset';
}
