import type { Log } from '../contract/log.js';
import { SPAN, type Span } from '../contract/span.js';
import type { Message } from '../contract/message.js';
import type { LoggedExchange } from './logged-exchange.js';
import type { Journal } from './journal.js';
import type { LoggedKind } from './ring.js';

/** What a span holds in memory beside its texts, in bytes, roughly; and how much more its objects take than their JSON. */
const SPAN_BYTES = 600;
const HELD_FACTOR = 2;

const KIND: LoggedKind = { kind: SPAN, missesOf: () => [], needsMatch: false };

/** Puts a span of an application into the journal, as an entry that has ended. */
export function logSpan(journal: Journal, span: Span, log: Log): void {
  const { kind, name, service, status } = span;
  const start = BigInt(span.start);
  const message: Message = { method: kind, path: name, remote: service };
  const counter = journal.kindCounter(SPAN);
  const entry: LoggedExchange = {
    ...{ number: 0, ended: true, kind: SPAN, runtime: KIND, message, log },
    reply: status === 'unset' ? undefined : { status },
    startedAt: Number(start / 1_000_000n),
    duration: Math.max(0, Number(BigInt(span.end) - start) / 1e6),
    ...{ matchedId: undefined, captures: undefined, pathParams: undefined, flags: 0 },
    ...{ known: { span }, span, wasAsked: false, faulted: false, aborted: false, missed: false },
    ...{ failure: undefined, delays: undefined, upstream: undefined, contract: undefined },
    nearMisses: () => [],
    countLogged: () => void (counter.logged += 1),
  };
  journal.publish(entry, SPAN_BYTES + HELD_FACTOR * lengthOf(span));
}

/** What resources are as JSON: the spans of an export share them. */
const lengths = new WeakMap<object, number>();

/** How long a span is as JSON, with its resource: each entry may be the last that holds it. */
function lengthOf({ resource, ...own }: Span): number {
  let length = lengths.get(resource);
  if (length === undefined) {
    ({ length } = JSON.stringify(resource));
    lengths.set(resource, length);
  }
  return length + JSON.stringify(own).length;
}
