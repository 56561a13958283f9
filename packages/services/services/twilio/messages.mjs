import { callBack, find, mailDate, needed, newSid, operation, page, rowsOf, TwilioError } from './api.mjs';
import { checkFrom, checkTo } from './numbers.mjs';

const MAX_TEXT = 1600;
/** What becomes of a message, one after the other. */
const STEPS = ['sent', 'delivered'];
const path = ({ account, sid }) => `/2010-04-01/Accounts/${account}/Messages/${sid}.json`;

export const create = operation(({ form, account, context }) => {
  needed(form, 'To');
  checkTo(form.To);
  const {
    From: from,
    MessagingServiceSid: service = null,
    Body: body = '',
    MediaUrl: media,
    SendAt: at,
    StatusCallback: url,
  } = form;
  if (from === undefined && service === null)
    throw new TwilioError(400, 21603, "A 'From' phone number is required.");
  if (from !== undefined) checkFrom(from);
  if (body === '' && media === undefined && form.ContentSid === undefined)
    throw new TwilioError(400, 21602, 'Message body is required.');
  if (body.length > MAX_TEXT)
    throw new TwilioError(400, 21617, 'The concatenated message body exceeds the 1600 character limit');
  if (at !== undefined && service === null)
    throw new TwilioError(400, 35118, 'MessagingServiceSid is required to schedule a message');
  const sid = newSid(context, media === undefined ? 'SM' : 'MM');
  const date = mailDate(context);
  const isScheduled = at !== undefined;
  const row = rowsOf(context, 'messages').create({
    sid,
    account_sid: account,
    to: form.To,
    from: from ?? context.vars.twilio.from,
    body,
    messaging_service_sid: service,
    num_segments: String(Math.max(1, Math.ceil(body.length / 160))),
    num_media: String([media ?? []].flat().length),
    media_urls: [media ?? []].flat(),
    date_created: date,
    date_updated: date,
    date_sent: isScheduled ? null : date,
    status: isScheduled ? 'scheduled' : context.vars.twilio.outcome,
  });
  if (!isScheduled) tellSteps(context, row, url);
  return shown({
    ...row,
    status: isScheduled ? 'scheduled' : service === null ? 'queued' : 'accepted',
    date_sent: null,
  });
}, 201);

function tellSteps(context, row, url) {
  const { outcome } = context.vars.twilio;
  const steps = outcome === 'delivered' ? STEPS : ['sent', outcome];
  for (const [index, status] of steps.entries()) {
    const fields = {
      AccountSid: row.account_sid,
      ApiVersion: '2010-04-01',
      From: row.from,
      MessageSid: row.sid,
      MessageStatus: status,
      SmsSid: row.sid,
      SmsStatus: status,
      To: row.to,
    };
    callBack(
      context,
      url,
      'POST',
      ['failed', 'undelivered'].includes(status) ? { ...fields, ErrorCode: '30003' } : fields,
      index * 10,
    );
  }
}

function shown({ media_urls: _, ...row }) {
  const uri = `/2010-04-01/Accounts/${row.account_sid}/Messages/${row.sid}.json`;
  const isBad = ['failed', 'undelivered'].includes(row.status);
  return {
    ...row,
    error_code: isBad ? 30003 : null,
    error_message: isBad ? 'Unreachable destination handset' : null,
    uri,
    subresource_uris: { media: uri.replace('.json', '/Media.json') },
  };
}

export const list = operation(({ query, request, context }) => {
  const { To: to, From: from } = query;
  const rows = rowsOf(context, 'messages').list();
  const wanted = rows.filter(
    (row) => (to === undefined || row.to === to) && (from === undefined || row.from === from),
  );
  return page(wanted.map(shown), 'messages', request);
});
export const get = operation(({ params, context }) =>
  shown(find(context, 'messages', params.sid, path(params))),
);

/** Takes the text away, or calls off a message that is scheduled. */
export const update = operation(({ form, params, context }) => {
  const row = find(context, 'messages', params.sid, path(params));
  const { Body: body, Status: status } = form;
  if (status !== undefined && (status !== 'canceled' || row.status !== 'scheduled'))
    throw new TwilioError(400, 30409, 'Message is not in a state in which it can be canceled');
  if (body !== undefined && body !== '')
    throw new TwilioError(400, 20009, 'Cannot update the body; it can only be taken away');
  const fields = {
    ...(status === undefined ? {} : { status }),
    ...(body === undefined ? {} : { body }),
    date_updated: mailDate(context),
  };
  return shown(rowsOf(context, 'messages').update(row.sid, fields));
});
export const remove = operation(({ params, context }) => {
  find(context, 'messages', params.sid, path(params));
  rowsOf(context, 'messages').remove(params.sid);
});

/** A message that somebody sends to a number of the account. */
export function receive({ body }, context) {
  const { From: from, To: to, Body: text = '' } = body ?? {};
  const number = rowsOf(context, 'phone_numbers')
    .list()
    .find((row) => row.phone_number === to);
  if (number === undefined || typeof from !== 'string')
    return { status: 400, json: { error: '"From" must be a number, and "To" one of phone_numbers' } };
  const account = number.account_sid ?? context.vars.twilio.account_sid;
  const sid = newSid(context, 'SM');
  const date = mailDate(context);
  rowsOf(context, 'messages').create({
    sid,
    account_sid: account,
    to,
    from,
    body: String(text),
    direction: 'inbound',
    status: 'received',
    date_created: date,
    date_updated: date,
    date_sent: date,
  });
  const fields = {
    ToCountry: 'US',
    SmsMessageSid: sid,
    NumMedia: '0',
    SmsSid: sid,
    SmsStatus: 'received',
    Body: String(text),
    To: to,
    NumSegments: '1',
    MessageSid: sid,
    AccountSid: account,
    From: from,
    ApiVersion: '2010-04-01',
  };
  callBack(context, number.sms_url, number.sms_method, fields);
  return { json: { sid } };
}
