import { isGivenMail } from '@backlot/kit';
import type { ExportNotes, ExportSource, Json, StoredCapture } from '@backlot/core/plugin';

/** A mail that was captured, or that is in a mailbox. */
export interface Mail {
  readonly id: string;
  /** The whole mail with its header. */
  readonly raw: Buffer;
  /** Who has sent it, for the first line of an mbox. */
  readonly sender: string;
  /** When it came. */
  readonly date: Date;
  readonly flags: readonly string[];
}

const SHOWN = 64 * 1024;

/** Mails that SMTP has taken, then those of the mailboxes; nothing where others may be let in. */
export function* readMails(
  source: ExportSource,
  notes: ExportNotes,
): Generator<Mail | undefined, void, undefined> {
  for (const item of source.kind('smtp')?.captured() ?? []) {
    yield capturedMail(item);
    yield undefined;
  }
  for (const message of source.kind('imap')?.data('messages') ?? []) {
    const { size, id } = message as { size: number; id: string };
    if (size > SHOWN)
      notes.refused(
        id,
        `a message of a mailbox with more than ${SHOWN} bytes is left out: no more of it is shown`,
      );
    else yield storedMail(message);
    yield undefined;
  }
}

/** A mail as it came, where it is given; its texts are not made then, which takes long. */
function capturedMail(item: StoredCapture): Mail {
  const { given } = item;
  if (!isGivenMail(given)) return shownMail(item.read());
  const { from = '' } = item.readPieces().shown as { readonly from?: string };
  const { id, raw, receivedAt } = given;
  return { id, raw, sender: from, date: new Date(receivedAt), flags: [] };
}

function shownMail(mail: unknown): Mail {
  const {
    id,
    from,
    body,
    body_encoding: encoding,
    received_at: at,
  } = mail as Readonly<Record<string, string>>;
  return {
    id: id ?? '',
    raw: Buffer.from(body ?? '', encoding === 'base64' ? 'base64' : 'utf8'),
    sender: from ?? '',
    date: new Date(at ?? 0),
    flags: [],
  };
}

function storedMail(message: Json): Mail {
  const { id, raw, date, flags } = message as {
    readonly id: string;
    readonly raw: string;
    readonly date: string;
    readonly flags: readonly string[];
  };
  return {
    id,
    raw: Buffer.from(raw),
    sender: /^From:.*?([^\s<>"]+@[^\s<>",]+)/im.exec(raw.slice(0, 8192))?.[1] ?? '',
    date: new Date(date),
    flags,
  };
}
