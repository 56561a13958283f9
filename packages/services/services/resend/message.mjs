import { invalid } from './api.mjs';

const ADDRESS = /^(?:[^<>]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/;
const MAX_RECIPIENTS = 50;
const KNOWN = [
  'from',
  'to',
  'cc',
  'bcc',
  'reply_to',
  'subject',
  'html',
  'text',
  'headers',
  'tags',
  'attachments',
  'scheduled_at',
];
const MAX_AHEAD = 30 * 86_400_000;
const UNITS = { min: 60_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** The mail of a call. @throws what Resend answers for what is not valid */
export function readMail(body, now) {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid('The body must be a JSON object.');
  const other = Object.keys(body).find((name) => !KNOWN.includes(name));
  if (other !== undefined)
    throw invalid(`The \`${other}\` field is not mocked; these are: ${KNOWN.join(', ')}.`);
  const { from, subject, html = null, text = null, headers = {} } = body;
  for (const name of ['from', 'to', 'subject'])
    if (body[name] === undefined || body[name] === '')
      throw invalid(`Missing \`${name}\` field.`, 'missing_required_field');
  if (html === null && text === null)
    throw invalid('Missing `html` or `text` field.', 'missing_required_field');
  if (!isAddress(from)) throw wrongAddress('from', 'invalid_from_address');
  const to = addresses(body.to, 'to');
  if (to.length === 0) throw invalid('Missing `to` field.', 'missing_required_field');
  return {
    from,
    to,
    cc: optional(body.cc, 'cc'),
    bcc: optional(body.bcc, 'bcc'),
    reply_to: optional(body.reply_to, 'reply_to'),
    subject: String(subject),
    html,
    text,
    headers,
    tags: readTags(body.tags),
    attachments: readAttachments(body.attachments),
    scheduled_at: body.scheduled_at === undefined ? null : readTime(body.scheduled_at, now),
  };
}

function isAddress(value) {
  return typeof value === 'string' && ADDRESS.test(value.trim());
}

function wrongAddress(name, code) {
  return invalid(
    `Invalid \`${name}\` field. The email address needs to follow the \`email@example.com\` or \`Name <email@example.com>\` format.`,
    code,
  );
}

function addresses(value, name) {
  const list = [value].flat();
  if (list.length > MAX_RECIPIENTS)
    throw invalid(`The \`${name}\` field has ${list.length} addresses; ${MAX_RECIPIENTS} are the most.`);
  if (!list.every(isAddress)) throw wrongAddress(name);
  return list;
}

function optional(value, name) {
  return value === undefined || value === null ? [] : addresses(value, name);
}

function readTags(tags = []) {
  if (!Array.isArray(tags)) throw invalid('The `tags` field must be a list.');
  for (const tag of tags)
    for (const text of [tag?.name, tag?.value])
      if (typeof text !== 'string' || !/^[\w-]{1,256}$/.test(text))
        throw invalid('Tags should only contain ASCII letters, numbers, underscores, or dashes.');
  return tags;
}

function readAttachments(attachments = []) {
  if (!Array.isArray(attachments)) throw invalid('The `attachments` field must be a list.');
  for (const attachment of attachments)
    if (typeof attachment?.content !== 'string' && typeof attachment?.path !== 'string')
      throw invalid('Attachment must have either a `content` or `path`.', 'invalid_attachment');
  return attachments;
}

/** When a mail is sent: a time of ISO 8601, or `in 5 minutes`. */
export function readTime(value, now) {
  const [, count, unit] = /^in (\d{1,6}) ?(min|minute|hour|day)s?$/i.exec(String(value)) ?? [];
  const time = count === undefined ? Date.parse(value) : now + Number(count) * UNITS[unit.toLowerCase()];
  if (Number.isNaN(time))
    throw invalid(
      `The \`scheduled_at\` field '${String(value)}' is no time: it must be one of ISO 8601, or such as 'in 5 minutes'.`,
    );
  if (time > now + MAX_AHEAD) throw invalid('The `scheduled_at` field must be within 30 days.');
  return new Date(time).toISOString();
}
