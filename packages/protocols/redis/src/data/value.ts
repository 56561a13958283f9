import { HashValue } from './hash-value.js';
import { ListValue } from './list-value.js';
import { SetValue } from './set-value.js';
import type { SortedSetValue } from './sorted-set-value.js';
import { StreamValue } from './stream-value.js';
import { isText, type Text } from './text.js';

/** A stored value; a string has one character per byte. */
export type Value = Text | ListValue | HashValue | SetValue | SortedSetValue | StreamValue;

/** An independent copy of a value, made step by step. */
export function* copyValue(value: Value): Generator<undefined, Value> {
  return typeof value === 'string' ? value : yield* value.copy();
}

/** The type of a value, as TYPE names it. */
export function typeOf(value: Value): string {
  if (isText(value)) return 'string';
  if (value instanceof ListValue) return 'list';
  if (value instanceof HashValue) return 'hash';
  if (value instanceof SetValue) return 'set';
  return value instanceof StreamValue ? 'stream' : 'zset';
}

/** What a key takes in memory beside its name and its value. */
const ENTRY_BYTES = 160;

/** What a key takes in memory with its value. */
export function bytesOf(key: string, value: Value): number {
  return ENTRY_BYTES + key.length + (typeof value === 'string' ? value.length : value.bytes);
}

/** A key's value, as a snapshot has it. */
export interface SavedEntry {
  readonly key: string;
  readonly value: Value;
  /** Milliseconds since 1970; 0: never. */
  readonly expireAt: number;
}
