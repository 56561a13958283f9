import type { MailStore } from '../mail/mail-store.js';
import type { Mailbox } from '../mail/mailbox.js';
import { canonicalName } from '../mail/mailbox-name.js';

/** How the ids of users' own mailboxes begin: `INBOX:ann@example.com`. */
const OWN = 'INBOX:';

/** A mailbox as the management API names it. */
export interface ShownMailbox {
  readonly id: string;
  /** Whose it is; absent for one that all share. */
  readonly user?: string;
  readonly mailbox: Mailbox;
}

/** The ids of all mailboxes: those that all share, and behind them those of users. */
export function mailboxIds(store: MailStore): readonly string[] {
  return [...store.names(), ...store.usersWithInbox().map((user) => OWN + user)];
}

/** The mailbox with an id; one that all share stands before one of a user with the same id. */
export function findMailbox(store: MailStore, id: string): ShownMailbox | undefined {
  const name = canonicalName(id);
  const shared = store.find(name);
  if (shared !== undefined) return { id: name, mailbox: shared };
  if (!id.startsWith(OWN)) return undefined;
  const user = id.slice(OWN.length);
  const own = store.knownInboxOf(user);
  return own && { id, user, mailbox: own };
}
