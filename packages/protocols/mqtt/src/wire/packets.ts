import type { Qos, Version } from './packet-type.js';
import type { Properties } from './properties.js';

/** What a server publishes when a client is lost (MQTT 5, sections 3.1.2.5 and 3.1.3.2). */
export interface Will {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: Qos;
  readonly retain: boolean;
  readonly properties: Properties;
}

/** A CONNECT (MQTT 5, section 3.1). */
export interface ConnectPacket {
  readonly type: 'connect';
  readonly version: Version;
  /** Whether another broker connects, which says so by the highest bit of the level (MQTT 3.1 and 3.1.1). */
  readonly isBridge: boolean;
  readonly clientId: string;
  readonly clean: boolean;
  /** Seconds; 0 is none. */
  readonly keepalive: number;
  readonly username: string | undefined;
  readonly password: Buffer | undefined;
  readonly will: Will | undefined;
  readonly properties: Properties;
}

/** A PUBLISH (MQTT 5, section 3.3). */
export interface PublishPacket {
  readonly type: 'publish';
  /** Empty where an alias stands for it. */
  readonly topic: string;
  readonly qos: Qos;
  readonly retain: boolean;
  /** 0 with QoS 0. */
  readonly id: number;
  readonly properties: Properties;
  readonly payload: Buffer;
}

/** PUBACK, PUBREC, PUBREL, PUBCOMP. */
export interface AckPacket {
  readonly type: 'puback' | 'pubrec' | 'pubrel' | 'pubcomp';
  readonly id: number;
  readonly code: number;
}

/** One filter of a SUBSCRIBE; the options are MQTT 5's. */
export interface Subscription {
  readonly filter: string;
  readonly qos: Qos;
  readonly noLocal: boolean;
  readonly retainAsPublished: boolean;
  /** 0: send retained messages; 1: only when the subscription is new; 2: never. */
  readonly retainHandling: number;
}

/** A SUBSCRIBE. */
export interface SubscribePacket {
  readonly type: 'subscribe';
  readonly id: number;
  readonly subscriptions: readonly Subscription[];
  readonly properties: Properties;
}

/** An UNSUBSCRIBE. */
export interface UnsubscribePacket {
  readonly type: 'unsubscribe';
  readonly id: number;
  readonly filters: readonly string[];
}

/** A DISCONNECT. */
export interface DisconnectPacket {
  readonly type: 'disconnect';
  readonly code: number;
  readonly properties: Properties;
}

/** What a client may send. */
export type ClientPacket =
  | ConnectPacket
  | PublishPacket
  | AckPacket
  | SubscribePacket
  | UnsubscribePacket
  | DisconnectPacket
  | { readonly type: 'pingreq' };
