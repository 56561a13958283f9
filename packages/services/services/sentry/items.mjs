import { rowsOf } from './api.mjs';
import { EnvelopeError, jsonOf } from './envelope.mjs';
import { addToIssue } from './issues.mjs';

const EVENT_ID = /^[0-9a-f]{32}$/i;

/** An id of an event, with or without dashes. @throws EnvelopeError for what is none */
export function readEventId(value) {
  if (value === undefined) return undefined;
  const id = String(value).replaceAll('-', '');
  if (!EVENT_ID.test(id)) throw new EnvelopeError('bad envelope', `invalid event identifier ${id}`);
  return id;
}

/** Makes the rows of an item. @param place - the project and the event that the envelope is about */
export function keepItem(place, item) {
  const { type } = item.header;
  const keep = Object.hasOwn(KEEPERS, type) ? KEEPERS[type] : keepOther;
  keep(place, item);
}

const KEEPERS = {
  event: (place, item) => {
    const row = eventOf(place, item);
    put(place.context, 'events', { ...row, issue: addToIssue(place.context, place.project, row) });
  },
  transaction: (place, item) => put(place.context, 'transactions', eventOf(place, item)),
  feedback: (place, item) => put(place.context, 'feedback', eventOf(place, item)),
  attachment: keepAttachment,
  session: ({ context, project }, item) => {
    const session = jsonOf(item);
    if (typeof session.sid !== 'string') throw new EnvelopeError('bad envelope', 'missing field `sid`');
    merge(context, 'sessions', session.sid, { project, ...session });
  },
  sessions: (place, item) => add(place, 'sessions', jsonOf(item)),
  check_in: ({ context, project }, item) => keepCheckIn(context, project, jsonOf(item)),
  client_report: (place, item) => add(place, 'client-reports', jsonOf(item)),
  log: keepList('logs'),
  trace_metric: keepList('metrics'),
  span: keepList('spans'),
};

function eventOf({ project, event }, item) {
  const { id: _, ...fields } = jsonOf(item);
  const id = readEventId(fields.event_id) ?? event;
  if (id === undefined) throw new EnvelopeError('bad envelope', 'missing event identifier');
  return { project, ...fields, id, event_id: id };
}

function keepAttachment({ context, project, event }, { header, payload }) {
  rowsOf(context, 'attachments').create({
    project,
    event_id: event ?? null,
    filename: header.filename ?? '',
    content_type: header.content_type ?? 'application/octet-stream',
    attachment_type: header.attachment_type ?? 'event.attachment',
    size: payload.length,
    content: payload.toString('base64'),
  });
}

export function keepCheckIn(context, project, checkIn) {
  const { check_in_id: id, monitor_slug: slug } = checkIn;
  if (typeof id !== 'string' || typeof slug !== 'string')
    throw new EnvelopeError('bad envelope', 'missing field `check_in_id` or `monitor_slug`');
  merge(context, 'check-ins', id, { project, ...checkIn });
}

/** An item that holds a list of others, each of which has a row. */
function keepList(name) {
  return (place, item) => {
    const { items } = jsonOf(item);
    if (!Array.isArray(items)) throw new EnvelopeError('bad envelope', 'missing field `items`');
    for (const one of items) add(place, name, one);
  };
}

/** An item of a type that has no collection of its own: as JSON where it is that, and its bytes. */
function keepOther(place, item) {
  const { type } = item.header;
  rowsOf(place.context, 'items').create({
    project: place.project,
    event_id: place.event ?? null,
    type,
    payload: tryJson(item.payload),
    content: item.payload.toString('base64'),
  });
}

function tryJson(bytes) {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}

function add({ context, project }, name, { id: _, ...fields }) {
  rowsOf(context, name).create({ project, ...fields });
}

function put(context, name, row) {
  const rows = rowsOf(context, name);
  if (rows.has(row.id)) rows.replace(row.id, row);
  else rows.create(row);
}

/** What a row is told later is put over what it has. */
function merge(context, name, id, { id: _, ...fields }) {
  const rows = rowsOf(context, name);
  if (rows.has(id)) rows.update(id, fields);
  else rows.create({ ...fields, id });
}
