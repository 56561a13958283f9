import type { HostOptions } from '../contract/host.js';
import { Journal } from '../journal/journal.js';

/** What the journal of a space keeps at most. */
const SPACE_ENTRIES = 10_000;
const SPACE_BYTES = 16 * 1024 * 1024;

/** The journal of a host; that of a space is not larger than others need. */
export function makeJournal({ logs = {} }: HostOptions, space: string | undefined): Journal {
  const { max_entries: entries, max_bytes: bytes } = logs;
  if (space === undefined) return new Journal(entries, bytes);
  return new Journal(
    Math.min(entries ?? SPACE_ENTRIES, SPACE_ENTRIES),
    Math.min(bytes ?? SPACE_BYTES, SPACE_BYTES),
    space,
  );
}
