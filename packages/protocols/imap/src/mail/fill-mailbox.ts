import type { TemplateScope } from '@backlot/core/plugin';
import type { CompiledMailbox, CompiledMessage } from '../compiled.js';
import type { Mailbox, MailRecord, NewMail } from './mailbox.js';

/** What rendering a mock's messages needs. */
export interface Rendering {
  readonly scope: () => TemplateScope;
  readonly now: () => number;
}

/** Puts a mock's messages into an empty mailbox. */
export function fillMailbox(
  mailbox: Mailbox,
  source: CompiledMailbox | undefined,
  rendering: Rendering,
): void {
  mailbox.add((source?.messages ?? []).map((message) => render(message, false, rendering)));
}

/**
 * Makes a mailbox what its changed mock says, so that clients see just what is different: messages that are the same
 * keep their UIDs, as long as nothing new stands in front of them. What clients had changed is gone.
 *
 * @returns `false` when the UIDs that the mock asks for cannot be had: the mailbox has to begin anew
 */
export function refillMailbox(
  mailbox: Mailbox,
  source: CompiledMailbox | undefined,
  rendering: Rendering,
): boolean {
  const old = mailbox.records.filter(({ origin }) => origin === 'mock');
  const kept = new Set<MailRecord>();
  const fresh: CompiledMessage[] = [];
  let at = 0;
  for (const message of source?.messages ?? []) {
    const { key, uid, flags } = message;
    const isSame = (record: MailRecord): boolean =>
      record.key === key && (uid === undefined || record.uid === uid);
    const place = fresh.length > 0 ? -1 : old.findIndex((record, index) => index >= at && isSame(record));
    const record = old[place];
    if (record === undefined) fresh.push(message);
    else {
      kept.add(record);
      mailbox.setFlags(record, flags);
      at = place + 1;
    }
  }
  const lowest = fresh.find(({ uid }) => uid !== undefined)?.uid;
  if (lowest !== undefined && lowest < mailbox.nextUid) return false;
  mailbox.remove((record) => record.origin !== 'capture' && !kept.has(record));
  mailbox.add(fresh.map((message) => render(message, true, rendering)));
  return true;
}

function render(
  message: CompiledMessage,
  isRecent: boolean,
  { scope, now }: Rendering,
): NewMail & { readonly uid: number | undefined } {
  const date = message.date ?? now();
  const { key, uid, flags } = message;
  return { content: message.makeContent(scope(), date), date, flags, isRecent, origin: 'mock', key, uid };
}
