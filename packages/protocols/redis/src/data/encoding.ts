import { parseInt64 } from '../wire/numbers.js';
import { HashValue } from './hash-value.js';
import { ListValue } from './list-value.js';
import { LongText } from './long-text.js';
import { SetValue } from './set-value.js';
import { StreamValue } from './stream-value.js';
import type { Value } from './value.js';

/** Up to so many elements, of so many bytes, a small collection has its compact form. */
const MAX_COMPACT = 128;
const MAX_COMPACT_LENGTH = 64;
const MAX_INTEGERS = 512;
const MAX_EMBEDDED = 44;

/** How a Redis would keep a value, as OBJECT ENCODING names it. */
export function encodingOf(value: Value): string {
  if (value instanceof LongText) return 'raw';
  if (typeof value === 'string') {
    if (parseInt64(value) !== undefined) return 'int';
    return value.length <= MAX_EMBEDDED ? 'embstr' : 'raw';
  }
  const { size } = value;
  if (value instanceof ListValue) return 'quicklist';
  if (value instanceof StreamValue) return 'stream';
  if (value instanceof SetValue)
    return size <= MAX_INTEGERS && [...value.members].every(isInteger) ? 'intset' : 'hashtable';
  if (value instanceof HashValue)
    return size <= MAX_COMPACT && [...value.fields].flat().every(isShort) ? 'listpack' : 'hashtable';
  return size <= MAX_COMPACT && [...value.scores.keys()].every(isShort) ? 'listpack' : 'skiplist';
}

function isInteger(text: string): boolean {
  return parseInt64(text) !== undefined;
}

function isShort(text: string): boolean {
  return text.length <= MAX_COMPACT_LENGTH;
}
