import type { Clock } from '@backlot/core/plugin';
import { WildcardIndex } from '@backlot/kit/wildcards';
import { TOPIC_SYNTAX } from '../wire/topic.js';
import { AwayMember } from './away-member.js';
import type { Envelope } from './envelope.js';
import { MessageQueue, type Held, type StoredPacket } from './message-queue.js';
import { parseShared, type SharedOptions, type SharedSubscriptions } from './shared-subscriptions.js';

/** A subscription as the broker keeps it; `nl`, `rap`, `rh` are the MQTT 5 options (section 3.8.3.1). */
export interface StoredSubscription {
  readonly topic: string;
  /** What aedes is asked for, which leaves it to us to lower the QoS of each message. */
  readonly qos: number;
  /** What the client was granted. */
  readonly granted: number;
  /** The options as the client gave them; aedes leaves messages as retained as they were published. */
  readonly keepsRetain: boolean;
  readonly identifier?: number | undefined;
  readonly nl?: boolean;
  readonly rap?: boolean;
  readonly rh?: number;
}

/** What is kept of a client that wants to find it again (MQTT 5, section 4.1). */
export interface Session {
  readonly id: string;
  readonly subscriptions: Map<string, StoredSubscription>;
  /** Shared subscriptions, by their whole filter. */
  readonly shared: Map<string, SharedOptions>;
  readonly queue: MessageQueue;
  /** Identifiers of QoS 2 messages that came in and were not released. */
  readonly incoming: Set<number>;
  /** Who uses it now. */
  owner: object | undefined;
  /** When it ends, in ms of the host's clock. */
  expiresAt: number;
}

/** Sessions in a snapshot. */
export type SavedSessions = readonly {
  readonly id: string;
  readonly subscriptions: readonly StoredSubscription[];
  readonly shared: readonly (readonly [string, SharedOptions])[];
  readonly messages: readonly StoredPacket[];
  readonly expiresAt: number;
}[];

/** A session that wants a message kept. */
export interface Wanting {
  readonly clientId: string;
  readonly topic: string;
  /** The highest QoS that it has asked for. */
  readonly qos: number;
  /** Whether it gets the message as retained when it was published so. */
  readonly retain: boolean;
}

interface Wanted {
  readonly session: Session;
  readonly subscription: StoredSubscription;
}

const MAX_SESSIONS = 10_000;

/** The sessions that outlive their connection. */
export class Sessions {
  /** Who publishes what is being kept; it wants no own messages where a subscription says so. */
  publisher: string | undefined;
  readonly #clock: Clock;
  readonly #shared: SharedSubscriptions;
  readonly #envelope: Envelope;
  readonly #away = new Map<string, AwayMember>();
  readonly #byId = new Map<string, Session>();
  readonly #wanted = new WildcardIndex<Wanted>(TOPIC_SYNTAX);
  readonly #entries = new WeakMap<StoredSubscription, Wanted>();
  readonly #held: Held = { bytes: 0 };

  constructor(clock: Clock, shared: SharedSubscriptions, envelope: Envelope) {
    this.#clock = clock;
    this.#shared = shared;
    this.#envelope = envelope;
  }

  /** How many subscriptions are kept for which messages are, and how many levels their filters have. */
  get kept(): number {
    return this.#wanted.size;
  }

  get keptLevels(): number {
    return this.#wanted.words;
  }

  /** All sessions by client id, those that have ended and were not looked for since among them. */
  get byId(): ReadonlyMap<string, Session> {
    return this.#byId;
  }

  /** The session of a client, unless it has ended. */
  get(id: string): Session | undefined {
    const session = this.#byId.get(id);
    if (session === undefined || session.owner !== undefined || session.expiresAt > this.#clock.now())
      return session;
    this.forget(id);
    return undefined;
  }

  /** Finds or makes the session of a client that has connected. */
  open(id: string, owner: object): Session {
    const session = this.get(id) ?? this.#make(id);
    session.owner = owner;
    // Until it is there, and where another connection is taken over.
    if (!this.#away.has(id)) this.#goAway(session);
    return session;
  }

  /** The client is there: what its groups are sent goes to its connection from now on. */
  comeBack({ id, shared }: Session): void {
    const member = this.#away.get(id);
    if (member === undefined) return;
    this.#away.delete(id);
    for (const key of shared.keys()) this.#shared.remove(key, member);
  }

  /** The connection that used it is gone; another one may have taken it over. */
  close(id: string, owner: object, keepFor: number): void {
    const session = this.#byId.get(id);
    if (session === undefined || session.owner !== owner) return;
    session.owner = undefined;
    session.expiresAt = this.#clock.now() + keepFor;
    if (keepFor <= 0) this.forget(id);
    else if (!this.#away.has(id)) this.#goAway(session);
  }

  forget(id: string): void {
    const session = this.#byId.get(id);
    if (session === undefined) return;
    for (const filter of [...session.subscriptions.keys()]) this.unsubscribe(session, filter);
    this.comeBack(session);
    session.queue.clear();
    this.#byId.delete(id);
  }

  subscribe(session: Session, subscription: StoredSubscription): void {
    this.unsubscribe(session, subscription.topic);
    const kept = { ...subscription };
    session.subscriptions.set(kept.topic, kept);
    if (kept.granted === 0) return;
    const wanted = { session, subscription: kept };
    this.#entries.set(kept, wanted);
    this.#wanted.add(kept.topic, wanted);
  }

  unsubscribe(session: Session, filter: string): void {
    const kept = session.subscriptions.get(filter);
    if (kept === undefined) return;
    session.subscriptions.delete(filter);
    const wanted = this.#entries.get(kept);
    if (wanted !== undefined) this.#wanted.remove(filter, wanted);
  }

  /** Which sessions want messages of a topic kept. */
  wanting(topic: string): readonly Wanting[] {
    const found = new Map<string, Wanting>();
    for (const { session, subscription } of this.#wanted.match(topic)) {
      const { id } = session;
      if ((subscription.nl === true && id === this.publisher) || this.get(id) !== session) continue;
      const before = found.get(id);
      found.set(id, {
        clientId: id,
        topic,
        qos: Math.max(before?.qos ?? 0, subscription.granted),
        retain: before?.retain === true || subscription.keepsRetain,
      });
    }
    return [...found.values()];
  }

  save(): SavedSessions {
    return Array.from(this.#byId.values(), ({ id, subscriptions, shared, queue, expiresAt, owner }) => ({
      id,
      subscriptions: [...subscriptions.values()],
      shared: [...shared],
      messages: queue.values().map((packet) => ({ ...packet })),
      expiresAt: owner === undefined ? expiresAt : Infinity,
    }));
  }

  /** Those of clients that are connected keep their subscriptions and lose their messages. */
  restore(saved: SavedSessions): void {
    for (const session of [...this.#byId.values()]) {
      session.queue.clear();
      if (session.owner === undefined) this.forget(session.id);
    }
    for (const { id, subscriptions, shared, messages, expiresAt } of saved) {
      if (this.#byId.has(id)) continue;
      const session = this.#make(id);
      session.expiresAt = expiresAt;
      for (const subscription of subscriptions) this.subscribe(session, subscription);
      for (const [key, options] of shared) session.shared.set(key, options);
      for (const packet of messages) session.queue.add({ ...packet });
      this.#goAway(session);
    }
  }

  /** Messages of its groups are kept for it while nobody else of them is there. */
  #goAway(session: Session): void {
    if (session.shared.size === 0) return;
    const member = new AwayMember(
      () => (this.get(session.id) === session ? session.queue : undefined),
      this.#envelope,
    );
    this.#away.set(session.id, member);
    for (const [key, options] of session.shared) {
      const name = parseShared(key);
      if (name !== undefined && options.qos > 0) this.#shared.add(name, member, options);
    }
  }

  #make(id: string): Session {
    if (this.#byId.size >= MAX_SESSIONS) this.#dropOldest();
    const session: Session = {
      id,
      subscriptions: new Map(),
      shared: new Map(),
      queue: new MessageQueue(this.#held, this.#clock),
      incoming: new Set(),
      owner: undefined,
      expiresAt: Infinity,
    };
    this.#byId.set(id, session);
    return session;
  }

  #dropOldest(): void {
    for (const { id, owner } of this.#byId.values()) {
      if (owner !== undefined) continue;
      this.forget(id);
      return;
    }
  }
}
