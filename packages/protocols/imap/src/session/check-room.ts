import type { Mailbox } from '../mail/mailbox.js';
import type { UserMail } from '../mail/user-mail.js';
import { Refusal } from '../wire/bad-command.js';

const MAX_BYTES = 256 * 1024 * 1024;
const MAX_MESSAGES = 200_000;
const HIGHEST_UID = 0xffff_fffe;

/** Whether clients may add so much. @throws Refusal */
export function checkRoom(store: UserMail, messages: number, bytes: number, mailbox: Mailbox): void {
  const used = store.measure();
  if (used.bytes + bytes > MAX_BYTES) throw new Refusal('[OVERQUOTA] clients have stored too many bytes');
  if (used.messages + messages > MAX_MESSAGES) {
    throw new Refusal('[OVERQUOTA] clients have stored too many messages');
  }
  if (mailbox.nextUid + messages > HIGHEST_UID) throw new Refusal('[LIMIT] the mailbox has no UIDs left');
}
