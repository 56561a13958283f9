import type { Clock, Log, Random } from '@backlot/core/plugin';
import { Store } from './data/store.js';
import { Waiters } from './data/waiters.js';
import { UnsentMemory } from './outlet.js';
import { PubSub } from './pub-sub.js';
import type { Session } from './session.js';
import type { Settings } from './settings.js';
import { SubscriptionMeter } from './subscriptions.js';
import { Turns } from './turns.js';
import { CommandError } from './wire/errors.js';

/** What the host gives for it. */
interface ServerContext {
  readonly clock: Clock;
  readonly log: Log;
  random(...parts: (string | number)[]): Random;
  newId(): string;
}

/** What all connections share. */
export class ServerState {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly waiters: Waiters;
  readonly pubSub = new PubSub();
  readonly subscriptions = new SubscriptionMeter();
  readonly turns = new Turns();
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

  constructor(context: ServerContext, settings: Settings) {
    this.settings = settings;
    this.clock = context.clock;
    this.random = context.random('commands');
    this.store = new Store(context.clock);
    this.waiters = new Waiters(this.store, context.clock);
    this.unsent = new UnsentMemory(settings.maxMemory);
    this.store.onRestore = () => this.turns.giveUp(new CommandError('ERR the data was reset meanwhile'));
    this.runId = (context.newId() + context.newId())
      .replaceAll(/[^0-9a-f]/g, '')
      .padEnd(40, '0')
      .slice(0, 40);
    this.startedAt = context.clock.now();
    this.#log = context.log;
  }

  /** Serves those for whom a key has become ready. */
  serveWaiters(): void {
    const done = this.turns.run(this.waiters.serve(), true);
    // Given up by a reset: who waits goes on waiting.
    if (done instanceof Promise) done.catch(() => undefined);
  }

  /** Tells the person who runs the server. */
  warn(text: string): void {
    this.#log.warn(text);
  }
}
