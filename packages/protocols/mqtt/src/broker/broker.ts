import type { Aedes, Client } from 'aedes';
import type { Context, SnapshotPart } from '@backlot/core/plugin';
import { CaptureMoments, JobQueue } from '@backlot/kit';
import type { MqttShape } from '../shape.js';
import type { Qos } from '../wire/packet-type.js';
import type { BrokerSide } from './broker-side.js';
import { DelayedWills } from './delayed-wills.js';
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
  /** Seconds in which it has to be delivered (MQTT 5, section 3.3.2.3.3); absent is no limit. */
  readonly expiry?: number | undefined;
}

/** A message that aedes is about to deliver to one client, which may still be changed. */
export interface Forwarded {
  readonly topic: string;
  payload: Buffer | string;
  qos: number;
  retain: boolean;
  /** Who published it. */
  readonly clientId?: string;
  /** {@link BROKER_ID} where it comes from a subscription of the client. */
  readonly brokerId?: string | null;
}

/** How aedes calls itself. */
export const BROKER_ID = 'backlot';

/** How the broker knows a connection. */
export interface BrokerClient {
  /** Makes of a message what its subscriptions ask for. */
  prepare(message: Forwarded): void;
  /** The connection was lost, and its will is to be published. */
  publishWill(): void;
  /** It has subscribed, and is about to get the retained messages. */
  askForRetained(subscriptions: readonly Asked[]): RetainedRequest;
}

/** What aedes tells of subscriptions that it was asked for. */
export interface Asked {
  readonly topic: string;
  readonly rh?: number;
  readonly identifier?: number | undefined;
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
/** Keeps aedes from publishing a will as well; one for all, since finding out where an error is made takes long. */
const WILL_IS_PUBLISHED = new Error('the will was published');
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
  readonly wills: DelayedWills;
  readonly retained: Retained;
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
    this.wills = new DelayedWills(context.clock);
    this.retained = new Retained(this.envelope, context.clock);
    this.sessions = new Sessions(context.clock, this.shared, this.envelope);
    this.#persistence = new Persistence(this.retained, this.sessions, this.envelope);
    context.addToSnapshots('retained', {
      passes: 'plain',
      save: () => this.retained.save(),
      restore: (saved) => this.retained.restore(saved),
    } satisfies SnapshotPart<readonly StoredPacket[]>);
    context.addToSnapshots('sessions', {
      passes: 'plain',
      save: () => this.sessions.save(),
      restore: (saved) => this.sessions.restore(saved),
    } satisfies SnapshotPart<SavedSessions>);
    context.addToSnapshots('wills', {
      passes: 'plain',
      save: () => null,
      restore: () => this.wills.clear(),
    } satisfies SnapshotPart<null>);
  }

  async start(): Promise<void> {
    if (this.#aedes !== undefined) return;
    const { Aedes } = await import('aedes');
    this.#emitter = new Emitter();
    this.shared.listenAgain();
    const aedes = await Aedes.createBroker({
      id: BROKER_ID,
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
        callback(WILL_IS_PUBLISHED);
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
    this.wills.clear();
    if (aedes !== undefined) await new Promise<void>((resolve) => aedes.close(() => resolve()));
  }

  /** Whether there are as many subscriptions as there may be, or as many levels in their filters. */
  get hasAllSubscriptions(): boolean {
    const { listeners, levels } = this.#emitter;
    const { kept, keptLevels } = this.sessions;
    const subscriptions = Math.max(listeners, kept, this.shared.members);
    return subscriptions >= MAX_SUBSCRIPTIONS || Math.max(levels, keptLevels) >= MAX_LEVELS;
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
    const payload = this.#wrap(message);
    const packet = { cmd: 'publish', topic, payload, qos, retain, dup: false };
    const aedes: PublishesAs = this.#aedes as unknown as PublishesAs;
    // What is kept for sessions is kept before the call returns.
    this.sessions.publisher = from?.id;
    aedes.publish(packet, from ?? null, (error) => {
      if (error instanceof Error)
        this.#context.log.error(`a message for "${topic}" could not be handed on`, error);
      done();
    });
    this.sessions.publisher = undefined;
  }

  #wrap({ properties, payload, expiry }: Publication): Buffer {
    if (properties.length === 0 && expiry === undefined) return payload;
    const expiresAt = expiry === undefined ? 0 : this.#context.clock.now() + expiry * 1000;
    return this.envelope.wrap({ properties, payload, expiresAt, retain: false });
  }

  #forward<P extends Forwarded>(client: Client, packet: P): P {
    this.#clients.get(client)?.prepare(packet);
    return packet;
  }
}
