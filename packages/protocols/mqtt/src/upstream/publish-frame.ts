import { ByteReader } from '@backlot/kit/framing';
import { encodePublish } from '../wire/encode.js';
import { encodeText } from '../wire/encode-properties.js';
import type { Qos, Version } from '../wire/packet-type.js';
import { PACKET } from '../wire/packet-type.js';
import { Properties, PROPERTY, readProperties } from '../wire/properties.js';
import { readText } from '../wire/text.js';

/** What a PUBLISH may have, whoever sends it. */
export const ALLOWED: ReadonlySet<number> = new Set([
  PROPERTY.PAYLOAD_FORMAT,
  PROPERTY.MESSAGE_EXPIRY,
  PROPERTY.CONTENT_TYPE,
  PROPERTY.RESPONSE_TOPIC,
  PROPERTY.CORRELATION_DATA,
  PROPERTY.SUBSCRIPTION_IDENTIFIER,
  PROPERTY.TOPIC_ALIAS,
  PROPERTY.USER_PROPERTY,
]);
const DUP = 0x08;
const RETAIN = 0x01;

/** A PUBLISH on its way, in either direction. */
export interface PublishFrame {
  readonly first: number;
  /** As it stands there: empty where an alias is in its place. */
  readonly sentTopic: string;
  readonly topic: string;
  readonly qos: Qos;
  readonly retain: boolean;
  /** 0 with QoS 0. */
  readonly id: number;
  readonly properties: Properties;
  /** Those as bytes; absent before MQTT 5. */
  readonly propertyBytes: Buffer | undefined;
  readonly payload: Buffer;
}

/**
 * Reads a PUBLISH.
 *
 * @param aliases - the topics of the direction by their aliases, which are kept there
 * @throws Error for what is none
 */
export function readPublish(frame: Buffer, version: Version, aliases: Map<number, string>): PublishFrame {
  const first = frame[0] ?? 0;
  const reader = new ByteReader(frame, 1);
  reader.varint(4);
  const qos = ((first >> 1) & 3) as Qos;
  const sentTopic = readText(reader, 'topic');
  const id = qos === 0 ? 0 : reader.u16();
  const start = reader.position;
  const properties =
    version === 5 ? readProperties(reader, ALLOWED, PROPERTY.SUBSCRIPTION_IDENTIFIER) : Properties.none;
  const propertyBytes = version === 5 ? withoutLength(frame.subarray(start, reader.position)) : undefined;
  const alias = properties.number(PROPERTY.TOPIC_ALIAS);
  if (alias !== undefined && sentTopic !== '') aliases.set(alias, sentTopic);
  const topic = sentTopic === '' ? aliases.get(alias ?? 0) : sentTopic;
  if (topic === undefined)
    throw new Error(`a PUBLISH has the alias ${alias ?? 0}, which stands for no topic`);
  const retain = (first & RETAIN) !== 0;
  return { first, sentTopic, topic, qos, retain, id, properties, propertyBytes, payload: reader.rest() };
}

/** Writes a PUBLISH that has the place of another one, whose quality of service and identifier it keeps. */
export function writePublish(
  { first, id, qos }: Pick<PublishFrame, 'first' | 'id' | 'qos'>,
  topic: string,
  retain: boolean,
  propertyBytes: Buffer | undefined,
  payload: Uint8Array,
): Buffer {
  const flags = (first & ~(DUP | RETAIN)) | (retain ? RETAIN : 0);
  const name = encodeText(topic);
  const head = qos === 0 ? name : Buffer.concat([name, Buffer.from([id >> 8, id & 0xff])]);
  return encodePublish(flags, head, propertyBytes, Buffer.from(payload));
}

/** The first byte of a PUBLISH of QoS 0. */
export const PUBLISH_ONCE = { first: PACKET.PUBLISH << 4, id: 0, qos: 0 } as const;

function withoutLength(bytes: Buffer): Buffer {
  const reader = new ByteReader(bytes);
  reader.varint(4);
  return reader.rest();
}
