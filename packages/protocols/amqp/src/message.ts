import { isUtf8 } from 'node:buffer';
import type { LazyCapture, Message, ValueOf } from '@backlot/core/plugin';
import type { CaptureMoment } from '@backlot/kit';
import { viewBody } from '@backlot/kit/http';
import type { CaptureSchema } from './schemas.js';
import { fieldToJson, tableToJson } from './wire/field-json.js';
import type { Properties } from './wire/properties.js';

const EMPTY: Readonly<Record<string, unknown>> = Object.freeze(
  Object.create(null) as Record<string, unknown>,
);

type Headers = Readonly<Record<string, string | readonly string[]>>;
type Captured = ValueOf<typeof CaptureSchema>;

/** A published message, as matchers, templates and the journal see it. */
export class AmqpMessage implements Message, LazyCapture<Captured> {
  readonly method: 'PUBLISH' | 'DELIVER' = 'PUBLISH';
  /** The routing key. */
  readonly path: string;
  readonly remote: string;
  readonly body: Buffer;
  readonly exchange: string;
  readonly properties: Properties;
  /** The queues it is routed to. */
  readonly queues: readonly string[];
  readonly size: number;
  /** When it was captured; it is both the message and what is captured of it, so that one is kept. */
  moment: CaptureMoment | undefined = undefined;
  #id: string | undefined;
  #text: string | undefined;
  #json: Readonly<Record<string, unknown>> | undefined;
  #headers: Headers | undefined;

  constructor(
    exchange: string,
    routingKey: string,
    properties: Properties,
    body: Buffer,
    queues: readonly string[],
    remote: string,
    size = 0,
    headers?: Headers,
  ) {
    this.exchange = exchange;
    this.path = routingKey;
    this.properties = properties;
    this.body = body;
    this.queues = queues;
    this.remote = remote;
    this.size = size;
    this.#headers = headers;
  }

  /** The body as text. */
  get text(): string {
    return (this.#text ??= this.body.toString('utf8'));
  }

  get captureId(): string {
    return (this.#id ??= this.moment?.newId() ?? '');
  }

  capture(): Captured {
    const isText = isUtf8(this.body);
    // Not through `text`, which would be kept as long as the message: a list that is read would double what is stored.
    return {
      id: this.captureId,
      exchange: this.exchange,
      routing_key: this.path,
      body: this.body.toString(isText ? 'utf8' : 'base64'),
      ...(isText ? {} : { body_encoding: 'base64' as const }),
      properties: this.propertiesJson,
      timestamp: this.moment?.timestamp ?? '',
    };
  }

  /** The properties as JSON, under the protocol's names. */
  get propertiesJson(): Readonly<Record<string, unknown>> {
    return (this.#json ??= propertiesToJson(this.properties));
  }

  /** What the journal shows beside routing key and body: exchange, queues, properties, and the message's own headers. */
  get headers(): Headers {
    if (this.#headers !== undefined) return this.#headers;
    const shown = Object.create(null) as Record<string, string | readonly string[]>;
    for (const [name, value] of this.properties.headers ?? []) {
      shown[name.toLowerCase()] = asText(fieldToJson(value));
    }
    for (const [name, value] of Object.entries(this.properties)) {
      if (name !== 'headers') shown[name] = asText(value);
    }
    shown['exchange'] = this.exchange;
    if (this.queues.length > 0) shown['queue'] = this.queues;
    return shown;
  }

  /** The same, made once for all mocks that look at them. */
  get keptHeaders(): Headers {
    return (this.#headers ??= this.headers);
  }

  /** What templates see beyond the common fields. */
  get extras(): Readonly<Record<string, unknown>> {
    return Object.assign(viewBody(this.contentType, this.body), {
      exchange: this.exchange,
      routing_key: this.path,
      queues: this.queues,
      properties: this.propertiesJson,
    });
  }

  get contentType(): string | undefined {
    return this.properties.content_type;
  }
}

/** A message that an upstream has given to a client, for the journal alone: no mock answers it. */
export class DeliveredMessage extends AmqpMessage {
  override readonly method = 'DELIVER';
}

function propertiesToJson(properties: Properties): Readonly<Record<string, unknown>> {
  const entries = Object.entries(properties);
  if (entries.length === 0) return EMPTY;
  const { headers } = properties;
  return { ...properties, ...(headers === undefined ? {} : { headers: tableToJson(headers) }) };
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Makes the message of a journal entry, or of one that somebody wrote: `{path, headers, body, body_encoding}`. */
export function explainEntry(entry: Readonly<Record<string, unknown>>): AmqpMessage {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const headers = Object(entry['headers'] ?? {}) as Readonly<Record<string, unknown>>;
  const queue = headers['queue'];
  const queues = Array.isArray(queue) ? queue.map(String) : queue === undefined ? [] : [text(queue)];
  const encoding = entry['body_encoding'] === 'base64' ? 'base64' : 'utf8';
  return new AmqpMessage(
    text(headers['exchange']),
    text(entry['path']),
    {},
    Buffer.from(text(entry['body']), encoding),
    queues,
    text(entry['remote']),
    0,
    lowerCased(headers),
  );
}

/** The headers of an entry as a message has them. */
function lowerCased(given: Readonly<Record<string, unknown>>): Headers {
  const headers = Object.create(null) as Record<string, string | readonly string[]>;
  for (const [name, value] of Object.entries(given))
    headers[name.toLowerCase()] = Array.isArray(value) ? value.map(String) : asText(value);
  return headers;
}
