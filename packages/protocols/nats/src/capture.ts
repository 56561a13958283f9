import type { ValueOf } from '@backlot/core/plugin';
import type { NatsMessage } from './message.js';
import type { CaptureSchema } from './schemas.js';

/** A captured message as people see it. */
export type Captured = ValueOf<typeof CaptureSchema>;

/** What a captured message costs beside its texts and bytes, roughly. */
const RECORD_BYTES = 200;

/** Makes the form in which a captured message is read. */
export function captureMessage(message: NatsMessage, id: string, timestamp: string): Captured {
  const { path, reply, body, headers, isText } = message;
  // Not through `text`, which would be kept as long as the message: a list that is read would double what is stored.
  const payload = typeof body === 'string' ? body : body.toString(isText ? 'utf8' : 'base64');
  return {
    id,
    subject: path,
    ...(reply === '' ? {} : { reply }),
    payload,
    ...(isText ? {} : { payload_encoding: 'base64' }),
    ...(headers === undefined ? {} : { headers: message.sentHeaders as NonNullable<Captured['headers']> }),
    timestamp,
  };
}

/** What the stored message holds in memory, in bytes, roughly. */
export function captureBytes(message: NatsMessage): number {
  return RECORD_BYTES + 2 * message.path.length + message.size + message.body.length;
}
