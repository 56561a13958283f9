import type { JournalEntry } from '../contract/journal.js';
import { parentOf } from './trace.js';

/** An entry of a trace, with what says where it stands. */
type TraceEntry = Pick<JournalEntry, 'id' | 'timestamp' | 'headers' | 'span'>;

/** An entry of a trace, and how many spans it stands below. */
export interface TraceLine<Entry> {
  readonly entry: Entry;
  readonly depth: number;
}

/**
 * Brings the entries of one trace into the order in which a person reads them: each below the span that it is a part of, by the ids
 * that they name, and beside each other by their times. Clocks need not agree for that, and spans may come after the messages that
 * were sent during them.
 */
export function orderTrace<Entry extends TraceEntry>(entries: readonly Entry[]): readonly TraceLine<Entry>[] {
  const spans = new Set(entries.flatMap(({ span }) => span?.id ?? []));
  const children = new Map<string | undefined, Entry[]>();
  for (const entry of entries) {
    const parent = entry.span === undefined ? parentOf(entry) : entry.span.parent;
    const known = parent !== undefined && spans.has(parent) ? parent : undefined;
    const beside = children.get(known);
    if (beside === undefined) children.set(known, [entry]);
    else beside.push(entry);
  }
  const lines: TraceLine<Entry>[] = [];
  const placed = new Set<Entry>();
  // Spans may be nested deeper than calls may be.
  const open = (children.get(undefined) ?? [])
    .sort(byTime)
    .reverse()
    .map((entry) => ({ entry, depth: 0 }));
  for (let line = open.pop(); line !== undefined; line = open.pop()) {
    if (placed.has(line.entry)) continue;
    placed.add(line.entry);
    lines.push(line);
    const { id } = line.entry.span ?? {};
    const below = id === undefined ? [] : (children.get(id) ?? []).sort(byTime).reverse();
    if (id !== undefined) children.delete(id);
    for (const entry of below) open.push({ entry, depth: line.depth + 1 });
  }
  // What names itself as its parent, in a circle, has no place.
  for (const entry of entries) if (!placed.has(entry)) lines.push({ entry, depth: 0 });
  return lines;
}

/** By time; what came first where two times are the same, and a span before a message, which it may enclose. */
function byTime(one: TraceEntry, other: TraceEntry): number {
  if (one.timestamp !== other.timestamp) return one.timestamp < other.timestamp ? -1 : 1;
  if ((one.span === undefined) !== (other.span === undefined)) return one.span === undefined ? 1 : -1;
  return Number(one.id) - Number(other.id);
}
