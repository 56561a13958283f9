import { closedObject, Type, type DataDeclaration, type PublishDeclaration } from '@backlot/core/plugin';

const NAME = Type.String({
  minLength: 1,
  description: 'The name, with `/` between levels; `INBOX` in any case is the inbox.',
});

const SHOWN_NAME = Type.String({
  description:
    'The name, with `/` between levels; that of the INBOX of a user alone is `INBOX:ann@example.com`.',
});

/** The mailboxes, as the management API shows and takes them. */
export const MAILBOXES: DataDeclaration = {
  noun: 'mailbox',
  summary:
    'The mailboxes that all users share, and the inboxes of the users of the configuration and of those who have logged in, where each has its own since SMTP delivers.',
  schema: Type.Object({
    name: SHOWN_NAME,
    user: Type.Optional(Type.String({ description: 'Whose it is; absent for one that all share.' })),
    messages: Type.Integer({ description: 'How many messages are in it.' }),
    unseen: Type.Integer({ description: 'How many of them are not seen.' }),
    uid_next: Type.Integer({ description: 'The UID of the next message that comes.' }),
    uid_validity: Type.Integer({ description: 'Another one after UIDs have begun anew.' }),
  }),
  idField: 'name',
  put: { schema: closedObject({ name: NAME }), examples: [{ name: 'Archive/2025' }] },
  remove: true,
};

/** The messages of all mailboxes. */
export const MESSAGES: DataDeclaration = {
  noun: 'message',
  summary: 'The messages of all mailboxes.',
  schema: Type.Object({
    id: Type.String({ description: 'The UID and the mailbox: `7:INBOX`.' }),
    mailbox: SHOWN_NAME,
    user: Type.Optional(Type.String({ description: 'Whose mailbox it is; absent for one that all share.' })),
    uid: Type.Integer({ description: 'The UID.' }),
    flags: Type.Array(Type.String(), { description: 'Its flags, such as `\\Seen`.' }),
    date: Type.String({ description: 'When it arrived, RFC 3339.' }),
    size: Type.Integer({ description: 'Bytes.' }),
    raw: Type.String({ description: 'The message with its header; the first 64 KiB of a longer one.' }),
  }),
  remove: true,
};

/** Mail into mailboxes. */
export const PUBLISH: PublishDeclaration = {
  summary: 'Puts a message into a mailbox, as APPEND does.',
  schema: closedObject({
    mailbox: Type.Optional(
      Type.String({ minLength: 1, default: 'INBOX', description: 'The name of a mailbox that there is.' }),
    ),
    user: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 320,
        description:
          'Whose INBOX, where each user has one since SMTP delivers; absent: the one that all share.',
      }),
    ),
    raw: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The whole message with its header, in place of the fields below.',
      }),
    ),
    from: Type.Optional(Type.String({ description: 'The sender, as `Ann <ann@example.com>`.' })),
    to: Type.Optional(Type.Array(Type.String(), { description: 'The receivers.' })),
    subject: Type.Optional(Type.String({ description: 'The subject.' })),
    body: Type.Optional(Type.String({ description: 'The text.' })),
    json: Type.Optional(
      Type.Unknown({ description: 'A JSON value in place of `body`, sent as `application/json`.' }),
    ),
    flags: Type.Optional(
      Type.Array(Type.String(), {
        description: '`\\Seen`, `\\Answered`, `\\Flagged`, `\\Deleted`, `\\Draft` and keywords.',
      }),
    ),
  }),
  examples: [
    { from: 'Ann <ann@example.com>', to: ['bob@example.com'], subject: 'Hello', body: 'How are you?' },
  ],
  result: Type.Object({
    mailbox: Type.String(),
    uid: Type.Integer({ description: 'The UID that it was given.' }),
  }),
};
