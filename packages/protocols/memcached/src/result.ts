import { Item } from './store/item.js';
import type { StoreProblem } from './store/store.js';
import { ERRORS, type ProtocolError } from './wire/error-text.js';

/** How a command ended, before a protocol has put it into its own words. */
export type ResultCode = 'done' | 'missing' | 'not stored' | 'exists' | 'failed';

/** What a command came to. */
export interface Result {
  readonly code: ResultCode;
  /** What was read, stored or counted. */
  readonly item?: Item;
  /** Of what failed. */
  readonly error?: ProtocolError;
  /** Marks of a meta get, as they stand at the end of its answer. */
  readonly marks?: string;
  /** What was known of the item before a meta get used it. */
  readonly before?: { readonly wasFetched: boolean; readonly lastAccess: number };
  /** Names and values of `stats`. */
  readonly lines?: readonly (readonly [string, string])[];
  /** The whole answer of `stats` where it is no list. */
  readonly word?: string;
  /** The whole answer as an upstream has given it, one character per byte: it is the one that is written, where any is. */
  readonly wire?: string;
}

export const DONE: Result = { code: 'done' };
export const MISSING: Result = { code: 'missing' };
export const NOT_STORED: Result = { code: 'not stored' };
export const EXISTS: Result = { code: 'exists' };
export const TOO_LARGE: Result = failed(ERRORS.tooLarge);
export const NO_MEMORY: Result = failed(ERRORS.noMemory);
export const NOT_NUMERIC: Result = failed(ERRORS.notNumeric);

/** A result that is an error. */
export function failed(error: ProtocolError): Result {
  return { code: 'failed', error };
}

/** What storing came to. */
export function stored(item: Item | StoreProblem): Result {
  if (item instanceof Item) return { code: 'done', item };
  return item === 'too large' ? TOO_LARGE : NO_MEMORY;
}
