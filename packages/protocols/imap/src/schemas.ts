import { closedObject, jsonField, patternField, textField, Type, type ValueOf } from '@backlot/core/plugin';

const UID_LIMIT = 0xffff_fff0;

/** What `protocols.imap` may hold beside core's fields. */
export const ConfigSchema = closedObject({
  users: Type.Optional(
    Type.Array(
      closedObject({
        username: Type.String({
          minLength: 1,
          description: 'The name that LOGIN or AUTHENTICATE gives.',
        }),
        password: Type.Optional(
          Type.String({ description: 'The password; without it the user logs in with a token only.' }),
        ),
        access_token: Type.Optional(
          patternField(
            'Which access tokens are right with XOAUTH2 and OAUTHBEARER; without it the user logs in with the password only.',
          ),
        ),
      }),
      {
        description:
          'Who may log in; without users any login passes. All see the same mailboxes, beside INBOX where mail is delivered.',
      },
    ),
  ),
  pop3_port: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65535,
      description:
        'Where POP3 clients read INBOX, as 1110; 0 takes a free port, which `GET /api/protocols` names. Without it there is no POP3.',
    }),
  ),
  inbox_from: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'The kind whose captured messages appear in the INBOX of every user: `smtp`. It must be enabled as well.',
    }),
  ),
  deliver: Type.Optional(
    Type.Boolean({
      description:
        'Whether mail that the SMTP kind takes appears in the INBOX of each recipient. `true` when absent, unless `inbox_from` is given, with which it cannot be.',
    }),
  ),
  catch_all: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 320,
      default: 'catch-all',
      description: 'The user whose INBOX has the mail of all recipients.',
    }),
  ),
});

const MessageSchema = closedObject({
  seq_num: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        'Its sequence number, 1 to the number of messages; those without one take the free places in order.',
    }),
  ),
  uid: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: UID_LIMIT,
      description:
        'The UID. UIDs ascend with the sequence numbers; when absent, one more than that of the message before it.',
    }),
  ),
  from: Type.Optional(Type.String({ description: 'The sender, as `Ann <ann@example.com>`; a template.' })),
  to: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String())], {
      description: 'The receiver or receivers; templates.',
    }),
  ),
  subject: Type.Optional(Type.String({ description: 'The subject; a template.' })),
  body: textField({ description: 'The text; a template.' }),
  json: jsonField(
    'body',
    'A JSON value in place of `body`, sent as `application/json`; its texts are templates, and one that is a single tag keeps the type of what it inserts.',
  ),
  flags: Type.Optional(
    Type.Array(Type.String(), {
      description: '`\\Seen`, `\\Answered`, `\\Flagged`, `\\Deleted`, `\\Draft` and keywords.',
    }),
  ),
  date: Type.Optional(
    Type.String({
      description:
        'When it arrived, RFC 3339 or as a mail writes it; also its Date field where there is no `raw`, and another text is that field alone. The time of the first look when absent.',
    }),
  ),
  raw: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'The whole message with its header, in place of from, to, subject, body and json; a template.',
    }),
  ),
});

/** A mailbox's own fields. */
export const MockSchema = closedObject({
  name: Type.String({
    minLength: 1,
    description: 'The name, with `/` between levels; `INBOX` in any case fills the inbox.',
  }),
  messages: Type.Optional(
    Type.Array(MessageSchema, { description: 'The messages of the mailbox; none when absent.' }),
  ),
});

/** A message as a mock spells it. */
export type MessageFields = NonNullable<ValueOf<typeof MockSchema>['messages']>[number];

/** A fault's own fields. */
export const FaultSchema = closedObject({
  response: Type.Optional(
    Type.Union([Type.Literal('NO'), Type.Literal('BAD'), Type.Literal('BYE')], {
      default: 'NO',
      description: 'The status response that is sent in place of OK; after BYE the connection is closed.',
    }),
  ),
  message: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1000,
      pattern: '^[\\x20-\\x7e]+$',
      default: 'fault injected',
      description:
        'The text of the status response, printable ASCII; it may begin with a response code such as `[INUSE]`.',
    }),
  ),
});
