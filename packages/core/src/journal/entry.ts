import type { JournalEntry } from '../contract/journal.js';
import type { Message, Reply } from '../contract/message.js';
import type { NearMiss } from '../contract/outcome.js';
import type { Span } from '../contract/span.js';
import type { ContractNote } from '../contract/contracts.js';
import type { UpstreamNote } from '../contract/upstream.js';
import { defineOwn } from '../validation/pointer.js';
import { traceOf } from './trace.js';

/** How many bytes of a body an entry shows. */
export const MAX_BODY_BYTES = 64 * 1024;

/** For how long an answer was delayed on purpose, in milliseconds. */
export interface AppliedDelays {
  readonly mock: number;
  readonly fault: number;
}

/** One exchange as the journal holds it: plain references, rendered only when somebody reads. */
export interface JournalRecord {
  readonly kind: string;
  readonly message: Message;
  readonly reply: Reply | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Milliseconds; undefined while under way. */
  readonly duration: number | undefined;
  readonly matchedId: string | undefined;
  readonly pathParams: Readonly<Record<string, string>> | undefined;
  /** Whether a mock was looked for. */
  readonly wasAsked: boolean;
  readonly faulted: boolean;
  readonly aborted: boolean;
  /** Why the answer of the mock could not be made. */
  readonly failure: string | undefined;
  readonly delays: AppliedDelays | undefined;
  readonly upstream: UpstreamNote | undefined;
  readonly contract: ContractNote | undefined;
  /** Whether no mock matched and the message needed one. */
  readonly missed: boolean;
  /** The span that it is, where it is no message. */
  readonly span?: Span | undefined;
  /** Read only when the entry is, and only of unmatched messages. */
  nearMisses(): readonly NearMiss[] | undefined;
}

/** Makes the JSON object that people see of a record. */
export function renderEntry(
  id: string,
  record: JournalRecord,
  without?: 'near_misses' | 'bodies',
  space?: string,
): JournalEntry {
  const { message, reply } = record;
  const entry: Record<string, unknown> = {
    id,
    timestamp: new Date(record.startedAt).toISOString(),
    ...(space === undefined ? {} : { space }),
    protocol: record.kind,
    method: message.method,
    path: message.path,
  };
  if (reply?.status !== undefined) entry['status'] = reply.status;
  entry['duration_ms'] = Math.round(record.duration ?? 0);
  if (record.delays !== undefined) entry['delays'] = renderDelays(record.delays);
  const trace = record.span?.trace ?? traceOf(message);
  if (trace !== undefined) entry['trace'] = trace;
  if (message.headers !== undefined) entry['headers'] = message.headers;
  if (message.query !== undefined && hasKeys(message.query)) entry['query'] = message.query;
  if (without !== 'bodies') renderBody(entry, message.body);
  if (record.matchedId !== undefined) entry['matched_id'] = record.matchedId;
  if (record.pathParams !== undefined && hasKeys(record.pathParams)) entry['path_params'] = record.pathParams;
  if (record.faulted) entry['fault'] = true;
  if (record.failure !== undefined) entry['failure'] = record.failure;
  entry['remote'] = message.remote;
  if (reply !== undefined && record.span === undefined && without !== 'bodies')
    entry['response'] = renderReply(reply);
  if (record.wasAsked && record.matchedId === undefined) entry['unmatched'] = true;
  if (record.missed) entry['missed'] = true;
  const nearMisses = without === undefined ? record.nearMisses() : undefined;
  if (nearMisses !== undefined && nearMisses.length > 0) entry['near_misses'] = nearMisses;
  if (record.upstream !== undefined) entry['upstream'] = record.upstream;
  if (record.contract !== undefined) entry['contract'] = record.contract;
  if (record.aborted) entry['aborted'] = true;
  if (record.span !== undefined) entry['span'] = record.span;
  return entry as JournalEntry;
}

function renderDelays({ mock, fault }: AppliedDelays): Record<string, number> {
  return {
    ...(mock > 0 ? { mock_ms: Math.round(mock) } : {}),
    ...(fault > 0 ? { fault_ms: Math.round(fault) } : {}),
  };
}

function renderReply(reply: Reply): Record<string, unknown> {
  const rendered: Record<string, unknown> = {};
  if (reply.status !== undefined) rendered['status'] = reply.status;
  if (reply.headers !== undefined) {
    const headers = {};
    for (const [name, value] of Object.entries(reply.headers)) {
      if (value !== undefined)
        defineOwn(headers, name.toLowerCase(), typeof value === 'number' ? String(value) : value);
    }
    if (hasKeys(headers)) rendered['headers'] = headers;
  }
  renderBody(rendered, reply.body);
  return rendered;
}

function renderBody(into: Record<string, unknown>, body: string | Uint8Array | undefined): void {
  if (body === undefined || body.length === 0) return;
  if (typeof body === 'string') {
    into['body'] = body.length > MAX_BODY_BYTES ? body.slice(0, MAX_BODY_BYTES) : body;
    if (body.length > MAX_BODY_BYTES) into['body_truncated'] = true;
    return;
  }
  const shown = body.length > MAX_BODY_BYTES ? body.subarray(0, MAX_BODY_BYTES) : body;
  const isCut = shown !== body || (body as { isCut?: boolean }).isCut === true;
  const text = decodeText(shown, isCut);
  if (text === undefined) {
    into['body'] = Buffer.from(shown.buffer, shown.byteOffset, shown.byteLength).toString('base64');
    into['body_encoding'] = 'base64';
  } else {
    into['body'] = text;
  }
  if (isCut) into['body_truncated'] = true;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of bytes that are UTF-8; when they were cut, a character that the cut went through does not count. */
function decodeText(bytes: Uint8Array, isCut: boolean): string | undefined {
  for (let spare = 0; spare <= (isCut ? 3 : 0); spare += 1) {
    try {
      return decoder.decode(bytes.subarray(0, bytes.length - spare));
    } catch {
      continue;
    }
  }
  return undefined;
}

function hasKeys(value: object): boolean {
  for (const name in value) if (Object.hasOwn(value, name)) return true;
  return false;
}
