import { find, isoDate, metaPage, needed, newSid, operation, rowsOf, TwilioError } from './api.mjs';
import { checkTo } from './numbers.mjs';

const MAX_CHECKS = 5;
const TEN_MINUTES = 600_000;
const CHANNELS = ['sms', 'call', 'email', 'whatsapp', 'sna', 'auto'];
const path = ({ service, sid }) => `/Services/${service}${sid === undefined ? '' : `/Verifications/${sid}`}`;

const shownService = (row) => ({
  ...row,
  url: `https://verify.twilio.com/v2/Services/${row.sid}`,
  links: {},
});

export const createService = operation(({ form, account, context }) => {
  needed(form, 'FriendlyName');
  const date = isoDate(context);
  const row = {
    sid: newSid(context, 'VA'),
    account_sid: account,
    friendly_name: form.FriendlyName,
    code_length: Number(form.CodeLength ?? 6),
    date_created: date,
    date_updated: date,
  };
  return shownService(rowsOf(context, 'verify_services').create(row));
}, 201);
export const listServices = operation(({ request, context }) =>
  metaPage(rowsOf(context, 'verify_services').list().map(shownService), 'services', request, 'verify'),
);
export const getService = operation(({ params, context }) =>
  shownService(find(context, 'verify_services', params.service, path(params))),
);
export const removeService = operation(({ params, context }) => {
  find(context, 'verify_services', params.service, path(params));
  rowsOf(context, 'verify_services').remove(params.service);
});

function shown({ code: _, checks: __, made: ___, ...row }) {
  return {
    ...row,
    valid: row.status === 'approved',
    lookup: {},
    send_code_attempts: [],
    sna: null,
    amount: null,
    payee: null,
    url: `https://verify.twilio.com/v2/Services/${row.service_sid}/Verifications/${row.sid}`,
  };
}

const isOpen = ({ status, made }, { clock }) => status === 'pending' && clock.now() - made <= TEN_MINUTES;

/** The verification of a number that waits, or the one with an id. */
function pending(context, service, { sid, to }) {
  return rowsOf(context, 'verifications')
    .list()
    .findLast(
      (row) =>
        row.service_sid === service &&
        (sid === undefined ? row.to === to : row.sid === sid || row.to === sid) &&
        isOpen(row, context),
    );
}

export const start = operation(({ form, params, account, context }) => {
  const { code_length: length = 6 } = find(context, 'verify_services', params.service, path(params));
  needed(form, 'To', 'Channel');
  if (!CHANNELS.includes(form.Channel))
    throw new TwilioError(400, 60200, `Invalid parameter \`Channel\`: ${form.Channel}`);
  if (form.Channel !== 'email') {
    try {
      checkTo(form.To);
    } catch (error) {
      if (error instanceof TwilioError)
        throw new TwilioError(400, 60200, `Invalid parameter \`To\`: ${form.To}`);
      throw error;
    }
  }
  const before = pending(context, params.service, { to: form.To });
  const sent = (before?.sent ?? 0) + 1;
  if (sent > 5) throw new TwilioError(429, 60203, 'Max send attempts reached');
  const code = form.CustomCode ?? context.vars.twilio.code.slice(0, length).padEnd(length, '0');
  if (before !== undefined)
    return shown(
      rowsOf(context, 'verifications').update(before.sid, {
        sent,
        channel: form.Channel,
        date_updated: isoDate(context),
      }),
    );
  const date = isoDate(context);
  return shown(
    rowsOf(context, 'verifications').create({
      sid: newSid(context, 'VE'),
      service_sid: params.service,
      account_sid: account,
      to: form.To,
      channel: form.Channel,
      status: 'pending',
      code,
      checks: 0,
      sent,
      made: context.clock.now(),
      date_created: date,
      date_updated: date,
    }),
  );
}, 201);

export const get = operation(({ params, context }) => {
  const row = pending(context, params.service, { sid: params.sid });
  if (row === undefined)
    throw new TwilioError(404, 20404, `The requested resource ${path(params)} was not found`);
  return shown(row);
});

export const update = operation(({ form, params, context }) => {
  const row = pending(context, params.service, { sid: params.sid });
  if (row === undefined)
    throw new TwilioError(404, 20404, `The requested resource ${path(params)} was not found`);
  if (!['approved', 'canceled'].includes(form.Status))
    throw new TwilioError(400, 60200, `Invalid parameter \`Status\`: ${form.Status}`);
  return shown(
    rowsOf(context, 'verifications').update(row.sid, { status: form.Status, date_updated: isoDate(context) }),
  );
});

export const check = operation(({ form, params, context }) => {
  needed(form, 'Code');
  const { To: to, VerificationSid: sid, Code: code } = form;
  const row = pending(context, params.service, sid === undefined ? { to } : { sid });
  if (row === undefined)
    throw new TwilioError(
      404,
      20404,
      `The requested resource /Services/${params.service}/VerificationCheck was not found`,
    );
  if (row.checks >= MAX_CHECKS) throw new TwilioError(429, 60202, 'Max check attempts reached');
  const status = code === row.code ? 'approved' : 'pending';
  return shown(
    rowsOf(context, 'verifications').update(row.sid, {
      status,
      checks: row.checks + 1,
      date_updated: isoDate(context),
    }),
  );
}, 201);
