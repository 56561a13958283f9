import { rowsOf } from './api.mjs';

/** The title under which Sentry shows an event. */
export function titleOf(event) {
  const exception = lastException(event);
  if (exception !== undefined)
    return [exception.type, exception.value].filter((part) => typeof part === 'string').join(': ');
  return messageOf(event) ?? '<unlabeled event>';
}

function lastException({ exception }) {
  const values = Array.isArray(exception) ? exception : exception?.values;
  return Array.isArray(values) ? values.at(-1) : undefined;
}

function messageOf({ message, logentry }) {
  const text =
    typeof message === 'object' && message !== null ? (message.formatted ?? message.message) : message;
  return text ?? logentry?.formatted ?? logentry?.message;
}

/** Counts an event in the issue of its fingerprint, which is made for the first one. @returns the id of the issue */
export function addToIssue(context, project, event) {
  const rows = rowsOf(context, 'issues');
  const exception = lastException(event);
  const usual =
    exception === undefined ? `message ${messageOf(event)}` : `${exception.type} ${exception.value}`;
  const given = Array.isArray(event.fingerprint) ? event.fingerprint : ['{{ default }}'];
  const fingerprint = given
    .map((part) => (/^\{\{\s*default\s*\}\}$/.test(part) ? usual : String(part)))
    .join('\n');
  const now = new Date(context.clock.now()).toISOString();
  const user = event.user?.id ?? event.user?.email ?? event.user?.ip_address;
  for (const row of rows.values()) {
    if (row.project !== project || row.fingerprint !== fingerprint) continue;
    const users = user === undefined || row.users.includes(user) ? row.users : [...row.users, user];
    const again = row.status === 'resolved' ? { status: 'unresolved', substatus: 'regressed' } : {};
    const id = String(row.id);
    rows.update(id, { count: row.count + 1, lastSeen: now, users, ...again });
    return id;
  }
  const { id } = rows.create({
    project,
    fingerprint,
    title: titleOf(event),
    culprit: event.transaction ?? '',
    level: event.level ?? 'error',
    platform: event.platform ?? 'other',
    metadata:
      exception === undefined ? { title: titleOf(event) } : { type: exception.type, value: exception.value },
    count: 1,
    users: user === undefined ? [] : [user],
    firstSeen: now,
    lastSeen: now,
  });
  return String(id);
}
