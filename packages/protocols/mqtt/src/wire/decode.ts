import { ByteReader } from '@backlot/kit/framing';
import { decodeConnect } from './decode-connect.js';
import { PACKET, type Qos, type Version } from './packet-type.js';
import type { AckPacket, ClientPacket, PublishPacket, SubscribePacket, Subscription } from './packets.js';
import { Properties, PROPERTY, readProperties } from './properties.js';
import { ProtocolError, REASON } from './protocol-error.js';
import { checkResponseTopic } from './response-topic.js';
import { readText } from './text.js';
import { topicProblem } from './topic.js';

const PUBLISH_PROPERTIES: ReadonlySet<number> = new Set([
  PROPERTY.PAYLOAD_FORMAT,
  PROPERTY.MESSAGE_EXPIRY,
  PROPERTY.CONTENT_TYPE,
  PROPERTY.RESPONSE_TOPIC,
  PROPERTY.CORRELATION_DATA,
  PROPERTY.TOPIC_ALIAS,
  PROPERTY.USER_PROPERTY,
]);
const ACK_PROPERTIES: ReadonlySet<number> = new Set([PROPERTY.REASON_STRING, PROPERTY.USER_PROPERTY]);
const SUBSCRIBE_PROPERTIES: ReadonlySet<number> = new Set([
  PROPERTY.SUBSCRIPTION_IDENTIFIER,
  PROPERTY.USER_PROPERTY,
]);
const UNSUBSCRIBE_PROPERTIES: ReadonlySet<number> = new Set([PROPERTY.USER_PROPERTY]);
const DISCONNECT_PROPERTIES: ReadonlySet<number> = new Set([
  PROPERTY.SESSION_EXPIRY,
  PROPERTY.REASON_STRING,
  PROPERTY.USER_PROPERTY,
]);

/** Most filters of one packet. */
const MAX_FILTERS = 10_000;

/** The flags that a packet must have, where it has no choice (MQTT 5, section 2.1.3). */
const FIXED_FLAGS: ReadonlyMap<number, number> = new Map([
  [PACKET.CONNECT, 0],
  [PACKET.PUBACK, 0],
  [PACKET.PUBREC, 0],
  [PACKET.PUBREL, 2],
  [PACKET.PUBCOMP, 0],
  [PACKET.SUBSCRIBE, 2],
  [PACKET.UNSUBSCRIBE, 2],
  [PACKET.PINGREQ, 0],
  [PACKET.DISCONNECT, 0],
]);

/**
 * Reads a whole packet of a client.
 *
 * @param version - of the connection; it does not matter for a CONNECT
 * @throws ProtocolError, FramingError when it is not what MQTT allows
 */
export function decodePacket(frame: Buffer, version: Version): ClientPacket {
  const first = frame[0] ?? 0;
  const type = first >> 4;
  const reader = new ByteReader(frame, 1);
  reader.varint(4);
  if (type === PACKET.PUBLISH) return decodePublish(reader, first, version);
  const flags = FIXED_FLAGS.get(type);
  if (flags === undefined) {
    throw new ProtocolError(REASON.PROTOCOL_ERROR, `a client may not send packets of type ${type}`);
  }
  if ((first & 0x0f) !== flags) {
    throw new ProtocolError(
      REASON.MALFORMED,
      `the flags of a packet of type ${type} are ${first & 0x0f}; want ${flags}`,
    );
  }
  const packet = decodeBody(reader, type, version);
  if (reader.remaining > 0) {
    throw new ProtocolError(
      REASON.MALFORMED,
      `${reader.remaining} bytes follow the end of a packet of type ${type}`,
    );
  }
  return packet;
}

function decodeBody(reader: ByteReader, type: number, version: Version): ClientPacket {
  switch (type) {
    case PACKET.CONNECT:
      return decodeConnect(reader);
    case PACKET.PUBACK:
      return decodeAck(reader, 'puback', version);
    case PACKET.PUBREC:
      return decodeAck(reader, 'pubrec', version);
    case PACKET.PUBREL:
      return decodeAck(reader, 'pubrel', version);
    case PACKET.PUBCOMP:
      return decodeAck(reader, 'pubcomp', version);
    case PACKET.SUBSCRIBE:
      return decodeSubscribe(reader, version);
    case PACKET.UNSUBSCRIBE:
      return decodeUnsubscribe(reader, version);
    case PACKET.DISCONNECT:
      return decodeDisconnect(reader, version);
    default:
      return { type: 'pingreq' };
  }
}

function decodePublish(reader: ByteReader, first: number, version: Version): PublishPacket {
  const qos = (first >> 1) & 3;
  if (qos === 3) throw new ProtocolError(REASON.MALFORMED, 'a PUBLISH has QoS 3');
  if (qos === 0 && (first & 0x08) !== 0)
    throw new ProtocolError(REASON.MALFORMED, 'a PUBLISH of QoS 0 has DUP set');
  const topic = readText(reader, 'topic');
  const id = qos === 0 ? 0 : readId(reader);
  const properties = version === 5 ? readProperties(reader, PUBLISH_PROPERTIES) : Properties.none;
  const payload = reader.rest();
  const isAlias = topic === '' && properties.number(PROPERTY.TOPIC_ALIAS) !== undefined;
  const problem = isAlias ? undefined : topicProblem(topic);
  if (problem !== undefined)
    throw new ProtocolError(REASON.TOPIC_INVALID, `the topic of a PUBLISH: ${problem}`);
  checkResponseTopic(properties);
  return { type: 'publish', topic, qos: qos as Qos, retain: (first & 1) === 1, id, properties, payload };
}

function decodeAck(reader: ByteReader, type: AckPacket['type'], version: Version): AckPacket {
  const id = readId(reader);
  const code = version === 5 && reader.remaining > 0 ? reader.u8() : 0;
  if (version === 5 && reader.remaining > 0) readProperties(reader, ACK_PROPERTIES);
  return { type, id, code };
}

function decodeSubscribe(reader: ByteReader, version: Version): SubscribePacket {
  const id = readId(reader);
  const properties = version === 5 ? readProperties(reader, SUBSCRIBE_PROPERTIES) : Properties.none;
  const subscriptions: Subscription[] = [];
  while (reader.remaining > 0) {
    const filter = readText(reader, 'topic filter');
    const options = reader.u8();
    const qos = options & 3;
    const retainHandling = (options >> 4) & 3;
    if (qos === 3 || retainHandling === 3 || (options & (version === 5 ? 0xc0 : 0xfc)) !== 0) {
      throw new ProtocolError(REASON.MALFORMED, `the options of a subscription are ${options}`);
    }
    subscriptions.push({
      filter,
      qos: qos as Qos,
      noLocal: (options & 0x04) !== 0,
      retainAsPublished: (options & 0x08) !== 0,
      retainHandling,
    });
    checkCount(subscriptions.length);
  }
  if (subscriptions.length === 0) throw new ProtocolError(REASON.PROTOCOL_ERROR, 'a SUBSCRIBE has no filter');
  return { type: 'subscribe', id, subscriptions, properties };
}

function decodeUnsubscribe(reader: ByteReader, version: Version): ClientPacket {
  const id = readId(reader);
  if (version === 5) readProperties(reader, UNSUBSCRIBE_PROPERTIES);
  const filters: string[] = [];
  while (reader.remaining > 0) {
    filters.push(readText(reader, 'topic filter'));
    checkCount(filters.length);
  }
  if (filters.length === 0) throw new ProtocolError(REASON.PROTOCOL_ERROR, 'an UNSUBSCRIBE has no filter');
  return { type: 'unsubscribe', id, filters };
}

function decodeDisconnect(reader: ByteReader, version: Version): ClientPacket {
  const code = version === 5 && reader.remaining > 0 ? reader.u8() : REASON.SUCCESS;
  const hasProperties = version === 5 && reader.remaining > 0;
  const properties = hasProperties ? readProperties(reader, DISCONNECT_PROPERTIES) : Properties.none;
  return { type: 'disconnect', code, properties };
}

function readId(reader: ByteReader): number {
  const id = reader.u16();
  if (id === 0) throw new ProtocolError(REASON.PROTOCOL_ERROR, 'a packet identifier is 0');
  return id;
}

function checkCount(count: number): void {
  if (count > MAX_FILTERS) {
    throw new ProtocolError(REASON.QUOTA_EXCEEDED, `a packet has more than ${MAX_FILTERS} filters`);
  }
}
