import { generate } from 'mqtt-packet';
import type { AedesClient, Asked, Broker, BrokerClient, Forwarded } from '../broker/broker.js';
import type { RetainedRequest } from '../broker/persistence.js';
import { BrokerSide } from '../broker/broker-side.js';
import type { Session } from '../broker/sessions.js';
import type { Transport } from '../transport/transport.js';
import { encodeConnack, type Welcome } from '../wire/encode.js';
import type { Version } from '../wire/packet-type.js';
import type { ConnectPacket, Will } from '../wire/packets.js';
import { PROPERTY } from '../wire/properties.js';
import { ProtocolError, REASON } from '../wire/protocol-error.js';
import { Delivery } from './delivery.js';
import type { MqttConnection, ServerContext } from './connection.js';
import { KeepAlive } from './keep-alive.js';
import { limitsOf, type Limits } from './limits.js';
import type { MqttContext, Peer } from './peer.js';
import { Publisher } from './publisher.js';
import { Subscriber } from './subscriber.js';

/** The session expiry that means "never", in seconds (MQTT 5, section 3.1.2.11.2). */
const NEVER = 0xffff_ffff;
/** Names of topics towards one client, however many it takes. */
const MAX_ALIASES = 1000;
const DISCONNECT = Buffer.from([0xe0, 0]);

/** A client that was let in, from its CONNECT to the end of its connection. */
export class ClientSession implements Peer, BrokerClient {
  readonly context: MqttContext;
  readonly broker: Broker;
  readonly transport: Transport;
  readonly version: Version;
  readonly limits: Limits;
  readonly clientId: string;
  readonly side: BrokerSide;
  readonly client: AedesClient;
  readonly publisher: Publisher;
  readonly subscriber: Subscriber;
  readonly delivery: Delivery;
  readonly #connection: MqttConnection;
  readonly #server: ServerContext;
  readonly #keepAlive: KeepAlive;
  readonly #onConnected: (code: number) => void;
  readonly #session: Session | undefined;
  readonly #isResumed: boolean;
  readonly #assignedId: string | undefined;
  #will: Will | undefined;
  /** Seconds that the session was to outlive the connection, and that it does. */
  readonly #asked: number;
  #expiry: number;
  #goneCode: number = REASON.UNSPECIFIED;
  #isOrderly = false;
  #isLost = false;
  /** Whether the CONNACK was sent. */
  isOpen = false;

  /** @param onConnected - called once, with the reason the CONNACK has */
  constructor(
    connection: MqttConnection,
    server: ServerContext,
    packet: ConnectPacket,
    clientId: string,
    onConnected: (code: number) => void,
  ) {
    const { broker, context } = server;
    const { properties, version } = packet;
    this.#connection = connection;
    this.#server = server;
    this.context = context;
    this.broker = broker;
    this.transport = connection.transport;
    this.version = version;
    this.limits = limitsOf(context.config, version);
    this.clientId = clientId;
    this.#assignedId = packet.clientId === '' ? clientId : undefined;
    this.#will = packet.will;
    this.#onConnected = onConnected;
    this.#asked = expiryOf(packet);
    this.#expiry = Math.min(this.#asked, this.limits.sessionExpiry);
    if (packet.clean) {
      broker.sessions.forget(clientId);
      broker.wills.publishNow(clientId);
    } else broker.wills.cancel(clientId);
    this.#isResumed = broker.sessions.get(clientId) !== undefined;
    this.#session = this.#expiry > 0 || this.#isResumed ? broker.sessions.open(clientId, this) : undefined;
    this.side = new BrokerSide({
      onBytes: this.transport.isolate((bytes) => this.delivery.take(bytes)),
      onGone: this.transport.isolate(() => this.#brokerLeft()),
    });
    this.client = broker.connect(this.side, this);
    this.publisher = new Publisher(this, this.#session?.incoming ?? new Set());
    this.subscriber = new Subscriber(this, this.#session, packet.isBridge);
    this.delivery = new Delivery(
      this,
      {
        receiveMaximum: properties.number(PROPERTY.RECEIVE_MAXIMUM) ?? Infinity,
        packetSize: properties.number(PROPERTY.MAXIMUM_PACKET_SIZE) ?? Infinity,
        topicAliases: Math.min(properties.number(PROPERTY.TOPIC_ALIAS_MAXIMUM) ?? 0, MAX_ALIASES),
      },
      {
        onConnack: (code) => this.#answerConnect(code),
        onSuback: (id, codes) => this.subscriber.granted(id, codes),
        onUnsuback: (id) => this.subscriber.removed(id),
      },
    );
    this.#keepAlive = new KeepAlive(this.transport, this.limits.keepAlive ?? packet.keepalive, () =>
      this.close(REASON.KEEP_ALIVE_TIMEOUT),
    );
    this.side.feed(this.#encodeConnect(packet));
  }

  get remote(): string {
    return this.transport.remote;
  }

  send(bytes: Buffer): void {
    this.transport.push(bytes);
  }

  hold(): void {
    this.#connection.hold();
  }

  release(): void {
    this.#connection.release();
  }

  close(code: number): void {
    this.#connection.close(code);
  }

  /** A packet came. */
  hear(): void {
    this.#keepAlive.hear();
  }

  isHeld(held: boolean): void {
    this.#keepAlive.isHeld = held;
  }

  prepare(message: Forwarded): void {
    this.subscriber.prepare(message);
  }

  publishWill(): void {
    const will = this.#will;
    this.#will = undefined;
    if (will === undefined) return;
    const { clientId, broker } = this;
    const publish = (): void => broker.jobs.add(doing(() => this.publisher.publishWill(will)));
    // A session that ends sends its will, however long it was to wait (MQTT 5, section 3.1.3.2.2).
    const delay = Math.min(will.properties.number(PROPERTY.WILL_DELAY) ?? 0, this.#expiry);
    if (delay === 0) return publish();
    if (!this.#server.byClientId.has(clientId)) return broker.wills.delay(clientId, delay * 1000, publish);
    // Its client is back already: with this session, or with a new one.
    if (broker.sessions.get(clientId) !== this.#session) publish();
  }

  askForRetained(subscriptions: readonly Asked[]): RetainedRequest {
    return this.subscriber.askForRetained(subscriptions, this.delivery);
  }

  expectTakeover(): void {
    this.#goneCode = REASON.SESSION_TAKEN_OVER;
  }

  /** A DISCONNECT may change how long the session is kept (MQTT 5, section 3.14.2.2.2). */
  changeExpiry(seconds: number): void {
    if (this.#expiry === 0 && seconds > 0) {
      throw new ProtocolError(
        REASON.PROTOCOL_ERROR,
        'a session that was to end with its connection is to be kept',
      );
    }
    this.#expiry = Math.min(seconds, this.limits.sessionExpiry);
  }

  /** The client has sent DISCONNECT: its will is not published. */
  endOrderly(): void {
    this.#isOrderly = true;
    this.#will = undefined;
    this.side.feed(DISCONNECT);
  }

  /** The connection is gone. */
  lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    const { byClientId } = this.#server;
    if (byClientId.get(this.clientId) === this.#connection) byClientId.delete(this.clientId);
    // When many leave at once, what others sent comes in between.
    this.broker.jobs.add(doing(() => this.#leave()));
  }

  #leave(): void {
    this.publisher.leave(this.#isOrderly);
    this.subscriber.leave();
    this.delivery.leave();
    this.broker.sessions.close(this.clientId, this, this.#expiry === NEVER ? Infinity : this.#expiry * 1000);
    // After a DISCONNECT the broker has still to read it, and closes by itself.
    if (this.#isOrderly) return;
    // It would see the end of its side only behind this turn's other work, where nobody counts what it takes.
    this.client.close();
    this.side.destroy();
  }

  get #welcome(): Welcome {
    const { limits } = this;
    return {
      sessionPresent: this.#isResumed,
      properties: {
        receiveMaximum: limits.receiveMaximum,
        maximumPacketSize: limits.packetSize,
        topicAliasMaximum: limits.topicAliases,
        // What is absent is there (MQTT 5, section 3.2.2.3).
        ...(limits.qos === 2 ? {} : { maximumQoS: limits.qos }),
        ...(limits.hasRetained ? {} : { retainAvailable: false }),
        ...(limits.hasWildcards ? {} : { wildcardSubscriptionAvailable: false }),
        ...(limits.hasIdentifiers ? {} : { subscriptionIdentifiersAvailable: false }),
        ...(limits.hasShared ? {} : { sharedSubscriptionAvailable: false }),
        ...(limits.keepAlive === undefined ? {} : { serverKeepAlive: limits.keepAlive }),
        ...(this.#expiry < this.#asked ? { sessionExpiryInterval: this.#expiry } : {}),
        ...(this.#assignedId === undefined ? {} : { assignedClientIdentifier: this.#assignedId }),
      },
    };
  }

  #brokerLeft(): void {
    if (this.isOpen || this.#isLost) this.close(this.#goneCode);
    else this.#answerConnect(REASON.UNSPECIFIED);
  }

  #answerConnect(code: number): void {
    if (this.isOpen || this.#isLost) return;
    const reason = code === 0 ? REASON.SUCCESS : REASON.UNSPECIFIED;
    this.send(encodeConnack(this.version, reason, this.#welcome));
    this.isOpen = reason === REASON.SUCCESS;
    if (this.isOpen) this.subscriber.join();
    this.#onConnected(reason);
    if (!this.isOpen) this.close(reason);
  }

  /** The CONNECT for the broker: 3.1.1, without a login, a keep-alive or the will's contents, which are served here. */
  #encodeConnect({ will }: ConnectPacket): Buffer {
    return generate({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clientId: this.clientId,
      clean: this.#session === undefined,
      keepalive: 0,
      ...(will === undefined ? {} : { will: { topic: will.topic, payload: 'will', qos: 0, retain: false } }),
    });
  }
}

function* doing(work: () => void): Generator {
  work();
  yield;
}

/** Seconds. Before MQTT 5 a session is kept for ever, or not at all. */
function expiryOf({ version, clean, properties }: ConnectPacket): number {
  if (version === 5) return properties.number(PROPERTY.SESSION_EXPIRY) ?? 0;
  return clean ? 0 : NEVER;
}
