import type { Imported, Json } from '@backlot/core/plugin';
import { textOf, withoutAbsent, type Tree } from '@backlot/contracts';
import { literal, literalJson } from '../shared/literal.js';
import type { CloudEvent } from './event.js';

/** How a kind carries events, by the binding that CloudEvents has for its protocol. */
export interface Carrier {
  readonly kind: string;
  /** Where events of a type go; `undefined` when the protocol can have no such name. */
  address(type: string): string | undefined;
  /** What `POST /api/emit/<kind>` takes for an event, with templates. */
  emit(event: CloudEvent, address: string): Tree;
  /** The block of the kind, with what has to be there for the addresses. */
  block(addresses: readonly string[]): {
    readonly block: Json;
    readonly data?: NonNullable<Imported['data']>[string];
  };
}

const STRUCTURED = 'application/cloudevents+json; charset=UTF-8';

/** What carries events. */
export const CARRIERS: readonly Carrier[] = [
  {
    kind: 'kafka',
    address: (type) => (/^[\w.-]{1,249}$/.test(type) && !/^\.\.?$/.test(type) ? type : undefined),
    emit: (event, topic) => ({
      topic,
      ...keyOf(event),
      ...contentOf(event, 'value'),
      headers: headersOf(event, 'content-type', 'ce_'),
    }),
    block: (addresses) => {
      const topics = addresses.map((name) => ({ name }));
      return { block: { topics, mocks: [] }, data: { topics: { section: 'topics', entries: topics } } };
    },
  },
  {
    kind: 'nats',
    address: (type) =>
      type.length <= 500 && type.split('.').every((word) => /^[^\s*>]+$/.test(word)) && !type.startsWith('$')
        ? type
        : undefined,
    emit: (event, subject) => ({
      subject,
      ...contentOf(event, 'payload'),
      headers: headersOf(event, 'content-type', 'ce-'),
    }),
    block: () => ({ block: { mocks: [] } }),
  },
  {
    kind: 'mqtt',
    address: (type) =>
      type.length <= 1000 && !/[+#\0]/.test(type) && !type.startsWith('$') ? type : undefined,
    emit: (event, topic) => {
      const { content } = event;
      const names = content.mode === 'binary' ? content.attributes : {};
      return withoutAbsent({
        topic,
        ...contentOf(event, 'payload'),
        content_type: typeOf(event),
        user_properties: literalJson(names),
      });
    },
    block: () => ({ block: { mocks: [] } }),
  },
  {
    kind: 'amqp',
    address: (type) => (Buffer.byteLength(type) <= 255 ? type : undefined),
    emit: (event, key) => {
      const { content } = event;
      const attributes = content.mode === 'binary' ? Object.entries(content.attributes) : [];
      const headers = Object.fromEntries(
        attributes.map(([name, value]) => [`cloudEvents:${name}`, literal(value)]),
      );
      return {
        exchange: '',
        routing_key: key,
        ...contentOf(event, 'body'),
        properties: withoutAbsent({
          content_type: typeOf(event),
          headers: attributes.length === 0 ? undefined : headers,
        }),
      };
    },
    block: (addresses) => {
      const queues = addresses.map((name) => ({ name }));
      return { block: { queues, mocks: [] }, data: { queues: { section: 'queues', entries: queues } } };
    },
  },
];

function typeOf({ content }: CloudEvent): string | undefined {
  const type = content.mode === 'structured' ? STRUCTURED : content.contentType;
  return type === undefined ? undefined : literal(type);
}

function headersOf(event: CloudEvent, typeName: string, prefix: string): Tree {
  const { content } = event;
  const attributes = content.mode === 'binary' ? Object.entries(content.attributes) : [];
  return withoutAbsent({
    [typeName]: typeOf(event),
    ...Object.fromEntries(attributes.map(([name, value]) => [`${prefix}${name}`, literal(plain(value))])),
  });
}

/** Values of headers are on one line. */
function plain(value: string): string {
  return value.replaceAll(/[\r\n\0]+/g, ' ');
}

function contentOf({ content }: CloudEvent, field: string): Tree {
  if (content.mode === 'structured') return { json: literalJson(content.event) };
  return 'json' in content.data
    ? { json: literalJson(content.data.json) }
    : { [field]: literal(content.data.text) };
}

/** The extension `partitionkey` is the key of a record. */
function keyOf({ content }: CloudEvent): Tree {
  const key =
    content.mode === 'structured'
      ? textOf(content.event['partitionkey'])
      : content.attributes['partitionkey'];
  return key === undefined ? {} : { key: literal(key) };
}
