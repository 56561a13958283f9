import type { JournalEntry, JournalFilter } from '@backlot/core';
import type { QueryValues, Transport } from './transport.js';

/** More entries than a journal keeps unless its limits were raised. */
const MOST = 1_000_000;

/** The parameters by which the server filters its journal. */
function queryOf({ protocol, matchedId, unmatched, after, limit = MOST }: JournalFilter): QueryValues {
  return { protocol, matched_id: matchedId, unmatched, after, limit };
}

/** The journal entries that pass a filter, oldest first. */
export function readEntries(
  transport: Transport,
  filter: JournalFilter = {},
): Promise<readonly JournalEntry[]> {
  return transport.call('GET', '/logs', undefined, queryOf(filter));
}

/** How many entries there were since the last clear. */
export function countEntries(
  transport: Transport,
  filter: Pick<JournalFilter, 'protocol' | 'matchedId' | 'unmatched'> = {},
): Promise<{ readonly count: number }> {
  const { limit: _limit, after: _after, ...query } = queryOf(filter);
  return transport.call('GET', '/logs/count', undefined, query);
}
