import { timingSafeEqual } from 'node:crypto';
import type { ConnectPacket } from '../wire/packets.js';
import { PROPERTY } from '../wire/properties.js';
import { REASON } from '../wire/protocol-error.js';

/** Reason codes of a fault that a CONNACK may have too (MQTT 5, section 3.2.2.2). */
const LOGIN_REASONS: ReadonlySet<number> = new Set([128, 131, 135, 144, 151, 153]);

/** The reason for which a fault refuses a CONNECT: its own where a CONNACK may have it, else "not authorized". */
export function loginReason(code: number | undefined): number {
  return code !== undefined && LOGIN_REASONS.has(code) ? code : REASON.NOT_AUTHORIZED;
}

/** A login of the configuration. */
export interface User {
  readonly username: string;
  readonly password: string;
}

/** Why a CONNECT is refused, as an MQTT 5 reason, or `undefined` when the client may come in. */
export function refuseConnect(packet: ConnectPacket, users: readonly User[] | undefined): number | undefined {
  const { version, clientId, clean, username, password, properties } = packet;
  if (properties.text(PROPERTY.AUTHENTICATION_METHOD) !== undefined) return REASON.BAD_AUTHENTICATION_METHOD;
  if (clientId === '' && version !== 5 && !clean) return REASON.CLIENT_ID_NOT_VALID; // [MQTT-3.1.3-8] of MQTT 3.1.1
  if (users === undefined) return undefined;
  if (username === undefined) return REASON.NOT_AUTHORIZED;
  const given = password ?? Buffer.alloc(0);
  const isKnown = users.some(
    (user) => user.username === username && isEqual(given, Buffer.from(user.password)),
  );
  return isKnown ? undefined : REASON.BAD_LOGIN;
}

function isEqual(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
