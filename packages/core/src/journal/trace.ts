import type { Message } from '../contract/message.js';

/** Version, id of the trace, id of the caller's span, flags; a later version may have more (W3C Trace Context). */
const TRACE_PARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?:-|$)/;
/** What goes with a trace where it is handed on; `baggage` goes without one as well. */
const BESIDE = ['tracestate', 'baggage'];
/** What is handed on of one header, in characters, as receivers have to take at least that. */
const MAX_LENGTH = 8192;

/** The id of the trace that a message belongs to. */
export function traceOf({ headers }: Pick<Message, 'headers'>): string | undefined {
  const given = headers?.['traceparent'];
  return typeof given === 'string' ? TRACE_PARENT.exec(given)?.[1] : undefined;
}

/** The id of the span that has caused a message. */
export function parentOf({ headers }: Pick<Message, 'headers'>): string | undefined {
  const given = headers?.['traceparent'];
  return typeof given === 'string' ? TRACE_PARENT.exec(given)?.[2] : undefined;
}

/** The headers of a message by which what it causes belongs to the same trace; none where it belongs to none. */
export function handedOn(message: Message | undefined): Readonly<Record<string, string>> | undefined {
  const { headers } = message ?? {};
  if (headers === undefined) return undefined;
  const trace = traceOf({ headers });
  const names = trace === undefined ? BESIDE.slice(1) : ['traceparent', ...BESIDE];
  const found = names.flatMap((name) => {
    const value = headers[name];
    const text = typeof value === 'string' || value === undefined ? value : value.join(',');
    return text === undefined || text === '' || text.length > MAX_LENGTH ? [] : [[name, text] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}
