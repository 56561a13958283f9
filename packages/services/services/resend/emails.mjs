import { find, invalid, operation, page, ResendError } from './api.mjs';
import { readMail, readTime } from './message.mjs';
import { tell } from './webhooks.mjs';

const MAX_BATCH = 100;
/** What becomes of mail to the test addresses of Resend; any other is delivered. */
const OUTCOMES = ['bounced', 'complained', 'suppressed'];

export const send = operation(({ body, context }) => ({
  id: put(context, readMail(body, context.clock.now())),
}));

export const sendBatch = operation(({ body, request, context }) => {
  if (!Array.isArray(body) || body.length === 0) throw invalid('The body must be a list of emails.');
  if (body.length > MAX_BATCH)
    throw invalid(`The list has ${body.length} emails; ${MAX_BATCH} are the most of one call.`);
  const isPermissive = request.headers['x-batch-validation'] === 'permissive';
  const mails = [];
  const errors = [];
  for (const [index, one] of body.entries()) {
    try {
      mails.push(readBatched(one, context.clock.now()));
    } catch (error) {
      if (!isPermissive || !(error instanceof ResendError)) throw error;
      errors.push({ index, message: error.message });
    }
  }
  const data = mails.map((mail) => ({ id: put(context, mail) }));
  return isPermissive ? { data, errors } : { data };
});

function readBatched(body, now) {
  const mail = readMail(body, now);
  if (mail.attachments.length > 0 || mail.scheduled_at !== null)
    throw invalid('The `attachments` and `scheduled_at` fields cannot be used in a batch.');
  return mail;
}

function put(context, mail) {
  const row = context.collection('resend:emails').create({ ...mail, is_canceled: false });
  if (mail.scheduled_at === null) {
    tell(context, 'email.sent', row);
    tell(context, `email.${outcomeOf(row)}`, row);
  } else tell(context, 'email.scheduled', row);
  return row.id;
}

function outcomeOf({ to }) {
  const all = to.join(' ');
  return OUTCOMES.find((name) => new RegExp(`\\b${name}(\\+\\S*)?@resend\\.dev`).test(all)) ?? 'delivered';
}

function isWaiting({ is_canceled: isCanceled, scheduled_at: at }, { clock }) {
  return !isCanceled && at !== null && Date.parse(at) > clock.now();
}

function shown(row, context) {
  const { attachments: _, headers: __, is_canceled: isCanceled, ...mail } = row;
  const event = isCanceled ? 'canceled' : isWaiting(row, context) ? 'scheduled' : outcomeOf(row);
  return { ...mail, last_event: event };
}

export const retrieve = operation(({ request, context }) =>
  shown(find(context, 'emails', request.params.id, 'Email'), context),
);

export const list = operation(({ request, context }) => {
  const found = page(context.collection('resend:emails').list(), request.query);
  return { ...found, data: found.data.map((row) => listed(row, context)) };
});

function listed(row, context) {
  const { html: _, text: __, tags: ___, object: ____, ...mail } = shown(row, context);
  return mail;
}

function waiting(request, context) {
  const row = find(context, 'emails', request.params.id, 'Email');
  if (isWaiting(row, context)) return row;
  throw invalid('Email is not scheduled: it was sent, or canceled.');
}

export const update = operation(({ body, request, context }) => {
  const { id } = waiting(request, context);
  if (body?.scheduled_at === undefined)
    throw invalid('Missing `scheduled_at` field.', 'missing_required_field');
  const at = readTime(body.scheduled_at, context.clock.now());
  context.collection('resend:emails').update(id, { scheduled_at: at });
  return { object: 'email', id };
});

export const cancel = operation(({ request, context }) => {
  const { id } = waiting(request, context);
  context.collection('resend:emails').update(id, { is_canceled: true });
  return { object: 'email', id };
});
