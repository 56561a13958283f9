import type { Message } from '@backlot/core/plugin';

/** A command, as the journal and templates see it: `method` is the command, `path` the mailbox. */
export type ImapMessage = Message;
