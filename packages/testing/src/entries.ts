import { inspect } from 'node:util';
import type { JournalEntry } from '@backlot/core';

const MAX_LISTED = 10;
const MAX_MISSES = 3;
const MAX_CHARACTERS = 200;

/** One entry in a line: `http POST /orders -> 404`. */
function formatEntry({ protocol, method, path, status }: JournalEntry): string {
  return `${[protocol, method, path].filter((part) => part !== '').join(' ')}${status === undefined ? '' : ` -> ${status}`}`;
}

/** Entries that met no mock, each with the mocks that came closest and why they did not match. */
export function formatUnmatched(entries: readonly JournalEntry[]): string {
  return list(entries, (entry) => {
    const misses = (entry.near_misses ?? []).slice(0, MAX_MISSES);
    return [
      formatEntry(entry),
      ...misses.map(({ mock_id, reason }) => `    not "${mock_id}": ${reason}`),
    ].join('\n');
  });
}

/** Entries, one a line. */
export function formatEntries(entries: readonly JournalEntry[]): string {
  return list(entries, formatEntry);
}

/** Any values, one a line. */
export function formatValues(values: readonly unknown[]): string {
  return list(values, formatValue);
}

/** A value in one line, cut when it is long. */
export function formatValue(value: unknown): string {
  const text = inspect(value, { breakLength: Infinity, depth: 4, maxStringLength: 60 });
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}...` : text;
}

/** `1 message`, `2 messages`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function list<T>(values: readonly T[], format: (value: T) => string): string {
  const lines = values.slice(0, MAX_LISTED).map((value) => `  ${format(value)}`);
  if (values.length > MAX_LISTED) lines.push(`  and ${values.length - MAX_LISTED} more`);
  return lines.join('\n');
}
