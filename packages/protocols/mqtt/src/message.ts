import { isUtf8 } from 'node:buffer';
import type { LazyCapture, Message, ValueOf } from '@backlot/core/plugin';
import type { CaptureMoment } from '@backlot/kit';
import type { CaptureSchema } from './schemas.js';
import type { Qos } from './wire/packet-type.js';
import { Properties, PROPERTY } from './wire/properties.js';

const NO_BYTES = Buffer.alloc(0);

type Captured = ValueOf<typeof CaptureSchema>;

/** What a client did: it published, connected or subscribed. */
export class MqttMessage implements Message, LazyCapture<Captured> {
  /** `DELIVER`: what an upstream has given to a client, for the journal alone; no mock answers it. */
  readonly method: 'PUBLISH' | 'CONNECT' | 'SUBSCRIBE' | 'DELIVER';
  /** The topic, the client id, or the filter. */
  readonly path: string;
  readonly remote: string;
  readonly clientId: string;
  readonly body?: Buffer;
  readonly payload: Buffer;
  readonly qos: Qos;
  readonly retain: boolean;
  readonly properties: Properties;
  /** When it was captured; it is both the message and what is captured of it, so that one is kept. */
  moment: CaptureMoment | undefined = undefined;
  #text: string | undefined;
  #id: string | undefined;

  constructor(
    method: MqttMessage['method'],
    path: string,
    from: { readonly remote: string; readonly clientId: string },
    more: {
      readonly payload?: Buffer;
      readonly qos?: Qos;
      readonly retain?: boolean;
      readonly properties?: Properties;
    } = {},
  ) {
    this.method = method;
    this.path = path;
    this.remote = from.remote;
    this.clientId = from.clientId;
    this.payload = more.payload ?? NO_BYTES;
    if (method === 'PUBLISH' || method === 'DELIVER') this.body = this.payload;
    this.qos = more.qos ?? 0;
    this.retain = more.retain === true;
    this.properties = more.properties ?? Properties.none;
  }

  /** The media type that MQTT 5 says it has. */
  get contentType(): string | undefined {
    return this.properties.text(PROPERTY.CONTENT_TYPE);
  }

  /** Where MQTT 5 says that its answer is wanted. */
  get responseTopic(): string | undefined {
    return this.properties.text(PROPERTY.RESPONSE_TOPIC);
  }

  /** The correlation data of MQTT 5 as text, in base64 when they are none. */
  get correlation(): string | undefined {
    const bytes = this.properties.binary(PROPERTY.CORRELATION_DATA);
    return bytes === undefined ? undefined : showBytes(bytes);
  }

  /**
   * The properties of MQTT 5 as people see them, when there are any: the user properties, those that came more than once as
   * lists, and behind them what no user property is called.
   */
  get headers(): Readonly<Record<string, string | readonly string[]>> | undefined {
    const { contentType, responseTopic, correlation } = this;
    const own = [
      ['content-type', contentType],
      ['response-topic', responseTopic],
      ['correlation-data', correlation],
    ] as const;
    const user = this.userProperties;
    if (own.every(([, value]) => value === undefined)) return user;
    const headers = Object.assign(Object.create(null) as Record<string, string | readonly string[]>, user);
    for (const [name, value] of own) if (value !== undefined) headers[name] ??= value;
    return headers;
  }

  /** The user properties of MQTT 5, when there are any; those that came more than once are lists. */
  get userProperties(): Readonly<Record<string, string | readonly string[]>> | undefined {
    const { user } = this.properties;
    if (user.length === 0) return undefined;
    const headers = Object.create(null) as Record<string, string | string[]>;
    for (const [name, value] of user) {
      const key = name.toLowerCase();
      const before = headers[key];
      if (before === undefined) headers[key] = value;
      else if (typeof before === 'string') headers[key] = [before, value];
      else before.push(value);
    }
    return headers;
  }

  /** The payload as text, wrong bytes replaced. */
  get text(): string {
    return (this.#text ??= this.payload.toString('utf8'));
  }

  get captureId(): string {
    return (this.#id ??= this.moment?.newId() ?? '');
  }

  capture(): Captured {
    const { path, payload, qos, retain, clientId } = this;
    const asText = isText(payload);
    // Not through `text`, which would be kept as long as the message: a list that is read would double what is stored.
    return {
      id: this.captureId,
      topic: path,
      payload: payload.toString(asText ? 'utf8' : 'base64'),
      payload_encoding: asText ? 'text' : 'base64',
      qos,
      retain,
      timestamp: this.moment?.timestamp ?? '',
      client_id: clientId,
      ...this.#capturedProperties(),
    };
  }

  #capturedProperties(): Partial<Captured> {
    const { contentType, responseTopic, correlation } = this;
    const values = Object.create(null) as Record<string, string[]>;
    for (const [name, value] of this.properties.user) (values[name] ??= []).push(value);
    return {
      ...(contentType === undefined ? {} : { content_type: contentType }),
      ...(responseTopic === undefined ? {} : { response_topic: responseTopic }),
      ...(correlation === undefined ? {} : { correlation_data: correlation }),
      ...(this.properties.user.length === 0 ? {} : { user_properties: values }),
    };
  }

  /** Bytes that it holds beside topic and payload. */
  get size(): number {
    return this.properties.carried.length + this.clientId.length;
  }

  /** What templates see beyond the common fields. */
  get extras(): Readonly<Record<string, unknown>> {
    const { properties } = this;
    const user = Object.create(null) as Record<string, string>;
    for (const [name, value] of properties.user) user[name] = value;
    return {
      topic: this.path,
      payload: this.text,
      qos: this.qos,
      retain: this.retain,
      client_id: this.clientId,
      content_type: this.contentType,
      response_topic: this.responseTopic,
      correlation_data: this.correlation,
      user_properties: user,
    };
  }
}

/** Whether bytes are text. */
export function isText(bytes: Buffer): boolean {
  return isUtf8(bytes);
}

/** Makes the message of a journal entry, or of one that somebody wrote: `{path, body}`. */
export function explainEntry(entry: Readonly<Record<string, unknown>>): MqttMessage {
  const { method, path, body, remote, body_encoding: encoding } = entry;
  const isKnown = method === 'CONNECT' || method === 'SUBSCRIBE';
  const payload = Buffer.from(
    typeof body === 'string' ? body : '',
    encoding === 'base64' ? 'base64' : 'utf8',
  );
  return new MqttMessage(
    isKnown ? method : 'PUBLISH',
    typeof path === 'string' ? path : '',
    { remote: typeof remote === 'string' ? remote : '', clientId: '' },
    { payload, properties: propertiesOf(entry['headers']) },
  );
}

function showBytes(bytes: Buffer): string {
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'base64');
}

/** The headers of an entry that are no user properties. */
const OWN: ReadonlyMap<string, number> = new Map([
  ['content-type', PROPERTY.CONTENT_TYPE],
  ['response-topic', PROPERTY.RESPONSE_TOPIC],
  ['correlation-data', PROPERTY.CORRELATION_DATA],
]);

/** The properties of an entry, which stand among its headers. */
function propertiesOf(headers: unknown): Properties {
  const properties = new Properties();
  for (const [name, values] of Object.entries(Object(headers) as object))
    for (const value of [values].flat()) {
      if (typeof value !== 'string') continue;
      const id = OWN.get(name);
      if (id === undefined) properties.user.push([name, value]);
      else if (properties.text(id) === undefined && properties.binary(id) === undefined)
        properties.set(id, id === PROPERTY.CORRELATION_DATA ? Buffer.from(value) : value);
    }
  return properties;
}
