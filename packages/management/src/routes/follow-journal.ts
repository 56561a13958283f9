import type { JournalFilter, JournalItem, JournalCollection } from '@backlot/core';
import { Slice, nextTurn, type EventSink } from '@backlot/core/plugin';
import type { Pace } from '../answer/pace.js';

/** What can be followed: a journal, or several, whose entries have no number in common, so that only what comes is sent. */
type Followed = Pick<JournalCollection, 'subscribe'> & Partial<Pick<JournalCollection, 'items' | 'newest'>>;

/**
 * Sends journal entries to a reader: first those after `from` that the journal still holds, then each as it appears. A
 * reader that does not keep up misses entries and is told how many.
 *
 * @param from - an id of an entry; `undefined` begins with the next entry
 * @param fits - whether an entry that passes the filter is wanted; all are when absent
 * @param pace - how many entries may be sent as they appear; of those beyond it the reader is told how many. It is ended with this
 * @returns a function that ends it
 */
export function followJournal(
  journal: Followed,
  filter: JournalFilter,
  from: string | undefined,
  sink: EventSink,
  fits?: (item: JournalItem) => boolean,
  pace?: Pace,
): () => void {
  let backlog: readonly JournalItem[] =
    journal.items === undefined || from === undefined ? [] : journal.items({ ...filter, after: from });
  const isNumbered = journal.newest !== undefined;
  let next = 0;
  let last = from;
  let hasMore = false;
  let missed = 0;
  let skipped = 0;

  const send = (item: JournalItem): void => {
    last = item.id;
    const data = JSON.stringify(item.render());
    sink.send(isNumbered ? { id: item.id, data } : { data });
  };
  /** @returns whether nothing of the backlog is left */
  const sendBacklog = (): boolean => {
    const slice = new Slice();
    while (sink.ready) {
      if (slice.isOver) {
        void nextTurn().then(goOn);
        return false;
      }
      const item = backlog[next];
      if (item !== undefined) {
        next += 1;
        if (fits === undefined || fits(item)) send(item);
        else last = item.id;
      } else if (hasMore && last !== undefined) {
        hasMore = false;
        backlog = journal.items?.({ ...filter, after: last }) ?? [];
        next = 0;
      } else {
        backlog = [];
        next = 0;
        return true;
      }
    }
    return next >= backlog.length && !hasMore;
  };

  const goOn = (): void => {
    if (!isLive) isLive = sendBacklog();
    if (missed === 0 || !sink.ready) return;
    sink.send({ event: 'dropped', data: JSON.stringify({ count: missed }) });
    missed = 0;
  };
  let isLive = sendBacklog();
  sink.onReady(goOn);
  /** @returns how many were skipped since it was told last */
  const tellSkipped = (): number => {
    const count = skipped;
    skipped = 0;
    if (count > 0) sink.send({ event: 'skipped', data: JSON.stringify({ count }) });
    return count;
  };
  /** Whether what is left out can be counted by ids, without looking at it. */
  const isWhole = isNumbered && fits === undefined && Object.keys(filter).length === 0;
  const leaveOut = (item: JournalItem, by: Pace): void => {
    skipped += 1;
    if (!isWhole) {
      by.afterWindow(tellSkipped);
      return;
    }
    const number = Number(item.id);
    unsubscribe();
    by.afterWindow(() => {
      skipped += Number(journal.newest) - number;
      unsubscribe = follow();
      return tellSkipped();
    });
  };
  const follow = (): (() => void) =>
    journal.subscribe(filter, (item) => {
      if (!isLive) hasMore = true;
      else if (fits !== undefined && !fits(item)) return;
      else if (!sink.ready || missed > 0) missed += 1;
      else if (pace === undefined || pace.take()) send(item);
      else leaveOut(item, pace);
    });
  let unsubscribe = follow();
  return () => {
    pace?.end();
    unsubscribe();
  };
}
