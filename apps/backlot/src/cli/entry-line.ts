import { shorten } from './visible.js';

type Entry = Readonly<Record<string, unknown>>;

/** The text of a field that is a text or a number; empty for anything else. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A piece of a line, and the colour that it has on a terminal. */
export interface PaintedText {
  readonly text: string;
  readonly colour?: 'red' | 'green' | 'yellow' | 'dim' | undefined;
}

/** A journal entry as one line. */
export function formatEntry(entry: Entry): string {
  return formatInColour(entry)
    .map(({ text }) => text)
    .join(' ');
}

/** A journal entry as the pieces of one line, with a space between two of them. */
export function formatInColour(entry: Entry): readonly PaintedText[] {
  const { status, duration_ms: duration, matched_id: matched } = entry;
  const marks = [entry['fault'] === true ? 'fault' : '', entry['aborted'] === true ? 'aborted' : ''].filter(
    (mark) => mark !== '',
  );
  const pieces: PaintedText[] = [
    { text: textOf(entry['timestamp']).slice(11, 23), colour: 'dim' },
    ...(entry['space'] === undefined
      ? []
      : [{ text: `[${textOf(entry['space'])}]`, colour: 'dim' as const }]),
    { text: textOf(entry['protocol']) },
    { text: textOf(entry['method']) },
    { text: shorten(textOf(entry['path']), 200) },
    ...(status === undefined ? [] : [{ text: textOf(status), colour: colourOf(status) }]),
    ...(typeof duration === 'number' ? [{ text: `${Math.round(duration)}ms`, colour: 'dim' as const }] : []),
    {
      text: outcomeOf(entry),
      colour: matched !== undefined ? 'green' : entry['missed'] === true ? 'red' : 'dim',
    },
    ...(marks.length === 0 ? [] : [{ text: `(${marks.join(', ')})`, colour: 'yellow' as const }]),
  ];
  return pieces;
}

function colourOf(status: unknown): PaintedText['colour'] {
  if (typeof status !== 'number') return undefined;
  return status >= 500 ? 'red' : status >= 400 ? 'yellow' : undefined;
}

function outcomeOf(entry: Entry): string {
  if (entry['span'] !== undefined) return `of ${textOf(entry['remote'])}`;
  if (entry['matched_id'] !== undefined) return `-> ${textOf(entry['matched_id'])}`;
  const misses = entry['near_misses'];
  const closest = Array.isArray(misses)
    ? (misses[0] as { mock_id?: unknown; reason?: unknown } | undefined)
    : undefined;
  return closest === undefined
    ? '-> no mock'
    : `-> no mock (closest ${textOf(closest.mock_id)}: ${textOf(closest.reason)})`;
}
