import type { Clock } from '@backlot/core/plugin';
import { WildcardIndex } from '@backlot/kit/wildcards';
import { TOPIC_SYNTAX } from '../wire/topic.js';
import { MessageQueue, type Held, type StoredPacket } from './message-queue.js';

/** A subscription as the broker keeps it; `nl`, `rap`, `rh` are the MQTT 5 options (section 3.8.3.1). */
export interface StoredSubscription {
  readonly topic: string;
  readonly qos: number;
  readonly nl?: boolean;
  readonly rap?: boolean;
  readonly rh?: number;
}

/** What is kept of a client that wants to find it again (MQTT 5, section 4.1). */
export interface Session {
  readonly id: string;
  readonly subscriptions: Map<string, StoredSubscription>;
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
  readonly messages: readonly StoredPacket[];
  readonly expiresAt: number;
}[];

interface Wanted {
  readonly session: Session;
  readonly qos: number;
}

const MAX_SESSIONS = 10_000;

/** The sessions that outlive their connection. */
export class Sessions {
  readonly #clock: Clock;
  readonly #byId = new Map<string, Session>();
  readonly #wanted = new WildcardIndex<Wanted>(TOPIC_SYNTAX);
  readonly #entries = new WeakMap<StoredSubscription, Wanted>();
  readonly #held: Held = { bytes: 0 };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many subscriptions are kept for which messages are, and how many levels their filters have. */
  get kept(): number {
    return this.#wanted.size;
  }

  get keptLevels(): number {
    return this.#wanted.words;
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
    return session;
  }

  /** The connection that used it is gone; another one may have taken it over. */
  close(id: string, owner: object, keepFor: number): void {
    const session = this.#byId.get(id);
    if (session === undefined || session.owner !== owner) return;
    session.owner = undefined;
    session.expiresAt = this.#clock.now() + keepFor;
    if (keepFor <= 0) this.forget(id);
  }

  forget(id: string): void {
    const session = this.#byId.get(id);
    if (session === undefined) return;
    for (const filter of [...session.subscriptions.keys()]) this.unsubscribe(session, filter);
    session.queue.clear();
    this.#byId.delete(id);
  }

  subscribe(session: Session, subscription: StoredSubscription): void {
    this.unsubscribe(session, subscription.topic);
    const kept = { ...subscription };
    session.subscriptions.set(kept.topic, kept);
    if (kept.qos === 0) return;
    const wanted = { session, qos: kept.qos };
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

  /** Which sessions want messages of a topic kept, with the highest QoS each has asked for. */
  wanting(
    topic: string,
  ): readonly { readonly clientId: string; readonly topic: string; readonly qos: number }[] {
    const found = new Map<string, number>();
    for (const { session, qos } of this.#wanted.match(topic)) {
      if (this.get(session.id) !== session) continue;
      found.set(session.id, Math.max(found.get(session.id) ?? 0, qos));
    }
    return Array.from(found, ([clientId, qos]) => ({ clientId, topic, qos }));
  }

  save(): SavedSessions {
    return Array.from(this.#byId.values(), ({ id, subscriptions, queue, expiresAt, owner }) => ({
      id,
      subscriptions: [...subscriptions.values()],
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
    for (const { id, subscriptions, messages, expiresAt } of saved) {
      if (this.#byId.has(id)) continue;
      const session = this.#make(id);
      session.expiresAt = expiresAt;
      for (const subscription of subscriptions) this.subscribe(session, subscription);
      for (const packet of messages) session.queue.add({ ...packet });
    }
  }

  #make(id: string): Session {
    if (this.#byId.size >= MAX_SESSIONS) this.#dropOldest();
    const session: Session = {
      id,
      subscriptions: new Map(),
      queue: new MessageQueue(this.#held),
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
