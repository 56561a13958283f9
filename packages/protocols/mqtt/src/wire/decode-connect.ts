import { isFramingError, type ByteReader } from '@backlot/kit/framing';
import type { Qos, Version } from './packet-type.js';
import type { ConnectPacket, Will } from './packets.js';
import { Properties, PROPERTY, readProperties } from './properties.js';
import { ProtocolError, REASON, RefusedConnect } from './protocol-error.js';
import { readBinary, readText } from './text.js';
import { checkResponseTopic } from './response-topic.js';
import { topicProblem } from './topic.js';

const CONNECT_PROPERTIES: ReadonlySet<number> = new Set([
  PROPERTY.SESSION_EXPIRY,
  PROPERTY.AUTHENTICATION_METHOD,
  PROPERTY.AUTHENTICATION_DATA,
  PROPERTY.REQUEST_PROBLEM,
  PROPERTY.REQUEST_RESPONSE,
  PROPERTY.RECEIVE_MAXIMUM,
  PROPERTY.TOPIC_ALIAS_MAXIMUM,
  PROPERTY.USER_PROPERTY,
  PROPERTY.MAXIMUM_PACKET_SIZE,
]);

const WILL_PROPERTIES: ReadonlySet<number> = new Set([
  PROPERTY.PAYLOAD_FORMAT,
  PROPERTY.MESSAGE_EXPIRY,
  PROPERTY.CONTENT_TYPE,
  PROPERTY.RESPONSE_TOPIC,
  PROPERTY.CORRELATION_DATA,
  PROPERTY.WILL_DELAY,
  PROPERTY.USER_PROPERTY,
]);

const FLAG = { RESERVED: 0x01, CLEAN: 0x02, WILL: 0x04, WILL_RETAIN: 0x20, PASSWORD: 0x40, USERNAME: 0x80 };
const WILL_QOS_AND_RETAIN = 0x38;
/** What mosquitto adds to the level where it connects as a bridge. */
const BRIDGE = 0x80;

/** Reads what follows the fixed header of a CONNECT (MQTT 5, section 3.1). */
export function decodeConnect(reader: ByteReader): ConnectPacket {
  const level = readLevel(reader);
  try {
    return decodeRest(reader, level);
  } catch (error) {
    if (level.version === 5) throw refusedConnect(error);
    throw error;
  }
}

interface Level {
  readonly version: Version;
  readonly isBridge: boolean;
}

function decodeRest(reader: ByteReader, { version, isBridge }: Level): ConnectPacket {
  const flags = reader.u8();
  checkFlags(flags, version);
  const keepalive = reader.u16();
  const properties = version === 5 ? readProperties(reader, CONNECT_PROPERTIES) : Properties.none;
  const { AUTHENTICATION_DATA, AUTHENTICATION_METHOD } = PROPERTY;
  if (
    properties.binary(AUTHENTICATION_DATA) !== undefined &&
    properties.text(AUTHENTICATION_METHOD) === undefined
  ) {
    throw new ProtocolError(REASON.PROTOCOL_ERROR, 'the CONNECT has authentication data and no method');
  }
  const clientId = readText(reader, 'client id');
  const will = (flags & FLAG.WILL) === 0 ? undefined : readWill(reader, flags, version);
  const username = (flags & FLAG.USERNAME) === 0 ? undefined : readText(reader, 'user name');
  const password = (flags & FLAG.PASSWORD) === 0 ? undefined : readBinary(reader);
  return {
    type: 'connect',
    version,
    isBridge,
    clientId,
    clean: (flags & FLAG.CLEAN) !== 0,
    keepalive,
    username,
    password,
    will,
    properties,
  };
}

/** What is wrong with a CONNECT of MQTT 5 is told in a CONNACK (section 3.1.4). */
function refusedConnect(error: unknown): unknown {
  if (error instanceof ProtocolError) return new RefusedConnect(error.code, error.message);
  return isFramingError(error) ? new RefusedConnect(REASON.MALFORMED, error.message) : error;
}

function readLevel(reader: ByteReader): Level {
  const name = readText(reader, 'protocol name');
  const level = reader.u8();
  const version = level & ~BRIDGE;
  const isBridge = level !== version;
  if (name === 'MQIsdp' && version === 3) return { version, isBridge };
  if (name === 'MQTT' && (version === 4 || level === 5)) return { version: version === 4 ? 4 : 5, isBridge };
  if (name !== 'MQTT' && name !== 'MQIsdp') {
    throw new ProtocolError(REASON.MALFORMED, `the protocol name is ${JSON.stringify(name)}; want "MQTT"`);
  }
  throw new ProtocolError(
    REASON.UNSUPPORTED_VERSION,
    `protocol level ${level} is not served; 3 (3.1), 4 (3.1.1) and 5 are`,
  );
}

function checkFlags(flags: number, version: Version): void {
  if ((flags & FLAG.RESERVED) !== 0) {
    throw new ProtocolError(REASON.MALFORMED, 'the reserved flag of the CONNECT is set');
  }
  if ((flags & FLAG.WILL) === 0 && (flags & WILL_QOS_AND_RETAIN) !== 0) {
    throw new ProtocolError(REASON.MALFORMED, 'the CONNECT has options of a will and no will');
  }
  if (version !== 5 && (flags & FLAG.PASSWORD) !== 0 && (flags & FLAG.USERNAME) === 0) {
    throw new ProtocolError(REASON.MALFORMED, 'the CONNECT has a password and no user name');
  }
}

function readWill(reader: ByteReader, flags: number, version: Version): Will {
  const qos = (flags >> 3) & 3;
  if (qos === 3) throw new ProtocolError(REASON.MALFORMED, 'the will has QoS 3');
  const properties = version === 5 ? readProperties(reader, WILL_PROPERTIES) : Properties.none;
  const topic = readText(reader, 'will topic');
  const payload = readBinary(reader);
  const problem = topicProblem(topic);
  if (problem !== undefined) throw new ProtocolError(REASON.TOPIC_INVALID, `the will's topic: ${problem}`);
  checkResponseTopic(properties);
  return { topic, payload, qos: qos as Qos, retain: (flags & FLAG.WILL_RETAIN) !== 0, properties };
}
