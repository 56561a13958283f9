import { HashValue } from './hash-value.js';
import { ListValue } from './list-value.js';
import { SetValue } from './set-value.js';
import type { SortedSetValue } from './sorted-set-value.js';

/** A stored value; a string has one character per byte. */
export type Value = string | ListValue | HashValue | SetValue | SortedSetValue;

/** An independent copy of a value. */
export function cloneValue(value: Value): Value {
  return typeof value === 'string' ? value : value.clone();
}

/** The type of a value, as TYPE names it. */
export function typeOf(value: Value): string {
  if (typeof value === 'string') return 'string';
  if (value instanceof ListValue) return 'list';
  if (value instanceof HashValue) return 'hash';
  return value instanceof SetValue ? 'set' : 'zset';
}
