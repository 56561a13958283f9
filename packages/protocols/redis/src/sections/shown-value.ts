import { showBytes, type Json } from '@backlot/core/plugin';
import { formatId } from '../commands/streams/ids.js';
import { HashValue } from '../data/hash-value.js';
import { ListValue } from '../data/list-value.js';
import { SetValue } from '../data/set-value.js';
import { SortedSetValue } from '../data/sorted-set-value.js';
import type { StreamValue } from '../data/stream-value.js';
import { isText, type Text } from '../data/text.js';
import type { Value } from '../data/value.js';
import { formatFloat } from '../wire/numbers.js';
import { fromWire } from '../wire/text.js';
import { MAX_SHOWN } from './declaration.js';

/** Bytes that are shown of a value, and of one element of it. */
const MAX_BYTES = 1024 * 1024;
const MAX_TEXT = 64 * 1024;

/** A value as JSON: the beginning of a long one. */
export function showValue(value: Value): Json {
  if (!isText(value)) return { value: elements(value) };
  // Some bytes more, so that it is seen that there are more.
  const text =
    typeof value === 'string' ? value.slice(0, MAX_BYTES + 4) : [...value.parts(0, MAX_BYTES + 4)].join('');
  return showBytes(Buffer.from(text, 'latin1'), 'value');
}

function elements(value: Exclude<Value, Text>): unknown {
  if (value instanceof ListValue) return Array.from(first(value.range(0, MAX_SHOWN)), cut);
  if (value instanceof SetValue) return Array.from(first(value.members), cut);
  return Object.fromEntries(
    Array.from(first(fieldsOf(value)), ([name, inner]) => [
      cut(name),
      typeof inner === 'string' ? cut(inner) : inner,
    ]),
  );
}

/** Fields of a hash, members of a sorted set with their scores, or entries of a stream by their ids. */
function* fieldsOf(value: HashValue | SortedSetValue | StreamValue): Generator<readonly [string, unknown]> {
  if (value instanceof HashValue) yield* value.fields;
  else if (value instanceof SortedSetValue) {
    for (const { member, score } of value.range(0, MAX_SHOWN)) yield [member, showScore(score)];
  } else {
    for (let place = 0; place < value.size; place += 1) {
      const entry = value.entries.at(place);
      if (entry === undefined) return;
      yield [
        formatId(entry.id),
        Object.fromEntries(Array.from(first(pairsOf(entry.fields)), ([a, b]) => [cut(a), cut(b)])),
      ];
    }
  }
}

function* pairsOf(texts: readonly string[]): Generator<readonly [string, string]> {
  for (let at = 0; at < texts.length; at += 2) yield [texts[at] ?? '', texts[at + 1] ?? ''];
}

/** JSON has no infinite numbers. */
function showScore(score: number): number | string {
  return Number.isFinite(score) ? score : formatFloat(score);
}

function cut(text: string): string {
  return fromWire(text.slice(0, MAX_TEXT));
}

/** The first values: no more than are shown, and no more bytes. */
function* first<T>(values: Iterable<T>): Generator<T> {
  let [left, bytes] = [MAX_SHOWN, MAX_BYTES];
  for (const value of values) {
    if (left === 0 || bytes <= 0) return;
    yield value;
    left -= 1;
    bytes -= sizeOf(value);
  }
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Math.min(value.length, MAX_TEXT);
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + sizeOf(each), 0);
  if (typeof value === 'object' && value !== null) return sizeOf(Object.entries(value));
  return 8;
}
