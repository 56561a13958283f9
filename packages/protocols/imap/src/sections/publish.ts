import { BacklotError, invalid, type Json } from '@backlot/core/plugin';
import { composeMail } from '@backlot/kit';
import { formatMailDate } from '../wire/dates.js';
import { MailContent } from '../mail/content.js';
import { normaliseFlag, uniqueFlags } from '../mail/flags.js';
import { canonicalName } from '../mail/mailbox-name.js';
import { checkRoom } from '../session/check-room.js';
import type { Services } from '../session/services.js';
import { Refusal } from '../wire/bad-command.js';

interface Given {
  readonly mailbox?: string;
  readonly user?: string;
  readonly raw?: string;
  readonly from?: string;
  readonly to?: readonly string[];
  readonly subject?: string;
  readonly body?: string;
  readonly json?: unknown;
  readonly flags?: readonly string[];
}

/** Puts a message into a mailbox. */
export function publish({ store: mail, context }: Services, message: Json): Json {
  const given = message as Given;
  const name = canonicalName(given.mailbox ?? 'INBOX');
  const store = mail.seenBy(given.user ?? '');
  const mailbox = given.user === undefined ? mail.find(name) : store.find(name);
  if (mailbox === undefined) throw new BacklotError('not_found', `no mailbox ${JSON.stringify(name)}`);
  const now = context.clock.now();
  const raw = rawOf(given, () => `${context.newId()}@backlot`, now);
  const flags = readFlags(given.flags ?? []);
  try {
    checkRoom(store, 1, raw.length, mailbox);
  } catch (thrown) {
    throw thrown instanceof Refusal ? new BacklotError('too_large', thrown.message) : thrown;
  }
  if (!mailbox.admits(flags)) throw invalid('a mailbox cannot have that many flags');
  mailbox.isTouched = true;
  const content = new MailContent(raw, true);
  const [added] = mailbox.add([{ content, date: now, flags, isRecent: true, origin: 'client', key: '' }]);
  mail.watchers.notify(name);
  return { mailbox: name, uid: added?.uid ?? 0 };
}

function rawOf(
  { raw, from, to = [], subject, body = '', json }: Given,
  newId: () => string,
  now: number,
): Buffer {
  const isJson = json !== undefined;
  if (raw === undefined) {
    if (isJson && body !== '') {
      const message = 'json stands in place of body: leave one of them out';
      throw invalid(message, [{ path: '/json', message }]);
    }
    const text = isJson ? JSON.stringify(json) : body;
    const date = formatMailDate(now);
    return composeMail({ from, to, subject, body: text, isJson, date, messageId: newId() });
  }
  if (from !== undefined || to.length > 0 || subject !== undefined || body !== '' || isJson) {
    const message = 'raw is the whole message: leave out from, to, subject, body and json';
    throw invalid(message, [{ path: '/raw', message }]);
  }
  return Buffer.from(raw);
}

function readFlags(given: readonly string[]): readonly string[] {
  return uniqueFlags(
    given.map((flag, index) => {
      const known = normaliseFlag(flag);
      if (known !== undefined) return known;
      const message = `${JSON.stringify(flag)} is no flag that a message can have: \\Seen, \\Answered, \\Flagged, \\Deleted, \\Draft, or a keyword`;
      throw invalid(message, [{ path: `/flags/${index}`, message }]);
    }),
  );
}
