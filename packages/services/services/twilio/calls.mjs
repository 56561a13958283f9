import {
  callBack,
  find,
  isoDate,
  mailDate,
  needed,
  newSid,
  operation,
  page,
  rowsOf,
  TwilioError,
} from './api.mjs';
import { checkFrom, checkTo } from './numbers.mjs';

const path = ({ account, sid }) => `/2010-04-01/Accounts/${account}/Calls/${sid}.json`;
const OVER = ['completed', 'busy', 'failed', 'no-answer', 'canceled'];

const shown = (row) => ({
  ...row,
  uri: `/2010-04-01/Accounts/${row.account_sid}/Calls/${row.sid}.json`,
  subresource_uris: {},
});

function fieldsOf(row, status) {
  const { sid: CallSid, account_sid: AccountSid, from: From, to: To, direction: Direction } = row;
  return { CallSid, AccountSid, From, To, Direction, CallStatus: status, ApiVersion: '2010-04-01' };
}

export const create = operation(({ form, account, context }) => {
  needed(form, 'To', 'From');
  checkTo(form.To);
  checkFrom(form.From);
  const {
    Url: url,
    Twiml: twiml,
    ApplicationSid: application,
    Method: method = 'POST',
    StatusCallback: status,
  } = form;
  if (url === undefined && twiml === undefined && application === undefined)
    throw new TwilioError(400, 21205, 'Url parameter is required.');
  if (url !== undefined && !/^https?:\/\//.test(url))
    throw new TwilioError(400, 21205, `Url is not a valid URL: ${url}`);
  const date = mailDate(context);
  const row = rowsOf(context, 'calls').create({
    sid: newSid(context, 'CA'),
    account_sid: account,
    to: form.To,
    from: form.From,
    status: 'queued',
    date_created: date,
    date_updated: date,
    status_callback: status ?? null,
    twiml: twiml ?? null,
  });
  callBack(context, url, method, fieldsOf(row, 'in-progress'));
  const wanted = [form.StatusCallbackEvent ?? 'completed'].flat();
  for (const [index, name] of ['initiated', 'ringing', 'answered'].entries())
    if (wanted.includes(name))
      callBack(
        context,
        status,
        'POST',
        { ...fieldsOf(row, name === 'answered' ? 'in-progress' : name), SequenceNumber: String(index) },
        index * 10,
      );
  return shown(row);
}, 201);

export const list = operation(({ query, request, context }) => {
  const { To: to, Status: status } = query;
  const rows = rowsOf(context, 'calls')
    .list()
    .filter((row) => (to === undefined || row.to === to) && (status === undefined || row.status === status));
  return page(rows.map(shown), 'calls', request);
});
export const get = operation(({ params, context }) =>
  shown(find(context, 'calls', params.sid, path(params))),
);

/** Ends a call, or leads it to other instructions. */
export const update = operation(({ form, params, context }) => {
  const row = find(context, 'calls', params.sid, path(params));
  const { Status: status, Url: url, Method: method } = form;
  if (OVER.includes(row.status))
    throw new TwilioError(400, 21220, 'Call is not in-progress. Cannot redirect.');
  if (status !== undefined && !['completed', 'canceled'].includes(status))
    throw new TwilioError(400, 21218, `Invalid Status: ${status}`);
  const fields = {
    ...(status === undefined ? {} : { status, end_time: mailDate(context), duration: '0' }),
    date_updated: mailDate(context),
  };
  const after = rowsOf(context, 'calls').update(row.sid, fields);
  callBack(context, url, method, fieldsOf(after, 'in-progress'));
  if (status !== undefined)
    callBack(context, after.status_callback, 'POST', { ...fieldsOf(after, status), CallDuration: '0' });
  return shown(after);
});
export const remove = operation(({ params, context }) => {
  find(context, 'calls', params.sid, path(params));
  rowsOf(context, 'calls').remove(params.sid);
});

export const account = operation(({ params, context }) => ({
  sid: params.account,
  friendly_name: 'Backlot',
  status: 'active',
  type: 'Full',
  owner_account_sid: params.account,
  auth_token: context.vars.twilio.auth_token,
  date_created: mailDate(context),
  date_updated: mailDate(context),
  uri: `/2010-04-01/Accounts/${params.account}.json`,
  subresource_uris: {},
}));

/** A call that somebody makes to a number of the account. */
export function receive({ body }, context) {
  const { From: from, To: to } = body ?? {};
  const number = rowsOf(context, 'phone_numbers')
    .list()
    .find((row) => row.phone_number === to);
  if (number === undefined || typeof from !== 'string')
    return { status: 400, json: { error: '"From" must be a number, and "To" one of phone_numbers' } };
  const date = mailDate(context);
  const row = rowsOf(context, 'calls').create({
    sid: newSid(context, 'CA'),
    account_sid: number.account_sid ?? context.vars.twilio.account_sid,
    to,
    from,
    direction: 'inbound',
    status: 'ringing',
    date_created: date,
    date_updated: date,
    received: isoDate(context),
  });
  callBack(context, number.voice_url, number.voice_method, fieldsOf(row, 'ringing'));
  return { json: { sid: row.sid } };
}
