import { MailContent, withLineEnds } from './content.js';
import type { NewMail } from './mailbox.js';

/**
 * Makes a message of what another kind has captured: its `body` is the whole message.
 *
 * @param now - when it has arrived, unless `received_at` says so
 * @returns `undefined` when it holds no message
 */
export function readCapturedMail(value: unknown, now: number): NewMail | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const {
    id,
    body,
    body_encoding: encoding,
    received_at: receivedAt,
  } = value as Readonly<Record<string, unknown>>;
  if (typeof body !== 'string') return undefined;
  const text = encoding === 'base64' ? Buffer.from(body, 'base64').toString('latin1') : body;
  const received = typeof receivedAt === 'string' ? Date.parse(receivedAt) : Number.NaN;
  return {
    content: new MailContent(
      Buffer.from(withLineEnds(text.replaceAll('\0', '')), encoding === 'base64' ? 'latin1' : 'utf8'),
    ),
    date: Number.isNaN(received) ? now : received,
    flags: [],
    isRecent: true,
    origin: 'capture',
    key: String(id),
  };
}
