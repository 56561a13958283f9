import type { Aedes, Client } from 'aedes';
import type { Context, SnapshotPart } from '@backlot/core/plugin';
import { CaptureMoments, JobQueue } from '@backlot/kit';
import type { MqttShape } from '../shape.js';
import type { Qos } from '../wire/packet-type.js';
import type { BrokerSide } from './broker-side.js';
import { Emitter } from './emitter.js';
import { Envelope } from './envelope.js';
import type { StoredPacket } from './message-queue.js';
import { Persistence, type RetainedRequest } from './persistence.js';
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
  /** The connection was lost, and its will is to be published. */
  publishWill(): void;
  /** It has subscribed, and is about to get the retained messages. */
  askForRetained(subscriptions: readonly { readonly topic: string; readonly rh?: number }[]): RetainedRequest;
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
const MAX_CLIENT_ID = 65_535;
/** Subscriptions of all clients together, and levels of their filters, those that they begin with in common counted once. */
const MAX_SUBSCRIPTIONS = 100_000;
const MAX_LEVELS = 100_000;

/** The broker: aedes, with its data kept here. */
export class Broker {
  readonly envelope = new Envelope();
  readonly shared = new SharedSubscriptions(() => this.#emitter);
  /** For what a client asks for that may take long. */
  readonly jobs: JobQueue;
  readonly sessions: Sessions;
  readonly moments: CaptureMoments;
  readonly #retained = new Retained(this.envelope);
  readonly #persistence: Persistence;
  readonly #context: Context<MqttShape>;
  readonly #clients = new WeakMap<object, BrokerClient>();
  #emitter = new Emitter();
  #aedes: Aedes | undefined;

  constructor(context: Context<MqttShape>) {
    this.#context = context;
    this.moments = new CaptureMoments(() => context.newId());
    this.jobs = new JobQueue({
      onError: (error) => context.log.error('a request could not be finished', error),
      byTurns: true,
    });
    this.sessions = new Sessions(context.clock);
    this.#persistence = new Persistence(this.#retained, this.sessions);
    context.addToSnapshots('retained', {
      save: () => this.#retained.save(),
      restore: (saved) => this.#retained.restore(saved),
    } satisfies SnapshotPart<readonly StoredPacket[]>);
    context.addToSnapshots('sessions', {
      save: () => this.sessions.save(),
      restore: (saved) => this.sessions.restore(saved),
    } satisfies SnapshotPart<SavedSessions>);
  }

  async start(): Promise<void> {
    if (this.#aedes !== undefined) return;
    const { Aedes } = await import('aedes');
    this.#emitter = new Emitter();
    const aedes = await Aedes.createBroker({
      id: 'backlot',
      persistence: this.#persistence,
      mq: this.#emitter,
      concurrency: 0,
      drainTimeout: 0,
      heartbeatInterval: NO_HEARTBEAT,
      maxClientsIdLength: MAX_CLIENT_ID,
      authorizeForward: (client, packet) => this.#forward(client, packet),
      authorizePublish: (client, _will, callback) => {
        // Only wills come this way. They are published like any message, so aedes is told that it must not.
        if (client !== null) this.#clients.get(client)?.publishWill();
        callback(new Error('the will was published'));
      },
    });
    aedes.on('subscribe', (subscriptions, client) => {
      this.#persistence.asking = this.#clients.get(client)?.askForRetained(subscriptions);
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

  /** Whether there are as many subscriptions as there may be, or as many levels in their filters. */
  get hasAllSubscriptions(): boolean {
    const { listeners, levels } = this.#emitter;
    const { kept, keptLevels } = this.sessions;
    return Math.max(listeners, kept) >= MAX_SUBSCRIPTIONS || Math.max(levels, keptLevels) >= MAX_LEVELS;
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
  }

  #forward<P extends { topic: string; qos: number }>(client: Client, packet: P): P {
    const qos = this.#clients.get(client)?.limitQos(packet.topic, packet.qos) ?? packet.qos;
    return qos === packet.qos ? packet : Object.assign(packet, { qos });
  }
}
