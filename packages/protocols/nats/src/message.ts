import { isUtf8 } from 'node:buffer';
import type { LazyCapture, Message } from '@backlot/core/plugin';
import type { CaptureMoment } from '@backlot/kit';
import { captureMessage, type Captured } from './capture.js';
import { PublishedBytes, type Published } from './published.js';
import { lowerNames, parseHeaders, type HeaderMap } from './wire/headers.js';
import { fromWire } from './wire/subject.js';

/** A payload that is part of so much more memory is copied before it is kept. */
const SPARE_BYTES = 16 * 1024;
/** A longer payload is kept as bytes, and read as text only when somebody asks. */
const SHORT = 16 * 1024;
const NO_HEADERS: HeaderMap = Object.freeze({});

/** Chooses, once per message and queue group, whether a mock or a client is the member that gets it. */
export interface QueueChoice {
  isForMock(group: string): boolean;
}

/** A published message, as matchers, templates and the journal see it. */
export class NatsMessage implements Message, LazyCapture<Captured> {
  /** The subject. */
  readonly path: string;
  /** The subject that answers go to; empty when there is none. */
  readonly reply: string;
  readonly remote: string;
  /** The payload: a text where it is a short one, which costs less to keep than bytes. */
  readonly body: string | Buffer;
  /** Whether the payload is UTF-8. */
  readonly isText: boolean;
  /** Names in lower case; absent for a message without headers. */
  declare readonly headers?: HeaderMap;
  /** Names in the case they were sent in. */
  readonly sentHeaders: HeaderMap;
  readonly size: number;
  readonly #queues: QueueChoice | undefined;
  #text: string | undefined;
  /** When and under what id it was captured; it is both the message and what is captured of it, so that one is kept. */
  moment: CaptureMoment | undefined = undefined;
  #id: string | undefined;

  /** @param queues - the member of each queue group that gets it; when absent, a mock gets it in each group that has one */
  constructor(published: Published, remote: string, queues?: QueueChoice) {
    const { subject, reply, headerBytes, size } = published;
    this.path = fromWire(subject);
    this.reply = reply === '' ? '' : fromWire(reply);
    this.remote = remote;
    const text = size <= SHORT ? published.readText() : undefined;
    this.isText = text !== undefined || (size > SHORT && isUtf8(published.payload));
    this.body = text ?? keepable(published.payload);
    this.sentHeaders = headerBytes === undefined ? NO_HEADERS : parseHeaders(headerBytes);
    this.size = reply.length + (headerBytes?.length ?? 0);
    this.#queues = queues;
    if (headerBytes !== undefined) this.headers = lowerNames(this.sentHeaders);
  }

  get method(): 'PUB' | 'MSG' {
    return 'PUB';
  }

  get captureId(): string {
    return (this.#id ??= this.moment?.newId() ?? '');
  }

  capture(): Captured {
    return captureMessage(this, this.captureId, this.moment?.timestamp ?? '');
  }

  /** Whether the member of this queue group that gets the message is a mock. */
  isForQueue(group: string): boolean {
    return this.#queues === undefined || this.#queues.isForMock(group);
  }

  /** The payload read as UTF-8. */
  get text(): string {
    const { body } = this;
    return typeof body === 'string' ? body : (this.#text ??= body.toString('utf8'));
  }

  /** What templates see beyond the common fields. */
  get extras(): Readonly<Record<string, unknown>> {
    return { subject: this.path, reply: this.reply === '' ? undefined : this.reply };
  }
}

/** A message that an upstream has delivered to a client, for the journal alone: no mock answers it. */
export class DeliveredMessage extends NatsMessage {
  override get method(): 'MSG' {
    return 'MSG';
  }
}

/** Makes the message of a journal entry, or of one that somebody wrote: `{path, body, body_encoding, headers}`. */
export function explainEntry(entry: Readonly<Record<string, unknown>>): NatsMessage {
  const { path, body, body_encoding: encoding, headers, remote } = entry;
  const message = new NatsMessage(
    new PublishedBytes(
      '',
      '',
      undefined,
      Buffer.from(typeof body === 'string' ? body : '', encoding === 'base64' ? 'base64' : 'utf8'),
    ),
    typeof remote === 'string' ? remote : '',
  );
  const given = typeof headers === 'object' && headers !== null ? lowerNames(textValues(headers)) : undefined;
  return Object.assign(message, {
    path: typeof path === 'string' ? path : '',
    ...(given === undefined ? {} : { headers: given }),
  });
}

function textValues(headers: object): HeaderMap {
  const values = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of Object.entries(headers)) {
    values[name] = Array.isArray(value) ? value.map(String) : String(value);
  }
  return values;
}

/** The same bytes, not holding on to a much larger buffer that they were received in. */
export function keepable(bytes: Buffer): Buffer {
  return bytes.buffer.byteLength > 2 * bytes.length + SPARE_BYTES ? Buffer.from(bytes) : bytes;
}
