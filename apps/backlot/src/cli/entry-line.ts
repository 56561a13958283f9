import { shorten } from './visible.js';

type Entry = Readonly<Record<string, unknown>>;

/** The text of a field that is a text or a number; empty for anything else. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A journal entry as one line. */
export function formatEntry(entry: Entry): string {
  const time = textOf(entry['timestamp']).slice(11, 23);
  const status = entry['status'] === undefined ? '' : ` ${textOf(entry['status'])}`;
  const duration = typeof entry['duration_ms'] === 'number' ? ` ${Math.round(entry['duration_ms'])}ms` : '';
  const marks = [entry['fault'] === true ? 'fault' : '', entry['aborted'] === true ? 'aborted' : ''].filter(
    (mark) => mark !== '',
  );
  const marked = marks.length === 0 ? '' : ` (${marks.join(', ')})`;
  return `${time} ${textOf(entry['protocol'])} ${textOf(entry['method'])} ${shorten(textOf(entry['path']), 200)}${status}${duration} ${outcomeOf(entry)}${marked}`;
}

function outcomeOf(entry: Entry): string {
  if (entry['matched_id'] !== undefined) return `-> ${textOf(entry['matched_id'])}`;
  const misses = entry['near_misses'];
  const closest = Array.isArray(misses)
    ? (misses[0] as { mock_id?: unknown; reason?: unknown } | undefined)
    : undefined;
  return closest === undefined
    ? '-> no mock'
    : `-> no mock (closest ${textOf(closest.mock_id)}: ${textOf(closest.reason)})`;
}
