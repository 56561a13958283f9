import { find, operation, page, rowsOf, SentryError } from './api.mjs';
import { titleOf } from './issues.mjs';

const STATUSES = ['resolved', 'unresolved', 'ignored', 'resolvedInNextRelease'];

/** The project that a path names by its slug or its id. @throws SentryError 404 */
function projectOf({ context, params }) {
  for (const row of rowsOf(context, 'projects').values())
    if (row.organization === params.organization && [row.slug, row.id].includes(params.project)) return row;
  throw new SentryError(404, 'The requested resource does not exist');
}

function organizationOf({ context, params }) {
  for (const row of rowsOf(context, 'projects').values())
    if (row.organization === params.organization) return;
  throw new SentryError(404, 'The requested resource does not exist');
}

function shownEvent({ id, issue, project, ...event }) {
  const { tags = {}, message, user = null, platform = 'other', timestamp } = event;
  const time = typeof timestamp === 'number' ? new Date(timestamp * 1000).toISOString() : (timestamp ?? null);
  return {
    id,
    eventID: id,
    groupID: issue,
    projectID: project,
    title: titleOf(event),
    message: typeof message === 'string' ? message : '',
    platform,
    user,
    tags: Object.entries(tags).map(([key, value]) => ({ key, value: String(value) })),
    dateCreated: time,
    'event.type': event.exception === undefined ? 'default' : 'error',
  };
}

function wholeEvent(row) {
  const {
    exception,
    breadcrumbs,
    contexts = {},
    extra = {},
    release = null,
    environment = null,
    sdk = null,
  } = row;
  const entries = [];
  if (exception !== undefined) entries.push({ type: 'exception', data: exception });
  if (breadcrumbs !== undefined)
    entries.push({
      type: 'breadcrumbs',
      data: Array.isArray(breadcrumbs) ? { values: breadcrumbs } : breadcrumbs,
    });
  return { ...shownEvent(row), entries, contexts, context: extra, release, environment, sdk };
}

function shownIssue({ context }, { fingerprint: _, users, count, project: id, ...issue }) {
  const { slug, platform } = rowsOf(context, 'projects').get(id);
  return {
    ...issue,
    id: String(issue.id),
    shortId: `${slug.toUpperCase()}-${issue.id}`,
    count: String(count),
    userCount: users.length,
    project: { id, slug, name: slug, platform },
  };
}

const newest = (rows) => [...rows].reverse();

export const listEvents = operation((call) => {
  const { id } = projectOf(call);
  const rows = rowsOf(call.context, 'events').list();
  return page(call, newest(rows.filter(({ project }) => project === id)).map(shownEvent));
});

export const getEvent = operation((call) => {
  const { id } = projectOf(call);
  const row = find(call.context, 'events', call.params.id);
  if (row.project !== id) throw new SentryError(404, 'Event not found');
  return { json: wholeEvent(row) };
});

export const listAttachments = operation((call) => {
  projectOf(call);
  const { id } = find(call.context, 'events', call.params.id);
  const rows = rowsOf(call.context, 'attachments').list();
  return page(
    call,
    rows
      .filter(({ event_id: event }) => event === id)
      .map(({ id: own, filename: name, content_type: mimetype, size }) => ({
        id: String(own),
        name,
        mimetype,
        size,
        event_id: id,
      })),
  );
});

export const listIssues = operation((call) => {
  const { id } = projectOf(call);
  const query = String(call.request.query.query ?? 'is:unresolved');
  const status = /\bis:(\w+)/.exec(query)?.[1];
  const words = query
    .replace(/\bis:\w+/g, '')
    .trim()
    .toLowerCase();
  const rows = rowsOf(call.context, 'issues')
    .list()
    .filter(
      (row) =>
        row.project === id &&
        (status === undefined || row.status === status) &&
        row.title.toLowerCase().includes(words),
    );
  return page(
    call,
    newest(rows).map((row) => shownIssue(call, row)),
  );
});

const issueOf = (call) => {
  organizationOf(call);
  return find(call.context, 'issues', call.params.id);
};

export const getIssue = operation((call) => ({ json: shownIssue(call, issueOf(call)) }));

export const updateIssue = operation((call) => {
  const issue = issueOf(call);
  const { body } = call.request;
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new SentryError(400, 'JSON parse error - an object is needed');
  const { status, assignedTo, isBookmarked } = body;
  if (status !== undefined && !STATUSES.includes(status))
    return { status: 400, json: { status: [`"${String(status)}" is not a valid choice.`] } };
  const given = { assignedTo, isBookmarked, status: status?.startsWith('resolved') ? 'resolved' : status };
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { json: shownIssue(call, rowsOf(call.context, 'issues').update(String(issue.id), fields)) };
});

export const deleteIssue = operation((call) => {
  const issue = issueOf(call);
  const events = rowsOf(call.context, 'events');
  for (const { id, issue: own } of events.list()) if (own === String(issue.id)) events.remove(id);
  rowsOf(call.context, 'issues').remove(String(issue.id));
  return { status: 202 };
});

export const listIssueEvents = operation((call) => {
  const issue = issueOf(call);
  const rows = rowsOf(call.context, 'events').list();
  return page(call, newest(rows.filter((row) => row.issue === String(issue.id))).map(shownEvent));
});
