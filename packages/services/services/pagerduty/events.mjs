import { newId, rowsOf, timeOf } from './api.mjs';
import { openIncident, setStatus } from './incidents.mjs';

const ACTIONS = ['trigger', 'acknowledge', 'resolve'];
const SEVERITIES = ['critical', 'warning', 'error', 'info'];

const refuse = (errors) => ({
  status: 400,
  json: { status: 'invalid event', message: 'Event object is invalid', errors },
});

function serviceOf(context, key) {
  for (const row of rowsOf(context, 'services').values()) if (row.integration_keys.includes(key)) return row;
  return undefined;
}

const isText = (value) => typeof value === 'string' && value !== '';

function* checkEvent({ event_action: action, dedup_key: key, payload }) {
  if (!ACTIONS.includes(action))
    yield `'event_action' is invalid (must be one of the following: ${ACTIONS.join(', ')})`;
  if (key !== undefined && (!isText(key) || key.length > 255))
    yield "'dedup_key' must be a text of 255 characters at most";
  if (action !== 'trigger') {
    if (key === undefined) yield "'dedup_key' is missing or blank";
    return;
  }
  if (!isText(payload?.summary)) yield "'payload.summary' is missing or blank";
  if (!isText(payload?.source)) yield "'payload.source' is missing or blank";
  if (!SEVERITIES.includes(payload?.severity))
    yield `'payload.severity' is invalid (must be one of the following: ${SEVERITIES.join(', ')})`;
}

/** What the Events API needs of every event. @returns the service, or the answer that refuses */
function readEvent({ body }, context) {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { refusal: refuse(['the body must be an object of JSON']) };
  const { routing_key: key } = body;
  if (!isText(key)) return { refusal: refuse(["'routing_key' is missing or blank"]) };
  const service = serviceOf(context, key);
  return service === undefined
    ? { refusal: refuse(["'routing_key' is invalid: no service has it as integration key"]) }
    : { service };
}

/** An event: the first one with a dedup key makes an incident, others are about that, as long as it is open. */
export function enqueue(request, context) {
  const { service, refusal } = readEvent(request, context);
  if (refusal !== undefined) return refusal;
  const errors = [...checkEvent(request.body)];
  if (errors.length > 0) return refuse(errors);
  const { event_action: action, payload, links = [], images = [], client = null } = request.body;
  const key = request.body.dedup_key ?? context.random.string(32).toLowerCase();
  const agent = { id: service.id, type: 'service_reference' };
  const open = rowsOf(context, 'incidents')
    .list()
    .find((row) => row.incident_key === key && row.service.id === service.id && row.status !== 'resolved');
  if (action === 'trigger') {
    const incident =
      open ??
      openIncident(context, service, { title: payload.summary, urgency: urgencyOf(payload), key }, agent);
    keepAlert(context, incident, key, { payload, links, images, client });
  } else if (open !== undefined) {
    setStatus(context, open, action === 'resolve' ? 'resolved' : 'acknowledged', agent);
  }
  return { status: 202, json: { status: 'success', message: 'Event processed', dedup_key: key } };
}

const urgencyOf = ({ severity }) => (['critical', 'error'].includes(severity) ? 'high' : 'low');

/** An incident has one alert for each dedup key, with what was sent last. */
function keepAlert(context, incident, key, event) {
  const rows = rowsOf(context, 'alerts');
  const before = rows.list().find((row) => row.alert_key === key && row.incident.id === incident.id);
  const fields = {
    alert_key: key,
    summary: event.payload.summary,
    severity: event.payload.severity,
    status: 'triggered',
    body: { type: 'alert_body', details: event.payload.custom_details ?? {}, cef_details: event },
  };
  if (before !== undefined) rows.update(before.id, fields);
  else
    rows.create({
      id: newId(context),
      type: 'alert',
      created_at: timeOf(context),
      incident: { id: incident.id, type: 'incident_reference' },
      service: incident.service,
      ...fields,
    });
}

export function change(request, context) {
  const { service, refusal } = readEvent(request, context);
  if (refusal !== undefined) return refusal;
  const { payload, links = [] } = request.body;
  if (!isText(payload?.summary)) return refuse(["'payload.summary' is missing or blank"]);
  rowsOf(context, 'change_events').create({
    id: newId(context),
    type: 'change_event',
    timestamp: payload.timestamp ?? timeOf(context),
    summary: payload.summary,
    source: payload.source ?? null,
    custom_details: payload.custom_details ?? {},
    links,
    services: [{ id: service.id, type: 'service_reference' }],
  });
  return { status: 202, json: { status: 'success', message: 'Change event processed' } };
}
