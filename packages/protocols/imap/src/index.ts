import type { Protocol } from '@backlot/core/plugin';
import { imap as declared } from './plugin.js';
import type { ImapTypes } from './types.generated.js';

export type { ImapConfig, ImapFault, ImapMessage, ImapMock, ImapTypes, ImapUser } from './types.generated.js';

/** IMAP4rev1, with mailboxes that mocks fill. */
export const imap = declared as Protocol as Protocol<ImapTypes>;
