import type { Clock, Log, Random, SpaceDoors } from '@backlot/core/plugin';
import type { Users } from './acl/users.js';
import { Store } from './data/store.js';
import { Waiters } from './data/waiters.js';
import { KeyEvents } from './key-events.js';
import { Monitors } from './monitors.js';
import type { Scripts } from './scripting/contract.js';
import { UnsentMemory } from './outlet.js';
import { PubSub } from './pub-sub.js';
import type { Session } from './session.js';
import type { Settings } from './settings.js';
import { SubscriptionMeter } from './subscriptions.js';
import { DataQueue } from './data-queue.js';
import { Tracking } from './tracking/tracking.js';

/** What the host gives for it. */
interface ServerContext {
  readonly clock: Clock;
  readonly log: Log;
  /** The fault in effect. */
  readonly faults?: { readonly current: { readonly error?: string } | undefined };
  readonly spaces?: Pick<SpaceDoors, 'userOf'>;
  random(...parts: (string | number)[]): Random;
  newId(): string;
}

/** What is told of a command to those who watch keys. */
interface BeginningCommand {
  readonly name: string;
  readonly access: 'none' | 'read' | 'write';
}

/** What all connections share. */
export class ServerState {
  readonly settings: Settings;
  readonly users: Users;
  readonly clock: Clock;
  readonly spaces: Pick<SpaceDoors, 'userOf'> | undefined;
  readonly random: Random;
  readonly store: Store;
  readonly waiters: Waiters;
  readonly pubSub = new PubSub();
  readonly subscriptions = new SubscriptionMeter();
  readonly dataQueue = new DataQueue();
  readonly keyEvents: KeyEvents;
  readonly tracking: Tracking;
  readonly monitors: Monitors;
  /** What runs Lua; absent where nothing does. */
  scripting: Scripts | undefined;
  readonly unsent: UnsentMemory;
  readonly sessions = new Map<number, Session>();
  /** 40 hexadecimal digits, as INFO shows them. */
  readonly runId: string;
  readonly startedAt: number;
  /** The port, once it is known. */
  port = 0;
  /** How many connections there have been. */
  connections = 0;
  /** How many requests were taken. */
  requests = 0;
  readonly #log: Log;
  readonly #faults: ServerContext['faults'];

  constructor(context: ServerContext, settings: Settings, users: Users) {
    this.settings = settings;
    this.users = users;
    this.clock = context.clock;
    this.spaces = context.spaces;
    this.random = context.random('commands');
    this.store = new Store(context.clock);
    this.waiters = new Waiters(this.store, context.clock);
    this.keyEvents = new KeyEvents(this.store, context.clock, this.pubSub, () => this.#sweep());
    this.tracking = new Tracking(this.store, this.sessions, context.clock, () => this.#sweep());
    this.monitors = new Monitors(context.clock);
    this.unsent = new UnsentMemory(settings.maxMemory);
    this.runId = (context.newId() + context.newId())
      .replaceAll(/[^0-9a-f]/g, '')
      .padEnd(40, '0')
      .slice(0, 40);
    this.startedAt = context.clock.now();
    this.#log = context.log;
    this.#faults = context.faults;
  }

  /** Whether commands are answered with LOADING, as while a server reads its data. */
  get isLoading(): boolean {
    return this.#faults?.current?.error?.startsWith('LOADING ') === true;
  }

  /** Tells those who watch keys, while there are some, that a client is about to carry out a command. */
  tellBegin(session: Session, { name, access }: BeginningCommand, args: readonly string[]): void {
    const { listener, tracking } = this.store;
    if (listener !== undefined && access === 'write') listener.begin(name, args);
    if (tracking !== undefined && access !== 'none') this.tracking.begin(session);
  }

  /** Whether a command has brought what others are to get: {@link follow} is to be gone through. */
  get hasFollowing(): boolean {
    return this.waiters.hasReady || this.keyEvents.hasPending || this.tracking.hasPending;
  }

  /** Serves those for whom a key has become ready, and publishes what happened to keys. */
  *follow(): Generator<undefined, void> {
    while (this.hasFollowing) {
      yield* this.waiters.serve();
      yield* this.keyEvents.publish();
      yield* this.tracking.publish();
    }
  }

  /** Goes through {@link follow}. */
  followUp(): void {
    this.#run(this.follow());
  }

  /** Removes what has expired when it is the turn for that. */
  #sweep(): void {
    const begin = (): void => this.#run(this.#sweepAndFollow());
    if (this.dataQueue.isOpenTo('write')) begin();
    else this.dataQueue.wait('write', begin);
  }

  *#sweepAndFollow(): Generator<undefined, void> {
    yield* this.store.sweep();
    yield* this.keyEvents.publish();
    yield* this.tracking.publish();
    yield* this.follow();
  }

  #run(work: Iterator<undefined, void>): void {
    const done = this.dataQueue.run(work, true);
    // Given up by a reset: who waits goes on waiting.
    if (done instanceof Promise) done.catch(() => undefined);
  }

  /** Tells the person who runs the server. */
  warn(text: string): void {
    this.#log.warn(text);
  }
}
