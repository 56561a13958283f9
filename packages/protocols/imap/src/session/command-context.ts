import type { Context } from '@backlot/core/plugin';
import type { Connection, Logins } from '@backlot/kit';
import type { UserMail } from '../mail/user-mail.js';
import type { Mailbox } from '../mail/mailbox.js';
import type { ImapShape } from '../shape.js';
import type { Done, Job } from './job.js';
import type { Placed } from './placed.js';
import type { Selected } from './selected.js';

/** What a command may see and do: the session that it was given in. */
export interface CommandContext {
  /** The client's connection. */
  readonly connection: Connection;
  /** What core gives the service: configuration, clock, exchanges. */
  readonly context: Context<ImapShape>;
  /** The mailboxes as who has logged in sees them. */
  readonly store: UserMail;
  /** Whether STARTTLS is configured. */
  readonly hasStartTls: boolean;
  /** Tells right logins from wrong ones. */
  readonly logins: Logins;
  /** Whether somebody has logged in. */
  readonly isLoggedIn: boolean;
  /** The selected mailbox, as this client knows it; `undefined` while none is selected. */
  readonly selected: Selected | undefined;
  /** Takes the next line in place of a command: the client was asked for it. */
  onLine: ((line: string) => void) | undefined;
  /** While it is set, changes of the selected mailbox are sent at once. */
  isIdling: boolean;
  /** Sends latin1 text; `false` when the client has to read first. */
  send(text: string): boolean;
  /** Goes on with a login in the space that it names; see {@link Placed}. */
  readonly logInAs: Placed['logInAs'];
  /** Somebody has logged in. */
  login(user: string): void;
  /** Selects a mailbox in place of the one before. */
  select(mailbox: Mailbox, isReadOnly: boolean): Selected;
  /** Selects none. */
  unselect(): void;
  /** Tells an idling client what has changed in its mailbox. */
  pushChanges(): void;
  /** Ends a command that answers later: one whose `perform` gave `undefined`. */
  complete(job: Job, done: Done): void;
  /**
   * The same for what may end still later, or be refused.
   *
   * @param act - as `perform` of a command
   */
  attempt(job: Job, act: () => Done | undefined | Promise<Done | undefined>): void;
  /** Says goodbye, and ends the connection. */
  bye(text: string): void;
}
