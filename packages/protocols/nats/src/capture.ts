import type { ValueOf } from '@backlot/core/plugin';
import type { NatsMessage } from './nats-message.js';
import type { CaptureSchema } from './schemas.js';

/** A captured message as people see it. */
export type Captured = ValueOf<typeof CaptureSchema>;

/** What a captured message costs beside its texts and bytes, roughly. */
const RECORD_BYTES = 200;

/** A millisecond in which messages were captured; all of them share it. */
export interface Moment {
  readonly timestamp: string;
  newId(): string;
}

/** Gives the moment of a time. Messages come many to the millisecond, and a date costs as much as the rest of a message. */
export class Moments {
  readonly #newId: () => string;
  #millisecond = Number.NaN;
  #moment: Moment | undefined;

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** @param time - milliseconds since 1970 */
  at(time: number): Moment {
    const millisecond = Math.floor(time);
    if (this.#moment === undefined || millisecond !== this.#millisecond) {
      this.#millisecond = millisecond;
      this.#moment = { timestamp: new Date(millisecond).toISOString(), newId: this.#newId };
    }
    return this.#moment;
  }
}

/** Makes the form in which a captured message is read. */
export function captureMessage(message: NatsMessage, id: string, timestamp: string): Captured {
  const { path, reply, body, headers, isText } = message;
  const payload = typeof body === 'string' ? body : isText ? message.text : body.toString('base64');
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
