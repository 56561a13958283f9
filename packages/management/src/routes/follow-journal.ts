import type { JournalEntry, JournalFilter, JournalReader } from '@backlot/core';
import type { EventSink } from '@backlot/core/plugin';

/**
 * Sends journal entries to a reader: first those after `from` that are still held, then each as it appears. A reader
 * that does not keep up misses entries and is told how many; what it misses is never rendered.
 *
 * @param from - an id of an entry; `undefined` begins with the next entry
 * @returns a function that ends it
 */
export function followJournal(
  journal: JournalReader,
  filter: JournalFilter,
  from: string | undefined,
  sink: EventSink,
): () => void {
  let backlog: readonly JournalEntry[] = from === undefined ? [] : journal.list({ ...filter, after: from });
  let next = 0;
  let last = from;
  let hasMore = false;
  let missed = 0;

  const send = (entry: JournalEntry): void => {
    last = entry.id;
    sink.send({ id: entry.id, data: JSON.stringify(entry) });
  };
  /** @returns whether nothing of the backlog is left */
  const sendBacklog = (): boolean => {
    while (sink.ready) {
      const entry = backlog[next];
      if (entry !== undefined) {
        next += 1;
        send(entry);
      } else if (hasMore && last !== undefined) {
        hasMore = false;
        backlog = journal.list({ ...filter, after: last });
        next = 0;
      } else {
        backlog = [];
        next = 0;
        return true;
      }
    }
    return next >= backlog.length && !hasMore;
  };

  let isLive = sendBacklog();
  sink.onReady(() => {
    if (!isLive) isLive = sendBacklog();
    if (missed === 0 || !sink.ready) return;
    sink.send({ event: 'dropped', data: JSON.stringify({ count: missed }) });
    missed = 0;
  });
  return journal.subscribe(filter, (entry) => {
    if (!isLive) hasMore = true;
    else if (sink.ready && missed === 0) send(entry.render());
    else missed += 1;
  });
}
