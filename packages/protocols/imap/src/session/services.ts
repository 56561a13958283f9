import type { Context } from '@backlot/core/plugin';
import type { Logins } from '@backlot/kit';
import type { MailStore } from '../mail/mail-store.js';
import type { ImapShape } from '../shape.js';

/** What all sessions share. */
export interface Services {
  readonly context: Context<ImapShape>;
  readonly store: MailStore;
  readonly hasStartTls: boolean;
  readonly logins: Logins;
}
