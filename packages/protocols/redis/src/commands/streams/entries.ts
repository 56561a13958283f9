import type { StreamId } from '../../data/by-id.js';
import type { StreamEntry, StreamValue } from '../../data/stream-value.js';
import { joinReplies, type Encoded } from '../../wire/long-reply.js';
import { array, bulks } from '../../wire/reply.js';
import { gatherList, listHead, type ItemForm } from '../work.js';
import { bulkId } from './ids.js';

/** Entries: an id with its fields and values. */
export const ENTRIES: ItemForm<StreamEntry> = {
  encode: encodeEntry,
  weigh: ({ fields }) => {
    let weight = 64;
    for (const field of fields) weight += field.length;
    return weight;
  },
};

/** An entry as an answer. */
export function encodeEntry({ id, fields }: StreamEntry): string {
  return array([bulkId(id), bulks(fields)]);
}

/** The entries from one id to another, made step by step. @param most - 0: all */
export function* answerEntries(
  stream: StreamValue,
  start: StreamId,
  end: StreamId,
  most: number,
  isReversed = false,
): Generator<undefined, Encoded> {
  const { from, to } = placesOf(stream, start, end, most, isReversed);
  return yield* gatherList(listHead, stream.entries.range(from, to, isReversed), ENTRIES);
}

/** The places of the entries from one id to another. */
export function placesOf(
  { entries }: StreamValue,
  start: StreamId,
  end: StreamId,
  most: number,
  isReversed = false,
): { readonly from: number; readonly to: number } {
  const from = entries.placeOf(start);
  const to = Math.max(
    from,
    entries.firstWhere(({ id }) => id > end),
  );
  if (most === 0 || to - from <= most) return { from, to };
  return isReversed ? { from: to - most, to } : { from, to: from + most };
}

/** Encoded answers as the items of one array. */
export function arrayOf(items: readonly Encoded[]): Encoded {
  return joinReplies(listHead(items.length), items);
}
