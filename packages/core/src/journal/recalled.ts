import type { JournalEntry } from '../contract/journal.js';
import type { Log } from '../contract/log.js';
import type { Message, Reply } from '../contract/message.js';
import type { NearMiss } from '../contract/outcome.js';
import type { LogCounter } from './log-counter.js';
import type { LoggedExchange } from './logged-exchange.js';
import { ABORTED, ASKED, FAULTED, UNMATCHED, type LoggedKind } from './ring.js';

/** What an entry holds in memory beside its texts, in bytes, roughly; and how much more its objects take than their JSON. */
const ENTRY_BYTES = 600;
const HELD_FACTOR = 2;

const QUIET: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** An entry of an earlier run as the journal holds one. @param counters - count it */
export function recalledExchange(
  entry: JournalEntry,
  counters: readonly LogCounter[],
): { readonly exchange: LoggedExchange; readonly bytes: number } {
  const { protocol: kind, missed = false, matched_id: matchedId, near_misses: misses, span } = entry;
  const { delays, failure, upstream, contract, path_params: params } = entry;
  const message: Message = {
    method: entry.method,
    path: entry.path,
    remote: entry.remote,
    ...(entry.headers === undefined ? {} : { headers: entry.headers }),
    ...(entry.query === undefined ? {} : { query: entry.query }),
    ...bodyOf(entry),
  };
  const wasAsked = entry.unmatched === true || missed || matchedId !== undefined || misses !== undefined;
  const runtime: LoggedKind = { kind, missesOf: () => [], needsMatch: missed };
  const found: readonly NearMiss[] = misses ?? [];
  const isUnmatched = wasAsked && matchedId === undefined;
  const applied = delays && { mock: delays.mock_ms ?? 0, fault: delays.fault_ms ?? 0 };
  const exchange: LoggedExchange = {
    ...{ number: 0, ended: true, kind, runtime, message, log: QUIET },
    reply: replyOf(entry),
    startedAt: Date.parse(entry.timestamp),
    duration: entry.duration_ms,
    ...{ matchedId, captures: undefined, pathParams: params },
    flags:
      (entry.fault === true ? FAULTED : 0) |
      (entry.aborted === true ? ABORTED : 0) |
      (wasAsked ? ASKED : 0) |
      (isUnmatched ? UNMATCHED : 0),
    known: {
      params,
      misses: found,
      ...(applied === undefined ? {} : { delays: applied }),
      ...(failure === undefined ? {} : { failure }),
      ...(span === undefined ? {} : { span }),
      ...(upstream === undefined ? {} : { upstream }),
      ...(contract === undefined ? {} : { contract }),
    },
    ...{ wasAsked, faulted: entry.fault === true, aborted: entry.aborted === true, missed },
    ...{ failure, delays: applied, upstream, contract, span },
    nearMisses: () => found,
    countLogged: () => counters.forEach((counter) => void (counter.logged += 1)),
  };
  return { exchange, bytes: ENTRY_BYTES + HELD_FACTOR * JSON.stringify(entry).length };
}

function replyOf({ status, response, span }: JournalEntry): Reply | undefined {
  if (response === undefined) return status === undefined || span === undefined ? undefined : { status };
  const own = response.status ?? status;
  return {
    ...(own === undefined ? {} : { status: own }),
    ...(response.headers === undefined ? {} : { headers: response.headers }),
    ...bodyOf(response),
  };
}

function bodyOf({
  body,
  body_encoding: encoding,
  body_truncated: isCut,
}: Pick<JournalEntry, 'body' | 'body_encoding' | 'body_truncated'>): { readonly body?: string | Uint8Array } {
  if (body === undefined) return {};
  if (encoding === undefined && isCut !== true) return { body };
  return { body: Object.assign(Buffer.from(body, encoding ?? 'utf8'), isCut === true ? { isCut } : {}) };
}
