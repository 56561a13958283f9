import { EnvelopeError, jsonOf, readEnvelope } from './envelope.mjs';
import { keepCheckIn, keepItem, readEventId } from './items.mjs';
import { rowsOf, SentryError } from './api.mjs';

const HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'x-sentry-error,x-sentry-rate-limits,retry-after',
};
const LIMITED = { ...HEADERS, 'X-Sentry-Rate-Limits': '60:error:organization:backlot' };

/** Makes the function of a mock of the intake: it looks at the key of the DSN, and answers errors as Relay does. */
function taking(act, headers = HEADERS) {
  return (request, context) => {
    try {
      const json = act({ request, context, bytes: Buffer.from(request.raw_body ?? '') });
      return json === undefined ? { status: 202, headers } : { headers, json };
    } catch (error) {
      if (error instanceof EnvelopeError)
        return { status: 400, headers, json: { detail: error.message, causes: error.causes } };
      if (error instanceof SentryError)
        return { status: error.status, headers, json: { detail: error.message } };
      throw error;
    }
  };
}

export const envelope = taking((call) => takeEnvelope(call, () => true));

/** Takes an envelope without what is limited. */
export const envelopeWithoutErrors = taking(
  (call) => takeEnvelope(call, ({ header }) => !['event', 'attachment'].includes(header.type)),
  LIMITED,
);

function takeEnvelope({ request, context, bytes }, isWanted) {
  if (bytes.length > context.vars.sentry.max_envelope)
    throw new SentryError(413, `envelope exceeded size limits of ${context.vars.sentry.max_envelope} bytes`);
  const { header, items } = readEnvelope(bytes);
  const project = projectOf(context, request, keyIn(request) ?? keyOfDsn(header.dsn));
  const kept = items.filter(isWanted);
  const place = { context, project, event: readEventId(header.event_id) };
  for (const item of kept) keepItem(place, item);
  rowsOf(context, 'envelopes').create({
    project,
    header,
    items: kept.map((item) => item.header.type),
    received: new Date(context.clock.now()).toISOString(),
  });
  return header.event_id === undefined ? {} : { id: header.event_id };
}

/** One event as JSON, as older SDKs send it. */
export const store = taking(({ request, context, bytes }) => {
  const item = { header: { type: 'event' }, payload: bytes };
  const event = jsonOf(item);
  const id = readEventId(event.event_id) ?? context.random.uuid().replaceAll('-', '');
  const project = projectOf(context, request, keyIn(request));
  keepItem({ context, project, event: id }, item);
  return { id };
});

/** A check-in by one request, without an SDK. */
export const cron = taking(({ request, context }) => {
  const { slug, key } = request.params;
  const project = projectOf(context, request, key);
  const { status = 'ok', check_in_id: id, duration, environment } = request.query;
  if (!['ok', 'in_progress', 'error'].includes(status))
    throw new SentryError(400, `status must be ok, in_progress or error, got ${status}`);
  keepCheckIn(context, project, {
    check_in_id: id ?? context.random.uuid().replaceAll('-', ''),
    monitor_slug: slug,
    status,
    ...(duration === undefined ? {} : { duration: Number(duration) }),
    ...(environment === undefined ? {} : { environment }),
  });
});

/** The key of the DSN stands in the query or in a header. */
function keyIn({ headers, query }) {
  const given = headers['x-sentry-auth'] ?? headers.authorization;
  return query.sentry_key ?? /sentry_key=([^,\s]+)/.exec(String(given ?? ''))?.[1];
}

function keyOfDsn(dsn) {
  return /^\w+:\/\/([^:@/]+)/.exec(String(dsn ?? ''))?.[1];
}

/** @throws SentryError for a request whose key is none of the project */
function projectOf(context, { params }, key) {
  if (key === undefined)
    throw new SentryError(401, 'bad sentry authentication: missing authorization information');
  const projects = rowsOf(context, 'projects');
  if (!projects.has(params.project) || !projects.get(params.project).keys.includes(key))
    throw new SentryError(403, 'event submission rejected with_reason: ProjectId');
  return params.project;
}
