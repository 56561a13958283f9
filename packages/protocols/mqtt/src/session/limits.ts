import { isShared } from '../broker/shared-subscriptions.js';
import type { MqttContext } from './peer.js';
import { MAX_PACKET } from '../wire/packet-framer.js';
import type { Qos, Version } from '../wire/packet-type.js';
import type { ConnectPacket, PublishPacket, SubscribePacket } from '../wire/packets.js';
import { PROPERTY } from '../wire/properties.js';
import { ProtocolError, REASON } from '../wire/protocol-error.js';

/** Names that a client may give to topics on one connection, and messages that it may have open. */
const TOPIC_ALIASES = 32;
const RECEIVE_MAXIMUM = 1000;

/** What a client is told in its CONNACK, and held to (MQTT 5, section 3.2.2.3). */
export interface Limits {
  readonly receiveMaximum: number;
  readonly packetSize: number;
  readonly topicAliases: number;
  readonly qos: Qos;
  readonly hasRetained: boolean;
  readonly hasWildcards: boolean;
  readonly hasIdentifiers: boolean;
  readonly hasShared: boolean;
  /** Seconds, in place of the client's own; `undefined` leaves it the choice. */
  readonly keepAlive: number | undefined;
  /** The longest time that a session is kept, in seconds. */
  readonly sessionExpiry: number;
}

const NONE: Limits = {
  receiveMaximum: RECEIVE_MAXIMUM,
  packetSize: MAX_PACKET,
  topicAliases: TOPIC_ALIASES,
  qos: 2,
  hasRetained: true,
  hasWildcards: true,
  hasIdentifiers: true,
  hasShared: true,
  keepAlive: undefined,
  sessionExpiry: Infinity,
};

/** The limits of a client; those that are configured are MQTT 5's, since others cannot be told. */
export function limitsOf({ limits = {} }: MqttContext['config'], version: Version): Limits {
  if (version !== 5) return NONE;
  return {
    receiveMaximum: limits.receive_maximum ?? NONE.receiveMaximum,
    packetSize: limits.maximum_packet_size ?? NONE.packetSize,
    topicAliases: limits.topic_alias_maximum ?? NONE.topicAliases,
    qos: limits.maximum_qos ?? NONE.qos,
    hasRetained: limits.retain_available ?? true,
    hasWildcards: limits.wildcard_subscription_available ?? true,
    hasIdentifiers: limits.subscription_identifiers_available ?? true,
    hasShared: limits.shared_subscription_available ?? true,
    keepAlive: limits.server_keep_alive,
    sessionExpiry: limits.session_expiry_maximum ?? Infinity,
  };
}

/** Why the will of a CONNECT is not taken (MQTT 5, sections 3.2.2.3.4 and 3.2.2.3.5); `undefined` when it is. */
export function refuseWill({ will }: ConnectPacket, limits: Limits): number | undefined {
  if (will === undefined) return undefined;
  if (will.qos > limits.qos) return REASON.QOS_NOT_SUPPORTED;
  return will.retain && !limits.hasRetained ? REASON.RETAIN_NOT_SUPPORTED : undefined;
}

/** @throws ProtocolError for a message that a client has been told is not taken */
export function checkPublish({ qos, retain }: PublishPacket, limits: Limits): void {
  if (qos > limits.qos)
    throw new ProtocolError(
      REASON.QOS_NOT_SUPPORTED,
      `a message of QoS ${qos}; at most ${limits.qos} is taken`,
    );
  if (retain && !limits.hasRetained)
    throw new ProtocolError(REASON.RETAIN_NOT_SUPPORTED, 'a retained message; none are taken');
}

/**
 * A SUBSCRIBE with no more QoS than there is.
 *
 * @throws ProtocolError for subscriptions that a client has been told are not taken
 */
export function checkSubscribe(packet: SubscribePacket, limits: Limits): SubscribePacket {
  if (limits === NONE) return packet;
  const refuse = (code: number, what: string): never => {
    throw new ProtocolError(code, `a SUBSCRIBE with ${what}; none are taken`);
  };
  if (!limits.hasIdentifiers && packet.properties.number(PROPERTY.SUBSCRIPTION_IDENTIFIER) !== undefined)
    refuse(REASON.IDENTIFIERS_NOT_SUPPORTED, 'a subscription identifier');
  for (const { filter } of packet.subscriptions) {
    if (!limits.hasShared && isShared(filter)) refuse(REASON.SHARED_NOT_SUPPORTED, 'a shared subscription');
    if (!limits.hasWildcards && /[+#]/.test(filter)) refuse(REASON.WILDCARDS_NOT_SUPPORTED, 'wildcards');
  }
  if (packet.subscriptions.every(({ qos }) => qos <= limits.qos)) return packet;
  const subscriptions = packet.subscriptions.map((subscription) =>
    subscription.qos <= limits.qos ? subscription : { ...subscription, qos: limits.qos },
  );
  return { ...packet, subscriptions };
}
