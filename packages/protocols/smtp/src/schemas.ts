import { closedObject, patternField, PatternSchema, Type, type ValueOf } from '@backlot/core/plugin';

/** The name in the greeting when the configuration has none. */
export const DEFAULT_DOMAIN = 'backlot.local';
/** How many mails are kept when the configuration does not say. */
export const DEFAULT_MAX_EMAILS = 1000;
/** How many bytes the mails that are kept may take when the configuration does not say: 128 MiB. */
export const DEFAULT_MAX_EMAILS_BYTES = 128 * 1024 * 1024;
/** The largest mail when the configuration does not say: 25 MiB. */
export const DEFAULT_MAX_MESSAGE_BYTES = 25 * 1024 * 1024;

/** What `protocols.smtp` may hold beside core's fields. */
export const ConfigSchema = closedObject({
  domain: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 253,
      pattern: '^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$',
      default: DEFAULT_DOMAIN,
      description: 'The host name that the server gives in its greeting.',
    }),
  ),
  max_emails: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: DEFAULT_MAX_EMAILS,
      description: 'The most mails that are captured; beyond it the oldest are dropped.',
    }),
  ),
  max_emails_bytes: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: DEFAULT_MAX_EMAILS_BYTES,
      description: 'The most bytes that the captured mails take together; beyond it the oldest are dropped.',
    }),
  ),
  max_message_bytes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 268_435_456,
      default: DEFAULT_MAX_MESSAGE_BYTES,
      description: 'The most bytes of a mail; a larger one is refused with 552.',
    }),
  ),
  auth: Type.Optional(
    Type.Union([Type.Literal('any'), Type.Literal('users')], {
      description:
        '`any`: every login passes, and none is needed. `users`: mail is taken after a login of `users` only. `users` where there are some, else `any`.',
    }),
  ),
  users: Type.Optional(
    Type.Array(
      closedObject({
        username: Type.String({ minLength: 1, description: 'The user name.' }),
        password: Type.Optional(
          Type.String({ description: 'The password; without it the user logs in with a token only.' }),
        ),
        access_token: Type.Optional(
          patternField(
            'Which access tokens are right with XOAUTH2 and OAUTHBEARER; without it the user logs in with the password only.',
          ),
        ),
      }),
      { minItems: 1, description: 'Who may log in; without it any login passes.' },
    ),
  ),
});

/** What an attachment must be. */
const WantedAttachmentSchema = closedObject({
  filename: Type.Optional(patternField('The decoded name; empty when the part has none.')),
  content_type: Type.Optional(patternField('The media type in lower case, such as `application/pdf`.')),
  size: Type.Optional(patternField('Bytes of the decoded content, such as `{gt: 1000000}`.')),
});

/** A rule's own fields. */
export const RuleSchema = closedObject({
  from: Type.Optional(
    patternField('The sender of the envelope (MAIL FROM), whatever its case; absent is any.'),
  ),
  to: Type.Optional(patternField('A recipient of the envelope (RCPT TO), whatever its case; absent is any.')),
  subject: Type.Optional(patternField('The decoded subject; absent is any.')),
  headers: Type.Optional(
    Type.Record(Type.String(), PatternSchema, {
      description:
        'Patterns by header name, for the decoded values; names compare without case, and of a repeated header any value may match.',
    }),
  ),
  text: Type.Optional(patternField('The decoded plain text; absent is any.')),
  html: Type.Optional(patternField('The decoded HTML; absent is any.')),
  body: Type.Optional(patternField('The whole message as it came, headers included; absent is any.')),
  attachments: Type.Optional(
    Type.Array(WantedAttachmentSchema, {
      minItems: 1,
      maxItems: 100,
      description: 'What must be attached: each matches one of the attachments. `[{}]` is any attachment.',
    }),
  ),
  action: Type.Optional(
    Type.Union([Type.Literal('accept'), Type.Literal('reject'), Type.Literal('defer')], {
      default: 'accept',
      description:
        '`accept` takes the mail, `reject` refuses it for good (550), `defer` for now (451, try again later).',
    }),
  ),
  message: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'The text of the reply; a template. A code at its beginning, as in `552 Too big`, is used.',
    }),
  ),
});

/** A fault's own fields. */
export const FaultSchema = closedObject({
  code: Type.Optional(
    Type.Integer({
      minimum: 400,
      maximum: 599,
      default: 421,
      description: 'The code of the reply; after 421 the connection is closed.',
    }),
  ),
  message: Type.Optional(
    Type.String({ minLength: 1, default: 'fault injected', description: 'The text of the reply.' }),
  ),
  greylist: Type.Optional(
    Type.String({
      description:
        'Greylisting while the fault is in effect: a recipient is deferred with 451 4.7.1 until so long, such as `1m`, after the same client tried first with the same sender and recipient. No mail is affected otherwise.',
    }),
  ),
});

const AttachmentSchema = closedObject({
  filename: Type.String({ description: 'The decoded name; empty when the part has none.' }),
  content_type: Type.String({ description: 'The media type.' }),
  size: Type.Integer({ description: 'Bytes of the decoded content.' }),
});

/** A captured mail. */
export const MailSchema = closedObject({
  id: Type.String({ description: 'The id of the mail, which is also in the reply that has accepted it.' }),
  from: Type.String({ description: 'The sender of the envelope; empty for a bounce.' }),
  to: Type.Array(Type.String(), { description: 'The recipients of the envelope that were accepted.' }),
  subject: Type.String({ description: 'The decoded subject.' }),
  body: Type.String({
    description: 'The whole message as it came, headers included; base64 when `body_encoding` says so.',
  }),
  body_encoding: Type.Optional(
    Type.Literal('base64', {
      description: '`base64` when the message is not UTF-8 and is written so; absent otherwise.',
    }),
  ),
  received_at: Type.String({ description: 'When it arrived, RFC 3339 with milliseconds.' }),
  headers: Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
    description: 'The decoded headers, names in lower case; a list where one came several times.',
  }),
  text: Type.Optional(Type.String({ description: 'The decoded plain text.' })),
  html: Type.Optional(Type.String({ description: 'The decoded HTML.' })),
  attachments: Type.Array(AttachmentSchema, { description: 'The attachments.' }),
  cc: Type.Array(Type.String(), { description: 'The addresses of the header `Cc`.' }),
  message_id: Type.Optional(Type.String({ description: 'The header `Message-ID`.' })),
  unread: Type.Optional(
    Type.String({
      description:
        'When the mail holds more than is decoded: the bound that it exceeds, such as `more than 1000 parts`. `body` holds the whole message.',
    }),
  ),
});

/** A captured mail, see {@link MailSchema}. */
export type Mail = ValueOf<typeof MailSchema>;
