import type { CompiledMailbox } from '../compiled.js';
import { MailContent } from './content.js';
import type { SavedMail } from './mail-store.js';
import type { MailRecord, SavedMailbox } from './mailbox.js';

/** A mailbox as plain data: its mock is found again by its name. */
interface PackedMailbox extends Omit<SavedMailbox, 'records' | 'source'> {
  readonly records: readonly (Omit<MailRecord, 'content'> & { readonly raw: Buffer })[];
  readonly hasSource: boolean;
}

interface PackedMail extends Omit<SavedMail, 'mailboxes' | 'inboxes'> {
  readonly mailboxes: readonly PackedMailbox[];
  readonly inboxes: readonly (readonly [string, PackedMailbox])[];
}

/** A snapshot of all mailboxes as it passes to another process. */
export function packMail({ mailboxes, inboxes, ...others }: SavedMail): PackedMail {
  return {
    ...others,
    mailboxes: mailboxes.map(packMailbox),
    inboxes: inboxes.map(([user, mailbox]) => [user, packMailbox(mailbox)]),
  };
}

/** Takes back {@link packMail}. @param mockOf - the mock in effect of a mailbox */
export function unpackMail(
  packed: unknown,
  mockOf: (name: string) => CompiledMailbox | undefined,
): SavedMail {
  const { mailboxes, inboxes, ...others } = packed as PackedMail;
  return {
    ...others,
    mailboxes: mailboxes.map((mailbox) => unpackMailbox(mailbox, mockOf)),
    inboxes: inboxes.map(([user, mailbox]) => [user, unpackMailbox(mailbox, mockOf)]),
  };
}

function packMailbox({ records, source, ...others }: SavedMailbox): PackedMailbox {
  return {
    ...others,
    records: records.map(({ content, ...record }) => ({ ...record, raw: content.raw })),
    hasSource: source !== undefined,
  };
}

function unpackMailbox(
  { records, hasSource, ...others }: PackedMailbox,
  mockOf: (name: string) => CompiledMailbox | undefined,
): SavedMailbox {
  return {
    ...others,
    records: records.map(({ raw, ...record }) => ({ ...record, content: new MailContent(raw) })),
    source: hasSource ? mockOf(others.name) : undefined,
  };
}
