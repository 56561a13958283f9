import type { StoredCapture } from '@backlot/core/plugin';
import { isGivenMail, type GivenMail } from '@backlot/kit';
import { MailContent } from './content.js';
import type { NewMail } from './mailbox.js';

/** A message of what another kind has captured: the mail that it gives, or what it shows. */
export function mailOfCapture(item: StoredCapture, now: number): NewMail | undefined {
  const { given } = item;
  return isGivenMail(given) ? givenMail(given) : readCapturedMail(item.read(), now);
}

/** A message of a mail that another kind gives, which is not shown for it: that may take long. */
export function givenMail({ id, raw, receivedAt }: GivenMail): NewMail {
  return {
    // Line ends are made what they are to be when somebody looks: that takes a while with a long mail.
    content: new MailContent(raw, true),
    date: receivedAt,
    flags: [],
    isRecent: true,
    origin: 'capture',
    key: id,
  };
}

/**
 * Makes a message of what another kind has captured: its `body` is the whole message.
 *
 * @param now - when it has arrived, unless `received_at` says so
 * @returns `undefined` when it holds no message
 */
function readCapturedMail(value: unknown, now: number): NewMail | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const {
    id,
    body,
    body_encoding: encoding,
    received_at: receivedAt,
  } = value as Readonly<Record<string, unknown>>;
  if (typeof body !== 'string') return undefined;
  const bytes = Buffer.from(body, encoding === 'base64' ? 'base64' : 'utf8');
  const received = typeof receivedAt === 'string' ? Date.parse(receivedAt) : Number.NaN;
  return {
    content: new MailContent(bytes, true),
    date: Number.isNaN(received) ? now : received,
    flags: [],
    isRecent: true,
    origin: 'capture',
    key: String(id),
  };
}
