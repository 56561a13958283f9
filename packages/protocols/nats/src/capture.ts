import type { ValueOf } from '@backlot/core/plugin';
import type { NatsMessage } from './nats-message.js';
import type { CaptureSchema } from './schemas.js';

type Captured = ValueOf<typeof CaptureSchema>;

/** What a captured message costs beside its texts and bytes, roughly. */
const RECORD_BYTES = 400;

/** Makes the form in which published messages are stored. */
export class Recorder {
  // Messages come many to the millisecond, and a date costs as much as the rest of a message.
  #now = Number.NaN;
  #timestamp = '';

  /** The message as it is stored. */
  record(message: NatsMessage, id: string, now: number): Captured {
    const { path, reply, body, headers, isText } = message;
    const timestamp = this.#timestampOf(now);
    if (typeof body === 'string' && reply === '' && headers === undefined) {
      return { id, subject: path, payload: body, timestamp };
    }
    const captured: Captured = {
      id,
      subject: path,
      ...(reply === '' ? {} : { reply }),
      payload: '',
      ...(isText ? {} : { payload_encoding: 'base64' }),
      ...(headers === undefined ? {} : { headers: message.sentHeaders as NonNullable<Captured['headers']> }),
      timestamp,
    };
    if (typeof body === 'string') return Object.assign(captured, { payload: body });
    const decode = (): string => (isText ? message.text : body.toString('base64'));
    return Object.defineProperty(captured, 'payload', { get: decode, enumerable: true });
  }

  #timestampOf(now: number): string {
    const millisecond = Math.floor(now);
    if (millisecond !== this.#now) {
      this.#now = millisecond;
      this.#timestamp = new Date(millisecond).toISOString();
    }
    return this.#timestamp;
  }
}

/** What the stored message holds in memory, in bytes, roughly. */
export function recordBytes(message: NatsMessage): number {
  return RECORD_BYTES + 2 * message.path.length + message.size + message.body.length;
}
