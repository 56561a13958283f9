import type { JournalEntry } from '../contract/journal.js';
import type { Message } from '../contract/message.js';
import type { Protocol } from '../contract/protocol.js';
import type { WebhookAttempt } from '../contract/webhook.js';
import { explainedEntry } from '../host/explained-entry.js';
import { messageOf } from '../host/explain-message.js';

/** Something that has happened, as templates see it: `request` is its message. */
export interface Happening {
  readonly message: Message;
  readonly params: Readonly<Record<string, string>>;
  /** The id of its log entry, when it has one. */
  readonly logId?: string;
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});

/** A message that was received. */
export function received(protocol: Protocol, entry: JournalEntry): Happening {
  const message = messageOf(protocol, explainedEntry(protocol, entry));
  return { message, params: entry.path_params ?? NO_PARAMS, logId: entry.id };
}

/** A key of the state that has a new value, or none any more. */
export function stateSet(key: string, value: string | undefined): Happening {
  return happening('STATE', key, { key, value }, value);
}

/** The fault of a kind that is set or cleared. */
export function faultSet(kind: string, isSet: boolean): Happening {
  return happening('FAULT', kind, { protocol: kind, set: isSet });
}

/** A connection that is opened or closed. */
export function connected(kind: string, event: 'opened' | 'closed', remote: string): Happening {
  return happening(event.toUpperCase(), kind, { protocol: kind, event, client: remote });
}

/** An attempt to send a webhook that has ended. */
export function webhookEnded(attempt: WebhookAttempt): Happening {
  return happening(attempt.method, attempt.url, { ...attempt }, attempt.request_body);
}

/** A time that has come. */
export function timeCome(now: number): Happening {
  const time = new Date(now).toISOString();
  return happening('TIME', time, { time });
}

function happening(
  method: string,
  path: string,
  extras: Readonly<Record<string, unknown>>,
  body?: string,
): Happening {
  const message = { method, path, remote: '', extras, ...(body === undefined ? {} : { body }) };
  return { message, params: NO_PARAMS };
}
