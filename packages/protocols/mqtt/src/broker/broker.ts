import type { Aedes, Client } from 'aedes';
import type { Context, Keeper } from '@backlot/core/plugin';
import { CaptureMoments } from '@backlot/kit';
import type { MqttShape } from '../shape.js';
import type { Qos } from '../wire/packet-type.js';
import type { BrokerSide } from './broker-side.js';
import { Envelope } from './envelope.js';
import type { StoredPacket } from './message-queue.js';
import { Persistence } from './persistence.js';
import { Retained } from './retained.js';
import { Sessions, type SavedSessions } from './sessions.js';
import { SharedSubscriptions } from './shared-subscriptions.js';

/** A message that is to be delivered. */
export interface Publication {
  readonly topic: string;
  readonly payload: Buffer;
  /** The bytes of its MQTT 5 properties. */
  readonly properties: Buffer;
  readonly qos: Qos;
  readonly retain: boolean;
}

/** How the broker knows a connection. */
export interface BrokerClient {
  /** The highest QoS at which a message of this topic is delivered to it. */
  limitQos(topic: string, qos: number): number;
  /** The connection was lost, and this was to be published then. */
  publishWill(will: StoredPacket): void;
}

/** A client of aedes, with the members of it that its types leave out. */
export type AedesClient = Client & {
  subscribe(packet: object, done: (error?: Error) => void): void;
  unsubscribe(packet: object, done: (error?: Error) => void): void;
};

/** The form of `publish` that says who publishes, which the types of aedes leave out. */
interface PublishesAs {
  publish(packet: object, client: Client | null, done: (error?: Error | null) => void): void;
}

// aedes publishes a heart-beat under $SYS; the longest interval whose multiples are still legal timers.
const NO_HEARTBEAT = 2 ** 28;
const LONGEST_CLIENT_ID = 65_535;

/** The broker: aedes, with its data kept here. */
export class Broker {
  readonly envelope = new Envelope();
  readonly shared = new SharedSubscriptions();
  readonly sessions: Sessions;
  readonly moments: CaptureMoments;
  readonly #retained = new Retained(this.envelope);
  readonly #persistence: Persistence;
  readonly #context: Context<MqttShape>;
  readonly #clients = new WeakMap<object, BrokerClient>();
  #aedes: Aedes | undefined;

  constructor(context: Context<MqttShape>) {
    this.#context = context;
    this.moments = new CaptureMoments(() => context.newId());
    this.sessions = new Sessions(context.clock);
    this.#persistence = new Persistence(this.#retained, this.sessions);
    context.keep('retained', {
      save: () => this.#retained.save(),
      restore: (saved) => this.#retained.restore(saved),
    } satisfies Keeper<readonly StoredPacket[]>);
    context.keep('sessions', {
      save: () => this.sessions.save(),
      restore: (saved) => this.sessions.restore(saved),
    } satisfies Keeper<SavedSessions>);
  }

  async start(): Promise<void> {
    if (this.#aedes !== undefined) return;
    const { Aedes } = await import('aedes');
    const aedes = await Aedes.createBroker({
      id: 'backlot',
      persistence: this.#persistence,
      // Without a limit: messages beyond it would be handed on out of order.
      concurrency: 0,
      drainTimeout: 0,
      heartbeatInterval: NO_HEARTBEAT,
      maxClientsIdLength: LONGEST_CLIENT_ID,
      authorizeForward: (client, packet) => this.#forward(client, packet),
      authorizePublish: (client, will, callback) => {
        // Only wills come this way. They are published like any message, so aedes is told that it must not.
        if (client !== null) this.#clients.get(client)?.publishWill(will as StoredPacket);
        callback(new Error('the will was published'));
      },
    });
    aedes.on('subscribe', (subscriptions) => {
      const silent = subscriptions.filter(({ rh }) => rh === 2).map(({ topic }) => topic);
      this.#persistence.withoutRetained = new Set(silent);
    });
    (aedes as NodeJS.EventEmitter).on('error', (error) => {
      this.#context.log.error('the broker failed', error);
    });
    this.#aedes = aedes;
  }

  async stop(): Promise<void> {
    const aedes = this.#aedes;
    this.#aedes = undefined;
    if (aedes !== undefined) await new Promise<void>((resolve) => aedes.close(() => resolve()));
  }

  /** Gives aedes a client; its CONNECT has to follow. */
  connect(side: BrokerSide, client: BrokerClient): AedesClient {
    if (this.#aedes === undefined) throw new Error('the broker is not running');
    const handled = this.#aedes.handle(side) as AedesClient;
    this.#clients.set(handled, client);
    return handled;
  }

  /**
   * Hands a message on to everybody who has subscribed to it.
   *
   * @param from - the client that sent it, absent for an own message
   * @param done - called when it was handed on
   */
  publish(message: Publication, from: AedesClient | undefined, done: () => void): void {
    if (this.#aedes === undefined) return done();
    const { topic, qos, retain } = message;
    const payload = this.envelope.wrap(message);
    const packet = { cmd: 'publish', topic, payload, qos, retain, dup: false };
    const aedes: PublishesAs = this.#aedes as unknown as PublishesAs;
    aedes.publish(packet, from ?? null, (error) => {
      if (error instanceof Error)
        this.#context.log.error(`a message for "${topic}" could not be handed on`, error);
      done();
    });
    this.shared.deliver(topic, payload, qos);
  }

  #forward<P extends { topic: string; qos: number }>(client: Client, packet: P): P {
    const qos = this.#clients.get(client)?.limitQos(packet.topic, packet.qos) ?? packet.qos;
    return qos === packet.qos ? packet : Object.assign(packet, { qos });
  }
}
