import { generate, type IConnackPacket } from 'mqtt-packet';
import { encodeLength } from './encode-properties.js';
import { PACKET, type Version } from './packet-type.js';
import { REASON } from './protocol-error.js';

/** A PINGRESP (MQTT 5, section 3.13). */
export const PINGRESP = Buffer.from([PACKET.PINGRESP << 4, 0]);

/** The CONNACK codes of 3.1.1 (section 3.2.2.3); what is not here is "not authorized". */
const RETURN_CODES: ReadonlyMap<number, number> = new Map<number, number>([
  [REASON.SUCCESS, 0],
  [REASON.UNSUPPORTED_VERSION, 1],
  [REASON.CLIENT_ID_NOT_VALID, 2],
  [REASON.BAD_LOGIN, 4],
]);

/** The CONNACK code that a version has for a reason. */
export function connackCode(version: Version, reason: number): number {
  return version === 5 ? reason : (RETURN_CODES.get(reason) ?? 5);
}

/** What a CONNACK says beside its reason, where the client is let in. */
export interface Welcome {
  readonly sessionPresent: boolean;
  /** The properties for an MQTT 5 client (section 3.2.2.3). */
  readonly properties: NonNullable<IConnackPacket['properties']>;
}

/** A CONNACK. */
export function encodeConnack(version: Version, reason: number, welcome?: Welcome): Buffer {
  const { sessionPresent = false, properties = {} } = welcome ?? {};
  const code = connackCode(version, reason);
  if (version !== 5) return Buffer.from([PACKET.CONNACK << 4, 2, sessionPresent ? 1 : 0, code]);
  if (reason !== REASON.SUCCESS) return Buffer.from([PACKET.CONNACK << 4, 3, 0, code, 0]);
  return generate({ cmd: 'connack', reasonCode: code, sessionPresent, properties }, { protocolVersion: 5 });
}

/** PUBACK, PUBREC, PUBREL or PUBCOMP. A code reaches MQTT 5 clients only. */
export function encodeAck(version: Version, type: number, id: number, code = 0): Buffer {
  const first = (type << 4) | (type === PACKET.PUBREL ? 2 : 0);
  return version === 5 && code !== 0
    ? Buffer.from([first, 3, id >> 8, id & 0xff, code])
    : Buffer.from([first, 2, id >> 8, id & 0xff]);
}

/** SUBACK or UNSUBACK. Codes of an UNSUBACK reach MQTT 5 clients only. */
export function encodeGrants(version: Version, type: number, id: number, codes: readonly number[]): Buffer {
  const body = [id >> 8, id & 0xff];
  if (version === 5) body.push(0);
  if (version === 5) body.push(...codes);
  else if (type === PACKET.SUBACK) for (const code of codes) body.push(code >= 0x80 ? 0x80 : code);
  return Buffer.concat([Buffer.from([type << 4]), encodeLength(body.length), Buffer.from(body)]);
}

/** The DISCONNECT that an MQTT 5 client is told why it goes with. */
export function encodeDisconnect(code: number): Buffer {
  return Buffer.from([PACKET.DISCONNECT << 4, 2, code, 0]);
}

/** The bytes of a PUBLISH in its parts: `header` is its first byte, `head` the topic and the packet identifier. */
export function encodePublish(
  header: number,
  head: Buffer,
  properties: Buffer | undefined,
  payload: Buffer,
): Buffer {
  const propertiesLength = properties === undefined ? undefined : encodeLength(properties.length);
  const middle = propertiesLength === undefined ? 0 : propertiesLength.length + (properties?.length ?? 0);
  const length = encodeLength(head.length + middle + payload.length);
  const parts = [Buffer.from([header]), length, head];
  if (propertiesLength !== undefined && properties !== undefined) parts.push(propertiesLength, properties);
  parts.push(payload);
  return Buffer.concat(parts);
}
