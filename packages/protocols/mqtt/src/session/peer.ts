import type { Context, ExchangeFor, MatchOf, OutcomeFor } from '@backlot/core/plugin';
import type { AedesClient, Broker } from '../broker/broker.js';
import type { BrokerSide } from '../broker/broker-side.js';
import type { MqttShape } from '../shape.js';
import type { Limits } from './limits.js';
import type { Transport } from '../transport/transport.js';
import type { Version } from '../wire/packet-type.js';

export type MqttContext = Context<MqttShape>;
export type MqttExchange = ExchangeFor<MqttShape>;
export type MqttMatch = MatchOf<MqttShape>;
export type MqttOutcome = OutcomeFor<MqttShape>;

/** A client that has been let in, for the parts that serve it. */
export interface Peer {
  readonly context: MqttContext;
  readonly broker: Broker;
  readonly transport: Transport;
  readonly version: Version;
  readonly limits: Limits;
  readonly clientId: string;
  readonly remote: string;
  /** Its connection as the broker sees it. */
  readonly side: BrokerSide;
  /** How the broker calls it. */
  readonly client: AedesClient;
  send(bytes: Buffer): void;
  /** Reads no further packets until {@link release}; the two are counted. */
  hold(): void;
  release(): void;
  /** Closes for a reason that an MQTT 5 client is told. */
  close(code: number): void;
}
