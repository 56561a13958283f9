import type { ExportReport, ImportReport } from '@backlot/core';
import { note } from '../output.js';

type Notes = ImportReport['refused'];

/** What could not be carried over as it was, as lines below what it is called; none where there is nothing. */
export function noteLines(name: string, list: Notes): string[] {
  if (list.length === 0) return [];
  return [
    `  ${name}:`,
    ...list.map(
      ({ place, message, count }) =>
        `    ${place === '' ? '' : `${place}: `}${message}${count > 1 ? ` (${count} times)` : ''}`,
    ),
  ];
}

/** Counts of things by what they are, on one line. */
export function countsLine(of: Readonly<Record<string, number>>): string {
  return (
    Object.entries(of)
      .map(([what, number]) => `${number} ${what}`)
      .join(', ') || 'nothing'
  );
}

/** Says on standard error what was written, and what could not be said. @param out - the file; standard output when absent */
export function noteReport(
  { title, written, approximated, refused }: ExportReport,
  out: string | undefined,
): void {
  note(`${out ?? 'standard output'}: ${title}`);
  note(`  written: ${countsLine(written)}`);
  for (const line of [...noteLines('approximated', approximated), ...noteLines('refused', refused)])
    note(line);
}
