import { find, mailDate, needed, newSid, operation, page, rowsOf, TwilioError } from './api.mjs';

const PHONE = /^\+[1-9]\d{6,14}$/;
/** What Twilio's magic numbers do where a message or a call goes to, and where it comes from. */
const TO = {
  '+15005550001': [21211, "Invalid 'To' Phone Number: +15005550001"],
  '+15005550002': [
    21612,
    "Message cannot be sent with the current combination of 'To' and/or 'From' parameters",
  ],
  '+15005550003': [
    21408,
    'Permission to send an SMS or MMS has not been enabled for the region indicated by the To number: +15005550003',
  ],
  '+15005550004': [21610, 'Attempt to send to unsubscribed recipient'],
  '+15005550009': [21614, "'To' number is not a valid mobile number"],
};
const FROM = {
  '+15005550001': [21212, 'Invalid From Number (caller ID): +15005550001'],
  '+15005550007': [
    21606,
    "The 'From' phone number +15005550007 is not a valid, SMS-capable inbound phone number or short code for your account.",
  ],
  '+15005550008': [21611, "This 'From' number has exceeded the maximum number of queued messages"],
};

/** @throws TwilioError for numbers that cannot be reached */
export function checkTo(value) {
  const [channel, number] = split(value);
  const magic = Object.hasOwn(TO, number) ? TO[number] : undefined;
  if (magic !== undefined) throw new TwilioError(400, ...magic);
  if (!PHONE.test(number) && channel !== 'client' && channel !== 'sip')
    throw new TwilioError(400, 21211, `Invalid 'To' Phone Number: ${value}`);
}

/** @throws TwilioError for numbers that cannot be sent from */
export function checkFrom(value) {
  const [, number] = split(value);
  const magic = Object.hasOwn(FROM, number) ? FROM[number] : undefined;
  if (magic !== undefined) throw new TwilioError(400, ...magic);
  if (!PHONE.test(number) && !/^[A-Za-z0-9 ]{1,11}$/.test(number))
    throw new TwilioError(400, 21212, `Invalid From Number (caller ID): ${value}`);
}

function split(value) {
  const [, channel, number] = /^(?:([a-z]+):)?(.*)$/s.exec(String(value)) ?? [];
  return [channel, number];
}

const path = ({ account, sid }) => `/2010-04-01/Accounts/${account}/IncomingPhoneNumbers/${sid}.json`;
const FIELDS = {
  FriendlyName: 'friendly_name',
  SmsUrl: 'sms_url',
  SmsMethod: 'sms_method',
  VoiceUrl: 'voice_url',
  VoiceMethod: 'voice_method',
  StatusCallback: 'status_callback',
};

function fieldsOf(form) {
  return Object.fromEntries(
    Object.entries(FIELDS).flatMap(([name, field]) =>
      form[name] === undefined ? [] : [[field, form[name]]],
    ),
  );
}

export const list = operation(({ query, request, context }) => {
  const rows = rowsOf(context, 'phone_numbers').list();
  const { PhoneNumber: wanted } = query;
  return page(
    rows.filter((row) => wanted === undefined || row.phone_number === wanted),
    'incoming_phone_numbers',
    request,
  );
});
export const create = operation(({ form, account, context }) => {
  needed(form, 'PhoneNumber');
  checkFrom(form.PhoneNumber);
  const date = mailDate(context);
  return rowsOf(context, 'phone_numbers').create({
    sid: newSid(context, 'PN'),
    account_sid: account,
    phone_number: form.PhoneNumber,
    ...fieldsOf(form),
    date_created: date,
    date_updated: date,
  });
}, 201);
export const get = operation(({ params, context }) =>
  find(context, 'phone_numbers', params.sid, path(params)),
);
export const update = operation(({ form, params, context }) => {
  find(context, 'phone_numbers', params.sid, path(params));
  return rowsOf(context, 'phone_numbers').update(params.sid, {
    ...fieldsOf(form),
    date_updated: mailDate(context),
  });
});
export const remove = operation(({ params, context }) => {
  find(context, 'phone_numbers', params.sid, path(params));
  rowsOf(context, 'phone_numbers').remove(params.sid);
});

/** What is known of a number: it is valid when it looks like one. */
export const lookup = operation(({ params, query }) => {
  const number = params.number.replace(/[\s().-]/g, '');
  if (!/^\+?\d{3,15}$/.test(number))
    throw new TwilioError(404, 20404, `The requested resource /PhoneNumbers/${params.number} was not found`);
  const whole = number.startsWith('+') ? number : `+1${number}`;
  const isValid = PHONE.test(whole) && whole !== '+15005550001';
  const wanted = String(query.Fields ?? '')
    .split(',')
    .filter(Boolean);
  const line = {
    mobile_country_code: null,
    mobile_network_code: null,
    carrier_name: 'Backlot Mobile',
    type: 'mobile',
    error_code: null,
  };
  return {
    calling_country_code: whole.slice(1, 2) === '1' ? '1' : whole.slice(1, 3),
    country_code: whole.startsWith('+1')
      ? 'US'
      : whole.startsWith('+44')
        ? 'GB'
        : whole.startsWith('+41')
          ? 'CH'
          : null,
    phone_number: whole,
    national_format: whole,
    valid: isValid,
    validation_errors: isValid ? [] : ['TOO_SHORT'],
    caller_name: wanted.includes('caller_name')
      ? { caller_name: 'BACKLOT', caller_type: 'CONSUMER', error_code: null }
      : null,
    line_type_intelligence: wanted.includes('line_type_intelligence') ? line : null,
    url: `https://lookups.twilio.com/v2/PhoneNumbers/${whole}`,
  };
});
