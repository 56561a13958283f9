import {
  bodyOf,
  find,
  invalid,
  newId,
  notFound,
  operation,
  page,
  referenceTo,
  rowsOf,
  shown,
  timeOf,
  valuesOf,
} from './api.mjs';
import { tell } from './webhooks.mjs';

const STATUSES = ['triggered', 'acknowledged', 'resolved'];
const URGENCIES = ['high', 'low'];
const KINDS = { triggered: 'trigger', acknowledged: 'acknowledge', resolved: 'resolve' };

/** The user who acts, by the header From. @throws PagerdutyError 400 */
function actorOf({ request, context }) {
  const email = request.headers.from;
  if (email === undefined) throw invalid('From is required: the email address of a user');
  for (const user of rowsOf(context, 'users').values())
    if (user.email === email) return referenceTo(context, 'users', user.id);
  throw invalid(`Requester User Not Found: ${String(email)}`);
}

/** The incident with an id or a number. @throws PagerdutyError 404 */
function incidentOf(context, id) {
  const rows = rowsOf(context, 'incidents');
  if (rows.has(id)) return rows.get(id);
  for (const row of rows.values()) if (String(row.incident_number) === id) return row;
  throw notFound();
}

const shownIncident = (row) => ({
  ...shown('incidents', row),
  summary: `[#${row.incident_number}] ${row.title}`,
});

function note(context, incident, kind, agent) {
  rowsOf(context, 'log_entries').create({
    id: `R${context.random.string(12).toUpperCase()}`,
    type: `${kind}_log_entry`,
    created_at: timeOf(context),
    incident: { id: incident.id, type: 'incident_reference' },
    agent,
  });
}

/** Makes an incident of a service, and tells who listens. */
export function openIncident(
  context,
  service,
  { title, urgency = 'high', key, body = null, ...more },
  agent,
) {
  const rows = rowsOf(context, 'incidents');
  const policy = find(context, 'escalation_policies', service.escalation_policy.id);
  const assigned = policy.escalation_rules[0]?.targets.filter(({ type }) => type.startsWith('user')) ?? [];
  const now = timeOf(context);
  const users = assigned.filter(({ id }) => rowsOf(context, 'users').has(id));
  const row = rows.create({
    id: newId(context),
    incident_number: 1 + rows.list().reduce((most, { incident_number: one }) => Math.max(most, one), 0),
    title,
    status: 'triggered',
    urgency,
    incident_key: key ?? context.random.string(32).toLowerCase(),
    created_at: now,
    updated_at: now,
    last_status_change_at: now,
    resolved_at: null,
    service: referenceTo(context, 'services', service.id),
    escalation_policy: referenceTo(context, 'escalation_policies', policy.id),
    assignments: users.map(({ id }) => ({ at: now, assignee: referenceTo(context, 'users', id) })),
    acknowledgements: [],
    priority: null,
    body,
    ...more,
  });
  note(context, row, 'trigger', agent);
  tell(context, 'incident.triggered', service.id, shownIncident(row), agent);
  return row;
}

/** Puts an incident into another status, and tells who listens; does nothing for the status that it has. */
export function setStatus(context, incident, status, agent) {
  if (incident.status === status) return incident;
  if (incident.status === 'resolved' && status !== 'triggered') throw invalid('Incident Already Resolved');
  const now = timeOf(context);
  const row = rowsOf(context, 'incidents').update(incident.id, {
    status,
    updated_at: now,
    last_status_change_at: now,
    resolved_at: status === 'resolved' ? now : null,
    acknowledgements: status === 'acknowledged' ? [{ at: now, acknowledger: agent }] : [],
    ...(status === 'resolved' ? { assignments: [] } : {}),
  });
  for (const alert of rowsOf(context, 'alerts').list())
    if (status === 'resolved' && alert.incident.id === row.id)
      rowsOf(context, 'alerts').update(alert.id, { status: 'resolved' });
  note(context, row, KINDS[status], agent);
  const type =
    status === 'triggered' ? (incident.status === 'resolved' ? 'reopened' : 'unacknowledged') : status;
  tell(context, `incident.${type}`, row.service.id, shownIncident(row), agent);
  return row;
}

/** What is changed of an incident. */
function change(context, incident, fields, agent) {
  const { status, title, urgency, assignments, resolution } = fields;
  if (status !== undefined && !STATUSES.includes(status))
    throw invalid(`Status must be one of ${STATUSES.join(', ')}`);
  if (urgency !== undefined && !URGENCIES.includes(urgency)) throw invalid('Urgency must be high or low');
  if (title !== undefined && (typeof title !== 'string' || title === ''))
    throw invalid('Title cannot be empty.');
  const own = Object.entries({ title, urgency }).filter(([, value]) => value !== undefined);
  let row = incident;
  if (own.length > 0) row = rowsOf(context, 'incidents').update(incident.id, Object.fromEntries(own));
  if (assignments !== undefined) {
    const at = timeOf(context);
    const people = assignments.map(({ assignee }) => ({
      at,
      assignee: referenceTo(context, 'users', assignee?.id),
    }));
    row = rowsOf(context, 'incidents').update(incident.id, { assignments: people });
    tell(context, 'incident.reassigned', row.service.id, shownIncident(row), agent);
  }
  if (status !== undefined) row = setStatus(context, row, status, agent);
  if (resolution !== undefined) addNoteTo(context, row, String(resolution), agent);
  return row;
}

export const list = operation((call) => {
  const { context, query } = call;
  const wants = (name, value) => {
    const values = valuesOf(query, name);
    return values.length === 0 || values.includes(value);
  };
  const rows = rowsOf(context, 'incidents')
    .list()
    .filter(
      (row) =>
        wants('statuses', row.status) &&
        wants('urgencies', row.urgency) &&
        wants('service_ids', row.service.id) &&
        (query.incident_key === undefined || query.incident_key === row.incident_key),
    );
  return page(call, 'incidents', rows.map(shownIncident));
});

export const get = operation(({ context, params }) => ({
  json: { incident: shownIncident(incidentOf(context, params.id)) },
}));

export const create = operation((call) => {
  const { context, request } = call;
  const agent = actorOf(call);
  const { title, service, urgency, body, incident_key: key } = bodyOf(request, 'incident');
  const errors = [];
  if (typeof title !== 'string' || title.trim() === '') errors.push('Title cannot be empty.');
  if (!rowsOf(context, 'services').has(String(service?.id))) errors.push('Service was not found.');
  if (urgency !== undefined && !URGENCIES.includes(urgency)) errors.push('Urgency must be high or low');
  if (errors.length > 0) throw invalid(...errors);
  for (const row of rowsOf(context, 'incidents').values())
    if (
      key !== undefined &&
      row.incident_key === key &&
      row.status !== 'resolved' &&
      row.service.id === service.id
    )
      throw invalid('Open incident with matching dedup key already exists on this service');
  const row = openIncident(
    context,
    find(context, 'services', service.id),
    { title, urgency, key, body },
    agent,
  );
  return { status: 201, json: { incident: shownIncident(row) } };
});

export const update = operation((call) => {
  const incident = incidentOf(call.context, call.params.id);
  const agent = actorOf(call);
  return {
    json: {
      incident: shownIncident(change(call.context, incident, bodyOf(call.request, 'incident'), agent)),
    },
  };
});

/** Changes several incidents: all of them, or none when one is not there. */
export const manage = operation((call) => {
  const { context } = call;
  const agent = actorOf(call);
  const given = bodyOf(call.request, 'incidents');
  if (!Array.isArray(given) || given.length === 0) throw invalid('incidents must be a list');
  const found = given.map((one) => incidentOf(context, String(one?.id)));
  const rows = found.map((row, index) => change(context, row, given[index], agent));
  return { json: { incidents: rows.map(shownIncident) } };
});

export const listAlerts = operation((call) => {
  const { id } = incidentOf(call.context, call.params.id);
  const rows = rowsOf(call.context, 'alerts').list();
  return page(
    call,
    'alerts',
    rows.filter(({ incident }) => incident.id === id),
  );
});

export const listLog = operation((call) => {
  const { id } = incidentOf(call.context, call.params.id);
  const rows = rowsOf(call.context, 'log_entries').list();
  return page(call, 'log_entries', rows.filter(({ incident }) => incident.id === id).reverse());
});

export const listNotes = operation(({ context, params }) => {
  const { id } = incidentOf(context, params.id);
  const notes = rowsOf(context, 'notes')
    .list()
    .filter((one) => one.incident === id);
  return { json: { notes: notes.map(({ incident: _, ...one }) => one) } };
});

function addNoteTo(context, { id, service }, content, user) {
  const { incident: _, ...row } = rowsOf(context, 'notes').create({
    id: newId(context),
    incident: id,
    content,
    user,
    created_at: timeOf(context),
  });
  const data = { id: row.id, incident: { id, type: 'incident_reference' }, content, type: 'incident_note' };
  tell(context, 'incident.annotated', service.id, data, user);
  return row;
}

export const addNote = operation((call) => {
  const incident = incidentOf(call.context, call.params.id);
  const agent = actorOf(call);
  const { content } = bodyOf(call.request, 'note');
  if (typeof content !== 'string' || content === '') throw invalid('Content cannot be empty.');
  return { status: 201, json: { note: addNoteTo(call.context, incident, content, agent) } };
});
