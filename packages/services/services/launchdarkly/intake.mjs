import { bodyOf, invalid, operation, rowsOf } from './api.mjs';

const MAX_EVENTS = 10_000;

/** Keeps what SDKs tell of evaluations, contexts and custom events. */
function keep(source) {
  return (request, context) => {
    const events = bodyOf(request);
    if (!Array.isArray(events)) throw invalid('events must be a list');
    const { 'x-launchdarkly-payload-id': payload } = request.headers;
    const payloads = rowsOf(context, 'payloads');
    // An SDK that has had no answer sends the same again.
    if (payload !== undefined && payloads.has(String(payload))) return { status: 202 };
    payloads.create({
      ...(payload === undefined ? {} : { id: String(payload) }),
      source,
      count: events.length,
    });
    const rows = rowsOf(context, 'events');
    for (const event of events) rows.create({ kind: event.kind, source, event });
    drop(rows, MAX_EVENTS);
    drop(payloads, MAX_EVENTS);
    return { status: 202, headers: { Date: new Date(context.clock.now()).toUTCString() } };
  };
}

/** Keeps what an SDK tells of itself. */
function keepDiagnostic(source) {
  return (request, context) => {
    const event = bodyOf(request);
    const rows = rowsOf(context, 'diagnostics');
    rows.create({ kind: event.kind, source, event });
    drop(rows, MAX_EVENTS);
    return { status: 202 };
  };
}

function drop(rows, most) {
  for (const { id } of rows.values()) {
    if (rows.size <= most) return;
    rows.remove(String(id));
  }
}

export const bulk = operation('server', keep('server'));
export const clientBulk = operation('client', keep('client'));
export const diagnostic = operation('server', keepDiagnostic('server'));
export const clientDiagnostic = operation('client', keepDiagnostic('client'));
