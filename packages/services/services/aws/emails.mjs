import { AwsError } from '../../aws/errors.mjs';

const MAX_RECIPIENTS = 50;

/** The address in `Ann <ann@example.com>`. */
function addressIn(text) {
  return (/<([^<>]+)>\s*$/.exec(text)?.[1] ?? text).trim();
}

function listOf(value) {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

/**
 * Keeps a mail that a test reads: `from`, `to`, `subject`, `text`, `html`, or `raw`.
 *
 * @param refuse - the code of the service for a wrong address
 */
export function keepMail(mail, call, refuse) {
  const { from, to = [], cc = [], bcc = [] } = mail;
  if (!from) throw new AwsError(refuse, "Missing required header 'From'.");
  const all = [...to, ...cc, ...bcc];
  if (all.length === 0) throw new AwsError(refuse, "Missing required header 'To'.");
  if (all.length > MAX_RECIPIENTS) throw new AwsError(refuse, `Recipient count exceeds ${MAX_RECIPIENTS}.`);
  for (const one of [from, ...all])
    if (!/^[^\s@<>]+@[^\s@<>]+$/.test(addressIn(one)))
      throw new AwsError(refuse, `Missing final '@domain': ${one}`);
  const id = `${call.uuid()}-000000`;
  call.rows('emails').create({ id, ...mail, sent: new Date(call.now).toISOString() });
  return id;
}

function mailOf({ Source: from, Destination: to = {}, Message: message = {}, ...input }) {
  const { Subject: subject, Body: { Text: text, Html: html } = {} } = message;
  return {
    from,
    to: listOf(to.ToAddresses),
    cc: listOf(to.CcAddresses),
    bcc: listOf(to.BccAddresses),
    reply_to: listOf(input.ReplyToAddresses),
    ...(subject?.Data === undefined ? {} : { subject: subject.Data }),
    ...(text?.Data === undefined ? {} : { text: text.Data }),
    ...(html?.Data === undefined ? {} : { html: html.Data }),
    tags: Object.fromEntries(listOf(input.Tags).map(({ Name, Value }) => [Name, Value])),
  };
}

/** A whole mail, and the addresses that it names where the call names none. */
function rawMail(data, from, to) {
  const raw = Buffer.from(data ?? '', 'base64').toString();
  const head = raw.split(/\r?\n\r?\n/, 1)[0].replaceAll(/\r?\n[ \t]+/g, ' ');
  const header = (name) => new RegExp(`^${name}:\\s*(.*)$`, 'im').exec(head)?.[1]?.trim();
  const addresses = (name) =>
    (header(name) ?? '')
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '');
  const subject = header('Subject');
  return {
    from: from ?? header('From'),
    to: to.length > 0 ? to : addresses('To'),
    cc: to.length > 0 ? [] : addresses('Cc'),
    bcc: to.length > 0 ? [] : addresses('Bcc'),
    ...(subject === undefined ? {} : { subject }),
    raw,
  };
}

function identityOf(name, call) {
  if (!/^[^\s@]*@?[^\s@]+\.[^\s@.]+$/.test(name ?? ''))
    throw new AwsError('InvalidParameterValue', `Invalid identity: ${String(name)}`);
  return call.put('identities', { id: name, verified: true });
}

const VERDICT = { Status: 'Success' };

/** Version 1 of SES, which speaks the query protocol. */
export const operations = {
  SendEmail(input, call) {
    const mail = mailOf(input);
    if (mail.subject === undefined)
      throw new AwsError(
        'ValidationError',
        "1 validation error detected: Value null at 'message.subject' failed to satisfy constraint: Member must not be null",
      );
    return { MessageId: keepMail(mail, call, 'InvalidParameterValue') };
  },
  SendRawEmail(input, call) {
    const mail = rawMail(input.RawMessage?.Data, input.Source, listOf(input.Destinations));
    return { MessageId: keepMail(mail, call, 'InvalidParameterValue') };
  },
  VerifyEmailIdentity({ EmailAddress: name }, call) {
    identityOf(name, call);
  },
  VerifyDomainIdentity({ Domain: name }, call) {
    identityOf(name, call);
    return { VerificationToken: call.token(44) };
  },
  DeleteIdentity({ Identity: name }, call) {
    if (call.find('identities', name) !== undefined) call.rows('identities').remove(name);
  },
  ListIdentities: (_input, call) => ({
    Identities: call
      .rows('identities')
      .list()
      .map(({ id }) => id),
  }),
  GetIdentityVerificationAttributes({ Identities: names = [] }, call) {
    const known = names.filter((name) => call.find('identities', name) !== undefined);
    return {
      VerificationAttributes: new Map(known.map((name) => [name, { VerificationStatus: VERDICT.Status }])),
    };
  },
  GetSendQuota: (_input, call) => ({
    Max24HourSend: 50_000,
    MaxSendRate: 14,
    SentLast24Hours: call.rows('emails').size,
  }),
};

function listIdentities(_input, call) {
  const EmailIdentities = call
    .rows('identities')
    .list()
    .map(({ id }) => ({
      IdentityName: id,
      IdentityType: id.includes('@') ? 'EMAIL_ADDRESS' : 'DOMAIN',
      SendingEnabled: true,
      VerificationStatus: 'SUCCESS',
    }));
  return { EmailIdentities };
}

/** Version 2 of SES: by method and path below `/v2/email/`. */
export const routes = [
  {
    method: 'POST',
    path: /^outbound-emails$/,
    act(input, call) {
      const { Content: { Simple: simple, Raw: raw, Template: template } = {}, Destination: to } = input;
      const { FromEmailAddress: from } = input;
      const given = [simple, raw, template].filter((one) => one !== undefined);
      if (given.length !== 1)
        throw new AwsError('BadRequestException', 'Content must have one of Simple, Raw and Template');
      if (template !== undefined)
        throw new AwsError('BadRequestException', 'Templates are not mocked: give Simple or Raw');
      const all = ['ToAddresses', 'CcAddresses', 'BccAddresses'].flatMap((name) => listOf(to?.[name]));
      const mail =
        simple === undefined
          ? rawMail(raw.Data, from, all)
          : {
              ...mailOf({ ...input, Source: from, Message: simple, Tags: input.EmailTags }),
              ...(simple.Attachments === undefined ? {} : { attachments: simple.Attachments }),
              ...(simple.Headers === undefined ? {} : { headers: simple.Headers }),
            };
      return { MessageId: keepMail(mail, call, 'BadRequestException') };
    },
  },
  {
    method: 'POST',
    path: /^identities$/,
    act({ EmailIdentity: name }, call) {
      if (call.find('identities', name) !== undefined)
        throw new AwsError('AlreadyExistsException', `Email identity ${name} already exist.`);
      identityOf(name, call);
      return {
        IdentityType: name.includes('@') ? 'EMAIL_ADDRESS' : 'DOMAIN',
        VerifiedForSendingStatus: true,
      };
    },
  },
  { method: 'GET', path: /^identities$/, act: listIdentities },
  // As newer SDKs ask for it.
  { method: 'POST', path: /^list-identities$/, act: listIdentities },
  {
    method: 'GET',
    path: /^identities\/([^/]+)$/,
    act(_input, call, [name]) {
      if (call.find('identities', name) === undefined) throw noIdentity(name);
      return {
        IdentityType: name.includes('@') ? 'EMAIL_ADDRESS' : 'DOMAIN',
        VerifiedForSendingStatus: true,
        VerificationStatus: 'SUCCESS',
      };
    },
  },
  {
    method: 'DELETE',
    path: /^identities\/([^/]+)$/,
    act(_input, call, [name]) {
      if (call.find('identities', name) === undefined) throw noIdentity(name);
      call.rows('identities').remove(name);
      return {};
    },
  },
  {
    method: 'GET',
    path: /^account$/,
    act: (_input, call) => ({
      SendingEnabled: true,
      ProductionAccessEnabled: true,
      SendQuota: { Max24HourSend: 50_000, MaxSendRate: 14, SentLast24Hours: call.rows('emails').size },
    }),
  },
];

function noIdentity(name) {
  return new AwsError('NotFoundException', `Email identity ${name} does not exist.`, { status: 404 });
}
