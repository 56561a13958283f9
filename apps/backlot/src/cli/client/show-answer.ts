import { print, printDone, printJson, printLines } from '../output.js';
import { formatTable } from '../table.js';
import { shorten } from '../visible.js';

/** How an answer is shown. */
interface Shown {
  readonly columns?: readonly string[];
  readonly says?: string;
}

const LONGEST_CELL = 60;

/** Shows an answer of the management API: a list as a table of those columns that something stands in, anything else as JSON. */
export function showAnswer(
  answer: unknown,
  { columns, says }: Shown,
  flags: { readonly json?: boolean },
): void {
  const { json } = flags;
  if (says !== undefined) return printDone(says, answer, flags);
  if (json === true || columns === undefined || !Array.isArray(answer)) return printJson(answer);
  if (answer.length === 0) return print('none');
  const rows = answer as readonly Readonly<Record<string, unknown>>[];
  const used = columns.filter((name) => rows.some((row) => row[name] !== undefined));
  printLines(
    formatTable(
      used,
      rows.map((row) => used.map((name) => cellOf(row[name]))),
    ),
  );
}

function cellOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return shorten(typeof value === 'string' ? value : JSON.stringify(value), LONGEST_CELL);
}
