import { ByteReader } from '@backlot/kit/framing';
import { ProtocolError, REASON } from './protocol-error.js';
import { readBinary, readText } from './text.js';

/** The properties (MQTT 5, section 2.2.2.2) that are read here. */
export const PROPERTY = {
  PAYLOAD_FORMAT: 0x01,
  MESSAGE_EXPIRY: 0x02,
  CONTENT_TYPE: 0x03,
  RESPONSE_TOPIC: 0x08,
  CORRELATION_DATA: 0x09,
  SUBSCRIPTION_IDENTIFIER: 0x0b,
  SESSION_EXPIRY: 0x11,
  AUTHENTICATION_METHOD: 0x15,
  AUTHENTICATION_DATA: 0x16,
  REQUEST_PROBLEM: 0x17,
  WILL_DELAY: 0x18,
  REQUEST_RESPONSE: 0x19,
  REASON_STRING: 0x1f,
  RECEIVE_MAXIMUM: 0x21,
  TOPIC_ALIAS_MAXIMUM: 0x22,
  TOPIC_ALIAS: 0x23,
  USER_PROPERTY: 0x26,
  MAXIMUM_PACKET_SIZE: 0x27,
} as const;

type Kind = 'flag' | 'u16' | 'u32' | 'varint' | 'text' | 'binary' | 'pair';

/** The kinds of the properties that a client may send. */
const KINDS: ReadonlyMap<number, Kind> = new Map<number, Kind>([
  [PROPERTY.PAYLOAD_FORMAT, 'flag'],
  [PROPERTY.MESSAGE_EXPIRY, 'u32'],
  [PROPERTY.CONTENT_TYPE, 'text'],
  [PROPERTY.RESPONSE_TOPIC, 'text'],
  [PROPERTY.CORRELATION_DATA, 'binary'],
  [PROPERTY.SUBSCRIPTION_IDENTIFIER, 'varint'],
  [PROPERTY.SESSION_EXPIRY, 'u32'],
  [PROPERTY.AUTHENTICATION_METHOD, 'text'],
  [PROPERTY.AUTHENTICATION_DATA, 'binary'],
  [PROPERTY.REQUEST_PROBLEM, 'flag'],
  [PROPERTY.WILL_DELAY, 'u32'],
  [PROPERTY.REQUEST_RESPONSE, 'flag'],
  [PROPERTY.REASON_STRING, 'text'],
  [PROPERTY.RECEIVE_MAXIMUM, 'u16'],
  [PROPERTY.TOPIC_ALIAS_MAXIMUM, 'u16'],
  [PROPERTY.TOPIC_ALIAS, 'u16'],
  [PROPERTY.USER_PROPERTY, 'pair'],
  [PROPERTY.MAXIMUM_PACKET_SIZE, 'u32'],
]);

const NEVER_ZERO: ReadonlySet<number> = new Set([
  PROPERTY.SUBSCRIPTION_IDENTIFIER,
  PROPERTY.RECEIVE_MAXIMUM,
  PROPERTY.TOPIC_ALIAS,
  PROPERTY.MAXIMUM_PACKET_SIZE,
]);

/** What a PUBLISH or a will carries on to its receivers unaltered; the message expiry counts down on the way. */
const CARRIED: ReadonlySet<number> = new Set([
  PROPERTY.PAYLOAD_FORMAT,
  PROPERTY.CONTENT_TYPE,
  PROPERTY.RESPONSE_TOPIC,
  PROPERTY.CORRELATION_DATA,
  PROPERTY.USER_PROPERTY,
]);

const NO_BYTES = Buffer.alloc(0);

/** The properties of one packet. */
export class Properties {
  /** None at all. */
  static readonly none = new Properties();

  readonly #values = new Map<number, number | string | Buffer>();
  /** Names and values in the order they came in; a name may be there more than once. */
  readonly user: (readonly [string, string])[] = [];
  /** The bytes that go on to receivers, as they came in. */
  carried: Buffer = NO_BYTES;

  number(id: number): number | undefined {
    const value = this.#values.get(id);
    return typeof value === 'number' ? value : undefined;
  }

  text(id: number): string | undefined {
    const value = this.#values.get(id);
    return typeof value === 'string' ? value : undefined;
  }

  binary(id: number): Buffer | undefined {
    const value = this.#values.get(id);
    return Buffer.isBuffer(value) ? value : undefined;
  }

  /** @throws ProtocolError when it is there already */
  set(id: number, value: number | string | Buffer): void {
    if (this.#values.has(id)) {
      throw new ProtocolError(REASON.PROTOCOL_ERROR, `property ${id} is there twice`);
    }
    this.#values.set(id, value);
  }
}

/**
 * Reads the properties of a packet.
 *
 * @param repeated - one that may come more than once, of which the first is kept
 * @throws ProtocolError, FramingError when they are malformed, or the packet may not have one of them
 */
export function readProperties(
  reader: ByteReader,
  allowed: ReadonlySet<number>,
  repeated?: number,
): Properties {
  const length = reader.varint(4);
  if (length === 0) return Properties.none;
  const bytes = reader.bytes(length);
  const inner = new ByteReader(bytes);
  const properties = new Properties();
  const carried: Buffer[] = [];
  while (inner.remaining > 0) {
    const start = inner.position;
    const id = inner.varint(4);
    const kind = KINDS.get(id);
    if (kind === undefined) throw new ProtocolError(REASON.MALFORMED, `property ${id} is unknown`);
    if (!allowed.has(id)) {
      throw new ProtocolError(REASON.PROTOCOL_ERROR, `property ${id} may not stand in this packet`);
    }
    if (kind === 'pair')
      properties.user.push([readText(inner, 'user property'), readText(inner, 'user property')]);
    else if (id === repeated && properties.number(id) !== undefined) readValue(inner, kind);
    else properties.set(id, checkValue(id, kind, readValue(inner, kind)));
    if (CARRIED.has(id)) carried.push(bytes.subarray(start, inner.position));
  }
  const [first] = carried;
  properties.carried = carried.length === 1 && first !== undefined ? first : Buffer.concat(carried);
  return properties;
}

function readValue(reader: ByteReader, kind: Exclude<Kind, 'pair'>): number | string | Buffer {
  switch (kind) {
    case 'flag':
      return reader.u8();
    case 'u16':
      return reader.u16();
    case 'u32':
      return reader.u32();
    case 'varint':
      return reader.varint(4);
    case 'text':
      return readText(reader, 'property');
    case 'binary':
      return readBinary(reader);
  }
}

function checkValue(id: number, kind: Kind, value: number | string | Buffer): number | string | Buffer {
  if ((kind === 'flag' && Number(value) > 1) || (value === 0 && NEVER_ZERO.has(id))) {
    throw new ProtocolError(REASON.PROTOCOL_ERROR, `property ${id} may not be ${String(value)}`);
  }
  return value;
}
