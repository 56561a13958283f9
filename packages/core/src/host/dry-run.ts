import type { DryRun, DryRunChange, DryRunOptions } from '../contract/kind.js';
import type { JournalItem } from '../contract/journal.js';
import type { Message } from '../contract/message.js';
import type { Protocol } from '../contract/protocol.js';
import type { Journal } from '../journal/journal.js';
import type { MockStore } from '../mocks/mock-store.js';
import type { MockTable } from '../mocks/mock-table.js';
import type { Trial } from '../mocks/mock-trial.js';
import { isBacklotError } from '../errors.js';
import { runInSlices } from '../time/slices.js';
import { explainedEntry } from './explained-entry.js';
import { messageOf } from './explain-message.js';

/** How many messages are looked at when nobody says it. */
const LOOKED_AT = 200;
/** What a new mock without an id is called. */
const THIS = '(this)';

interface Parts {
  readonly kind: string;
  readonly protocol: Protocol;
  readonly table: MockTable;
  readonly mocks: MockStore;
  readonly journal: Journal;
}

/** Says what a mock would change, see `Kind.dryRun`. */
export async function dryRun(
  parts: Parts,
  mock: unknown,
  { replaces, limit = LOOKED_AT, signal }: DryRunOptions,
): Promise<DryRun> {
  const trial = parts.mocks.placeTrial(mock, replaces);
  try {
    const { mode } = parts.protocol.mocks;
    const items = mode === 'items' ? [] : parts.journal.items({ protocol: parts.kind, limit });
    const name = replaces ?? (mock as { id?: string }).id ?? THIS;
    const seen = await runInSlices(lookAt(parts, trial, items, name), signal);
    return { ...seen, warnings: trial.warnings };
  } finally {
    trial.end();
  }
}

function* lookAt(
  { protocol, table }: Parts,
  trial: Trial,
  items: readonly JournalItem[],
  name: string,
): Generator<undefined, Omit<DryRun, 'warnings'>> {
  const { candidate } = trial;
  const idsOf = (message: Message): string[] => answering(protocol, table, message);
  const shown = (ids: readonly string[]): string | null => ids.join(', ') || null;
  const changes: DryRunChange[] = [];
  let matches = 0;
  let count = 0;
  for (const item of items) {
    yield;
    const entry = item.render('near_misses');
    const message = readMessage(protocol, entry);
    if (message === undefined) continue;
    count += 1;
    const before = idsOf(message);
    // In one step, so that no real message meets the mock.
    const replaced = trial.replaced();
    let after: string[];
    try {
      replaced?.hide();
      candidate.show();
      after = idsOf(message).map((id) => (id === candidate.id ? name : id));
    } finally {
      candidate.hide();
      replaced?.show();
    }
    if (after.includes(name)) matches += 1;
    const { id, method, path } = entry;
    const [then, now] = [shown(after), shown(before)];
    if (then !== now) changes.push({ id, method, path, before: now, after: then });
  }
  table.changed();
  return { looked_at: count, matches, changes };
}

/** The message of an entry; undefined for one that the kind itself cannot make a message of. */
function readMessage(protocol: Protocol, entry: unknown): Message | undefined {
  try {
    return messageOf(protocol, explainedEntry(protocol, entry));
  } catch (thrown) {
    if (isBacklotError(thrown)) return undefined;
    throw thrown;
  }
}

/** The ids of the mocks that would answer a message now. */
function answering({ mocks: { mode } }: Protocol, table: MockTable, message: Message): string[] {
  if (mode === 'all') return table.selectAll(message).map(({ id }) => id);
  const found = table.select(message, true);
  if (found === undefined || typeof found === 'symbol') return [];
  return ['challenged' in found ? found.challenged.id : found.id];
}
