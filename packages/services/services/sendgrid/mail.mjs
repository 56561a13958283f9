import { find, invalid, operation, rowsOf } from './api.mjs';
import { tell } from './webhooks.mjs';

const ADDRESS = /^[^\s@<>]+@[^\s@<>]+$/;
const MAX_RECIPIENTS = 1000;
const MAX_AHEAD = 72 * 3600;
const KNOWN = [
  'personalizations',
  'from',
  'reply_to',
  'reply_to_list',
  'subject',
  'content',
  'attachments',
  'template_id',
  'headers',
  'categories',
  'custom_args',
  'send_at',
  'batch_id',
  'asm',
  'ip_pool_name',
  'mail_settings',
  'tracking_settings',
];
/** What becomes of mail to these addresses; any other is delivered. */
const OUTCOMES = { 'bounce@': 'bounce', 'drop@': 'dropped', 'defer@': 'deferred', 'spam@': 'spamreport' };

function checkAddress(value, field) {
  if (typeof value?.email !== 'string' || value.email === '')
    throw invalid('The email is required.', `${field}.email`);
  if (!ADDRESS.test(value.email)) throw invalid('Does not contain a valid address.', `${field}.email`);
}

function checkPeople(list, field) {
  if (!Array.isArray(list) || list.length === 0)
    throw invalid(
      'The to array is required for all personalization objects, and must have at least one email object with a valid email address.',
      field,
    );
  for (const [index, one] of list.entries()) checkAddress(one, `${field}.${index}`);
}

/** @throws SendgridError for what SendGrid would not send */
function checkMail(mail, now) {
  if (typeof mail !== 'object' || mail === null || Array.isArray(mail)) throw invalid('Bad Request');
  const other = Object.keys(mail).find((name) => !KNOWN.includes(name));
  if (other !== undefined)
    throw invalid(`Invalid field: ${other}; these are known: ${KNOWN.join(', ')}`, other);
  const {
    personalizations: groups,
    from,
    subject,
    content,
    template_id: template,
    attachments = [],
    send_at: at,
  } = mail;
  if (!Array.isArray(groups) || groups.length === 0)
    throw invalid(
      'The personalizations field is required and must have at least one personalization.',
      'personalizations',
    );
  const isGroup = (group) =>
    typeof group === 'object' &&
    group !== null &&
    ['to', 'cc', 'bcc'].every((name) => group[name] === undefined || Array.isArray(group[name]));
  if (!groups.every(isGroup))
    throw invalid('Each personalization must be an object with lists of recipients.', 'personalizations');
  if (!Array.isArray(attachments)) throw invalid('The attachments must be a list.', 'attachments');
  if (content !== undefined && !Array.isArray(content))
    throw invalid('The content must be a list.', 'content');
  const count = groups.reduce(
    (sum, { to = [], cc = [], bcc = [] }) => sum + to.length + cc.length + bcc.length,
    0,
  );
  if (count > MAX_RECIPIENTS)
    throw invalid(`There are ${count} recipients; ${MAX_RECIPIENTS} are the most.`, 'personalizations');
  for (const [index, group] of groups.entries()) {
    checkPeople(group?.to, `personalizations.${index}.to`);
    for (const name of ['cc', 'bcc'])
      if (group[name] !== undefined) checkPeople(group[name], `personalizations.${index}.${name}`);
    if (template === undefined && (subject ?? group.subject ?? '') === '')
      throw invalid(
        'The subject is required. You can get around this requirement if you use a template with a subject defined or if every personalization has a subject defined.',
        'subject',
      );
  }
  if (from === undefined)
    throw invalid(
      'The from object must be provided for every email send. It is an object that requires the email parameter, but may also contain a name parameter.',
      'from.email',
    );
  checkAddress(from, 'from');
  if (template === undefined && (!Array.isArray(content) || content.length === 0))
    throw invalid(
      'Unless a valid template_id is provided, the content parameter is required. There must be at least one defined content block.',
      'content',
    );
  for (const [index, one] of (content ?? []).entries())
    if (typeof one?.value !== 'string' || one.value === '')
      throw invalid(
        'The content value must be a string at least one character in length.',
        `content.${index}.value`,
      );
  for (const [index, one] of attachments.entries())
    if (typeof one?.content !== 'string' || !/^[A-Za-z0-9+/=\s]+$/.test(one.content))
      throw invalid('The attachment content must be base64 encoded.', `attachments.${index}.content`);
  const times = [at, ...groups.map((group) => group.send_at)].filter((time) => time !== undefined);
  for (const time of times)
    if (!Number.isInteger(time) || time > now / 1000 + MAX_AHEAD)
      throw invalid('The send_at parameter must be a time at most 72 hours from now.', 'send_at');
}

export const send = operation(({ body, context }) => {
  checkMail(body, context.clock.now());
  if (body.mail_settings?.sandbox_mode?.enable === true) return { status: 200 };
  const id = context.random.string(22);
  const { personalizations: groups, ...mail } = body;
  const events = [];
  for (const [index, group] of groups.entries()) {
    const row = rowsOf(context, 'mails').create({
      id: `${id}.${index}`,
      message_id: id,
      ...mail,
      ...group,
      subject: group.subject ?? mail.subject ?? null,
      custom_args: { ...mail.custom_args, ...group.custom_args },
    });
    for (const { email } of [...group.to, ...(group.cc ?? []), ...(group.bcc ?? [])])
      events.push(...eventsOf(row, email));
  }
  tell(context, events);
  return { status: 202, headers: { 'X-Message-Id': id } };
});

function eventsOf(row, email) {
  const begin = Object.keys(OUTCOMES).find((one) => email.toLowerCase().startsWith(one));
  const outcome = begin === undefined ? 'delivered' : OUTCOMES[begin];
  const base = { email, sg_message_id: row.id, category: row.categories ?? [], ...row.custom_args };
  const made = (event, more = {}) => ({ ...base, event, ...more });
  if (outcome === 'dropped') return [made('dropped', { reason: 'Bounced Address' })];
  const processed = made('processed', { 'smtp-id': `<${row.id}@sendgrid.localhost>` });
  if (outcome === 'bounce')
    return [processed, made('bounce', { type: 'bounce', status: '5.1.1', reason: '550 5.1.1 no such user' })];
  if (outcome === 'deferred')
    return [processed, made('deferred', { response: '451 try again later', attempt: '1' })];
  const delivered = made('delivered', { response: '250 OK' });
  return outcome === 'spamreport' ? [processed, delivered, made('spamreport')] : [processed, delivered];
}

/** What was sent, newest first: the activity of mails. */
export const list = operation(({ request, context }) => {
  const limit = Number(request.query.limit ?? 10);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
    throw invalid('limit must be a number from 1 to 1000', 'limit');
  const rows = rowsOf(context, 'mails').list();
  return { json: { messages: [...rows].reverse().slice(0, limit).map(shown) } };
});

const shown = ({ id, from, to, subject }) => ({
  from_email: from.email,
  msg_id: id,
  subject,
  to_email: to[0].email,
  status: eventsOf({ id }, to[0].email).at(-1).event.replace('bounce', 'not_delivered'),
});

export const get = operation(({ request, context }) => {
  const row = find(context, 'mails', request.params.id);
  return {
    json: {
      ...shown(row),
      events: row.to.flatMap(({ email }) => eventsOf(row, email)).map(({ event }) => ({ event_name: event })),
    },
  };
});

export const makeBatch = operation(({ context }) => ({
  status: 201,
  json: { batch_id: context.random.string(40) },
}));
